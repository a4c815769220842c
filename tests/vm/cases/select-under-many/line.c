// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line - begins sessions that select trees by names while a line of processes waits, each
 * forked by the one before: how long that takes for a short line and for a long one, and
 * whom a name at its head selects.
 */
#include "truth.h"

#include "session.h"

enum { SHALLOW = 100, DEEP = 400, NAMES = 32 };

static char names[NAMES][KTALLY_NAME_MAX];
static unsigned int tasks;

static void note(const struct ktally_common *c)
{
	tasks += c->type == KTALLY_TASK;
}

/* The last one tells through `ready`; all end when `over` has no writer any more. */
static void stand_in_line(int left, int ready, int over)
{
	char c = 'x';

	prctl(PR_SET_NAME, "head-of-line");
	while (--left) {
		pid_t p = fork();

		need(p >= 0, "fork");
		if (p)
			break;
		prctl(PR_SET_NAME, "in-line");
	}
	need(left || write(ready, &c, 1) == 1, "ready");
	_exit(read(over, &c, 1) != 0);
}

static ull select_once(const char *last)
{
	struct ktally_select sel = { .size = sizeof(sel), .what = KTALLY_SELECT_NAMES | KTALLY_SELECT_TREE,
				     .n_names = NAMES, .names = (uintptr_t)names };
	struct session s;
	ull begun;

	for (int i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "*nobody-%d*has*this*name*", i);
	snprintf(names[NAMES - 1], sizeof(names[NAMES - 1]), "%s", last);
	session_init(&s);
	need(!session_open(&s) && !session_ioctl(&s, KTALLY_IOC_SELECT, &sel), "select");
	begun = boot_ns();
	need(!session_start(&s, 2048, 64), "start");
	begun = boot_ns() - begun;
	need(!session_open_cpus(&s), "cpus");
	tasks = 0;
	s.record = note;
	need(!session_walk(&s, KTALLY_WALK_OPENING) &&
	     !session_ioctl(&s, KTALLY_IOC_FLUSH, NULL) && !session_drain(&s), "walk");
	session_close(&s);
	return begun;
}

static ull with_line(int depth, const char *last)
{
	int ready[2], over[2];
	ull took;
	char c;

	need(!pipe(ready) && !pipe(over), "pipe");
	if (fork() == 0) {
		close(over[1]);
		stand_in_line(depth, ready[1], over[0]);
	}
	need(read(ready[0], &c, 1) == 1, "line");
	took = select_once(last);
	close(over[0]);
	close(over[1]);
	/* Until nobody of the line is left. */
	close(ready[1]);
	need(read(ready[0], &c, 1) == 0, "end of line");
	close(ready[0]);
	return took;
}

int main(void)
{
	signal(SIGCHLD, SIG_IGN);
	truth("role=shallow depth=%d took_ns=%llu", SHALLOW, with_line(SHALLOW, "*nor-this*"));
	truth("role=line depth=%d took_ns=%llu", DEEP, with_line(DEEP, "*nor-this*"));
	with_line(SHALLOW, "head-*");
	truth("role=found tasks=%u want=%d", tasks, SHALLOW);
	return 0;
}
