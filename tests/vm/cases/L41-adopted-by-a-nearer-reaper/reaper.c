// SPDX-License-Identifier: GPL-2.0-or-later
/* The orphan goes to a subreaper, not to PID 1. */
#include "truth.h"

static void orphan(void)
{
	truth("role=orphan pid=%d ppid_at_birth=%d", getpid(), getppid());
	msleep(200);
	truth("role=orphan_later pid=%d ppid_now=%d", getpid(), getppid());
	_exit(4);
}

static void middle(void)
{
	set_name("middle");
	if (fork() == 0)
		orphan();
	msleep(100);
	_exit(3);
}

int main(void)
{
	pid_t p;
	int st, n;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (fork() == 0)
		middle();
	for (n = 0; (p = waitpid(-1, &st, 0)) > 0; n++)
		truth("role=collected pid=%d exit_code=%d", p, WEXITSTATUS(st));
	need(n == 2, "both came back here");
	truth("role=reaper pid=%d", getpid());
	return 0;
}
