// SPDX-License-Identifier: GPL-2.0-or-later
/* helper FILE PID: what core_pattern starts; says who it is. crash: the process that crashes. */
#include "truth.h"

int main(int argc, char **argv)
{
	char b[4096];
	int f;

	if (argc < 3) {
		struct rlimit l = { RLIM_INFINITY, RLIM_INFINITY };

		setrlimit(RLIMIT_CORE, &l);
		truth("role=crash pid=%d", getpid());
		abort();
	}
	f = open(argv[1], O_WRONLY | O_APPEND);
	need(f >= 0 && dup2(f, STDOUT_FILENO) >= 0, "truth");
	while (read(STDIN_FILENO, b, sizeof b) > 0)
		;
	truth("role=helper pid=%d ppid=%d of=%s hwm_kb=%ld", getpid(), getppid(), argv[2], hwm_kb());
	return 21;
}
