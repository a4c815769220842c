// SPDX-License-Identifier: GPL-2.0-or-later
/* Eight threads work one after another and are gone long before the process ends. */
#include "truth.h"
#include <pthread.h>

static void *work(void *arg)
{
	burn_ms(60);
	return arg;
}

static void child(void)
{
	int i;

	set_name("eight-threads");
	for (i = 0; i < 8; i++) {
		pthread_t t;

		need(pthread_create(&t, NULL, work, NULL) == 0, "thread");
		pthread_join(t, NULL);
	}
	burn_ms(20);
	msleep(200);
	truth("role=eight-threads pid=%d cpu_ns=%llu", getpid(), cpu_ns());
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
