// SPDX-License-Identifier: GPL-2.0-or-later
/* A parent waits for a busy child; the child's time must not be added to it. */
#include "truth.h"

static void busy_child(void)
{
	set_name("busy-child");
	burn_ms(400);
	truth("role=busy-child pid=%d cpu_ns=%llu", getpid(), cpu_ns());
	_exit(0);
}

static void lazy_parent(void)
{
	struct rusage children;
	pid_t p;

	set_name("lazy-parent");
	burn_ms(50);
	p = begin();
	if (p == 0)
		busy_child();
	need(code_of(reap(p, "busy-ended")) == 0, "busy child");
	getrusage(RUSAGE_CHILDREN, &children);
	truth("role=lazy-parent pid=%d cpu_ns=%llu children_us=%ld", getpid(), cpu_ns(),
	      rusage_us(&children));
	_exit(0);
}

int main(void)
{
	pid_t p = begin();

	if (p == 0)
		lazy_parent();
	need(code_of(reap(p, "lazy-ended")) == 0, "lazy parent");
	return 0;
}
