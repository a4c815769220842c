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
	siginfo_t info;
	pid_t p = begin();

	if (p == 0)
		child("soon-zombie", 200, 8);
	need(waitid(P_PID, (id_t)p, &info, WEXITED | WNOWAIT) == 0, "ended");
	truth("role=soon-zombie-seen pid=%d seen_boot_ns=%llu", p, boot_ns());
	msleep(2000);
	need(code_of(reap(p, "collected")) == 8, "soon-zombie");
	signal(SIGCHLD, SIG_IGN);
	p = fork();
	if (p == 0)
		child("self-reaped", 100, 9);
	need(waitpid(p, NULL, 0) < 0 && errno == ECHILD, "collected by the kernel");
	truth("role=self-reaped-seen pid=%d seen_boot_ns=%llu", p, boot_ns());
	return 0;
}
