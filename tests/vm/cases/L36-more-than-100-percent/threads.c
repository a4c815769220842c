// SPDX-License-Identifier: GPL-2.0-or-later
/* As many threads as CPUs, all busy for two seconds; and what the process says it used. */
#include "truth.h"
#include <pthread.h>

enum { CPUS_MOST = 64 };

static void *work(void *arg)
{
	burn_ms(2000);
	return arg;
}

int main(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t t[CPUS_MOST];
	ull begin = boot_ns();

	need(cpus >= 1 && cpus <= CPUS_MOST, "CPUs");
	for (long i = 0; i < cpus; i++)
		need(pthread_create(&t[i], NULL, work, NULL) == 0, "thread");
	for (long i = 0; i < cpus; i++)
		pthread_join(t[i], NULL);
	truth("role=threads pid=%d cpu_ns=%llu elapsed_ns=%llu cpus=%ld percent_most=%ld", getpid(), cpu_ns(),
	      boot_ns() - begin, cpus, 100 * cpus);
	return 0;
}
