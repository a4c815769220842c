// SPDX-License-Identifier: GPL-2.0-or-later
/* before: uses the CPU once at its start and once at SIGUSR1, tells how much each time. */
#include "truth.h"

static volatile sig_atomic_t go;

static void on_go(int sig)
{
	(void)sig;
	go = 1;
}

static void spin(ull ns)
{
	ull until = cpu_ns() + ns;

	while (cpu_ns() < until)
		;
}

int main(void)
{
	ull first;
	sigset_t none, usr1;

	sigemptyset(&none);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	signal(SIGUSR1, on_go);
	spin(600000000);
	first = cpu_ns();
	truth("role=before pid=%d used_ns=%llu", getpid(), first);
	while (!go)
		sigsuspend(&none);
	spin(100000000);
	truth("role=since used_ns=%llu", cpu_ns() - first);
	return 0;
}
