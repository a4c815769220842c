// SPDX-License-Identifier: GPL-2.0-or-later
/* A server that forks five workers and never executes anything. */
#include "truth.h"

static void worker(int i)
{
	burn_ms(20U * (unsigned)(i + 1));
	truth("role=worker%d pid=%d ppid=%d cpu_ns=%llu", i, getpid(), getppid(), cpu_ns());
	_exit(40 + i);
}

int main(void)
{
	pid_t w[5];
	int i;

	for (i = 0; i < 5; i++) {
		w[i] = begin();
		if (w[i] == 0)
			worker(i);
	}
	for (i = 0; i < 5; i++)
		need(code_of(reap(w[i], "worker-ended")) == 40 + i, "worker");
	truth("role=server pid=%d", getpid());
	return 0;
}
