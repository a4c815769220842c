// SPDX-License-Identifier: GPL-2.0-or-later
/* One that is collected two seconds after its end; one that nobody ever collects. */
#include "truth.h"

static void child(const char *name, unsigned ms, int code)
{
	set_name(name);
	msleep(ms);
	truth("role=%s pid=%d ends_boot_ns=%llu", name, getpid(), boot_ns());
	_exit(code);
}

int main(void)
{
	pid_t p = begin();

	if (p == 0)
		child("soon-zombie", 200, 8);
	msleep(2200);
	need(code_of(reap(p, "collected")) == 8, "soon-zombie");
	signal(SIGCHLD, SIG_IGN);
	p = fork();
	if (p == 0)
		child("self-reaped", 100, 9);
	msleep(600);
	need(waitpid(p, NULL, 0) < 0 && errno == ECHILD, "already collected");
	return 0;
}
