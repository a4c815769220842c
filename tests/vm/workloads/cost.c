// SPDX-License-Identifier: GPL-2.0-or-later
/* cost CMD... - prints "USER_US SYSTEM_US RSS_KB" of CMD; its output goes nowhere. */
#include "truth.h"

int main(int argc, char **argv)
{
	struct rusage ru;
	int st, null = open("/dev/null", O_WRONLY);
	pid_t p = fork();

	need(argc > 1, "command");
	if (p == 0) {
		dup2(null, 1);
		execvp(argv[1], argv + 1);
		_exit(EXEC_FAILED);
	}
	need(wait4(p, &st, 0, &ru) == p && code_of(st) == 0, argv[1]);
	printf("%ld %ld %ld\n", tv_us(ru.ru_utime), tv_us(ru.ru_stime), ru.ru_maxrss);
	return 0;
}
