// SPDX-License-Identifier: GPL-2.0-or-later
/* cost CMD... - prints the ns of CPU time that CMD used; its output goes nowhere. */
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
	printf("%lld\n", 1000LL * rusage_us(&ru));
	return 0;
}
