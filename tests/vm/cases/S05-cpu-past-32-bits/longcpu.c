// SPDX-License-Identifier: GPL-2.0-or-later
/* Two threads use more than 4.295 s of CPU: 2^32 nanoseconds. */
#include "truth.h"
#include <pthread.h>

static void *work(void *arg)
{
	burn_ms(2170);
	return arg;
}

static void child(void)
{
	pthread_t t;

	set_name("long-cpu");
	need(pthread_create(&t, NULL, work, NULL) == 0, "thread");
	work(NULL);
	pthread_join(t, NULL);
	truth("role=long-cpu pid=%d cpu_ns=%llu", getpid(), cpu_ns());
	_exit(0);
}

int main(void)
{
	pid_t p = begin();

	if (p == 0)
		child();
	need(code_of(reap(p, "ended")) == 0, "child");
	return 0;
}
