// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * As many threads as CPUs, one on each, all busy for two seconds; what the process says it
 * used, and for how long a CPU stood still meanwhile.
 */
#include "truth.h"
#include <pthread.h>

enum { CPUS_MOST = 64 };

struct busy {
	pthread_t thread;
	int cpu;
	ull late_ns;		/* longest between two looks at the clock */
};

static void *work(void *arg)
{
	const ull end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 2000000000ULL;
	struct busy *b = arg;
	ull last, now;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(b->cpu, &set);
	need(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
	for (last = boot_ns(); clock_ns(CLOCK_THREAD_CPUTIME_ID) < end; last = now) {
		now = boot_ns();
		if (now - last > b->late_ns)
			b->late_ns = now - last;
	}
	return NULL;
}

int main(void)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct busy busy[CPUS_MOST] = { 0 };
	ull begin = boot_ns(), late = 0;

	need(cpus >= 1 && cpus <= CPUS_MOST, "CPUs");
	for (int i = 0; i < cpus; i++) {
		busy[i].cpu = i;
		need(pthread_create(&busy[i].thread, NULL, work, &busy[i]) == 0, "thread");
	}
	for (int i = 0; i < cpus; i++) {
		pthread_join(busy[i].thread, NULL);
		if (busy[i].late_ns > late)
			late = busy[i].late_ns;
	}
	truth("role=threads pid=%d cpu_ns=%llu elapsed_ns=%llu cpus=%d late_ns=%llu", getpid(), cpu_ns(),
	      boot_ns() - begin, cpus, late);
	return 0;
}
