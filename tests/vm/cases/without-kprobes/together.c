// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that all end at the same moment as their process, in many processes: on these
 * kernels several of them see that the process has ended, and one must speak for it.
 */
#include "truth.h"
#include <pthread.h>

static void *spin(void *arg)
{
	for (;;)
		burn_ms(1);
	return arg;
}

/* Odd ones end by exit_group(), even ones by a signal that ends all threads. */
static void child(int i)
{
	pthread_t t;
	int n;

	set_name("all-at-once");
	for (n = 0; n < 7; n++)
		need(pthread_create(&t, NULL, spin, NULL) == 0, "thread");
	if (i % 2)
		_exit(i & 63);
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

int main(void)
{
	int i, codes = 0;

	for (i = 0; i < 60; i++) {
		pid_t p = fork();
		int st;

		if (p == 0)
			child(i);
		need(p > 0 && waitpid(p, &st, 0) == p, "wait");
		need(i % 2 ? code_of(st) == (i & 63) : WIFSIGNALED(st), "end");
		codes += i % 2 ? code_of(st) : 0;
	}
	truth("role=together count=60 codes=%d", codes);
	return 0;
}
