// SPDX-License-Identifier: GPL-2.0-or-later
/* 200 children of 2 ms CPU each: a counter of ticks gives 0 or a whole tick. */
#include "truth.h"

static void child(int out)
{
	ull t;

	set_name("two-ms");
	burn_ms(2);
	t = cpu_ns();
	_exit(write(out, &t, sizeof t) != sizeof t);
}

int main(void)
{
	struct rusage ru;
	ull sum = 0, t;
	int p[2], i;

	need(pipe(p) == 0, "pipe");
	for (i = 0; i < 200; i++) {
		pid_t c = fork();

		if (c == 0)
			child(p[1]);
		need(read(p[0], &t, sizeof t) == sizeof t, "read");
		sum += t;
		waitpid(c, NULL, 0);
	}
	getrusage(RUSAGE_CHILDREN, &ru);
	truth("role=sum lives=200 cpu_sum_ns=%llu children_us=%ld", sum, rusage_us(&ru));
	return 0;
}
