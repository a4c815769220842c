// SPDX-License-Identifier: GPL-2.0-or-later
/* Renames itself after the exec; a side thread has another name; the main thread ends last. */
#include "truth.h"
#include <pthread.h>

static void *side(void *arg)
{
	set_name("side-thread");
	msleep(100);
	return arg;
}

int main(void)
{
	char name[80];
	pthread_t t;

	comm_hex(name, sizeof name);
	truth("role=at_exec pid=%d comm_hex=%s", getpid(), name);
	need(pthread_create(&t, NULL, side, NULL) == 0, "thread");
	set_name("svc: worker 7");
	pthread_join(t, NULL);
	comm_hex(name, sizeof name);
	truth("role=at_end pid=%d comm_hex=%s", getpid(), name);
	return 0;
}
