// SPDX-License-Identifier: GPL-2.0-or-later
/* burn ROLE MS [CHILDREN] - uses that much CPU, or has that many children use it each. */
#include "truth.h"

int main(int argc, char **argv)
{
	long children = argc > 3 ? atol(argv[3]) : 0;
	ull before = cpu_ns();		/* by what this process was until it executed this program */
	struct rusage ru;

	need(argc > 2, "arguments");
	for (long i = 0; i < children; i++) {
		pid_t p = fork();

		if (p == 0) {
			burn_ms((unsigned int)atoi(argv[2]));
			_exit(0);
		}
		waitpid(p, NULL, 0);
	}
	if (!children)
		burn_ms((unsigned int)atoi(argv[2]));
	getrusage(RUSAGE_CHILDREN, &ru);
	truth("role=%s cpu_ns=%llu own_ns=%llu", argv[1], cpu_ns() + 1000ULL * (ull)rusage_us(&ru),
	      cpu_ns() - before);
	return 0;
}
