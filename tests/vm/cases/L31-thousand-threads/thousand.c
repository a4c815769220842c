// SPDX-License-Identifier: GPL-2.0-or-later
/* A thousand short threads, one after the other. */
#include "truth.h"
#include <pthread.h>

static void *work(void *arg)
{
	return arg;
}

int main(void)
{
	int i;

	for (i = 0; i < 1000; i++) {
		pthread_t t;

		need(pthread_create(&t, NULL, work, NULL) == 0, "thread");
		pthread_join(t, NULL);
	}
	truth("role=threads pid=%d threads=1000 cpu_ns=%llu", getpid(), cpu_ns());
	return 0;
}
