// SPDX-License-Identifier: GPL-2.0-or-later
/* Classic double fork; the daemon is still alive when the recording stops. */
#include "truth.h"

static void daemon_life(void)
{
	set_name("the-daemon");
	burn_ms(100);
	truth("role=the-daemon pid=%d cpu_ns=%llu hwm_kb=%ld boot_ns=%llu", getpid(), cpu_ns(),
	      hwm_kb(), boot_ns());
	for (;;)
		pause();
}

static void middle(void)
{
	pid_t d;

	setsid();
	d = fork();
	if (d == 0)
		daemon_life();
	truth("role=middle pid=%d made=%d", getpid(), d);
	msleep(20);
	_exit(0);
}

int main(void)
{
	pid_t p = begin();

	if (p == 0)
		middle();
	need(code_of(reap(p, "middle-ended")) == 0, "middle");
	return 0;
}
