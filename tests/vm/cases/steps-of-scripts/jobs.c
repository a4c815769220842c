// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jobs NAP: does what a shell does for each kind of job and measures every child from
 * before its fork to after it was reaped. Descriptor 1 is the truth.
 */
#include "truth.h"

struct child {
	pid_t pid;
	const char *name;
	unsigned int ms;
	ull born, reaped;
};

static const char *nap;

static void become(unsigned int ms, const char *name)
{
	char text[16];

	snprintf(text, sizeof text, "%u", ms);
	execl(nap, "nap", text, name, (char *)NULL);
	_exit(EXEC_FAILED);
}

static void place(int from, int to)
{
	if (from >= 0 && dup2(from, to) != to)
		_exit(NOT_AS_MEANT);
}

/* Pipes are closed on exec; only what lies at 0 and 1 stays. */
static struct child start(const char *name, unsigned int ms, int in, int out)
{
	struct child c = { .name = name, .ms = ms, .born = boot_ns() };

	c.pid = fork();
	if (!c.pid) {
		place(in, 0);
		place(out, 1);
		become(ms, name);
	}
	need(c.pid > 0, "fork");
	return c;
}

static void tell(struct child *c, pid_t pid, ull now)
{
	if (c->pid != pid)
		return;
	c->reaped = now;
	truth("role=outer name=%s pid=%d asked_ms=%u outer_ns=%llu", c->name, pid, c->ms,
	      now - c->born);
}

/* All of these children, in whichever order they end. */
static void reap_all(struct child *c, size_t n)
{
	size_t left, i;

	for (left = n; left; left--) {
		int st;
		pid_t pid = wait(&st);
		ull now = boot_ns();

		need(pid > 0 && code_of(st) == 0, "wait");
		for (i = 0; i < n; i++)
			tell(&c[i], pid, now);
	}
}

static void one(const char *name, unsigned int ms)
{
	struct child c = start(name, ms, -1, -1);

	reap_all(&c, 1);
}

static void tell_pipeline(const char *name, const struct child *c, size_t n)
{
	ull born = c[0].born, reaped = 0, most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		reaped = c[i].reaped > reaped ? c[i].reaped : reaped;
		most = c[i].ms > most ? c[i].ms : most;
	}
	truth("role=pipeline name=%s parts=%zu born_ns=%llu end_before_ns=%llu most_ms=%llu", name,
	      n, born, reaped, most);
}

static void pipeline(const char *name, const unsigned int *ms, size_t n)
{
	struct child c[8];
	int in = -1, p[2] = { -1, -1 };
	size_t i;

	for (i = 0; i < n; i++) {
		int last = i + 1 == n;

		need(last || pipe2(p, O_CLOEXEC) == 0, "pipe");
		c[i] = start(name, ms[i], in, last ? -1 : p[1]);
		if (in >= 0)
			close(in);
		if (!last)
			close(p[1]);
		in = p[0];
	}
	reap_all(c, n);
	tell_pipeline(name, c, n);
}

/* The first part is a zombie before the second one is forked. */
static void early_end(void)
{
	struct child c[2];
	siginfo_t info;
	int p[2];

	need(pipe2(p, O_CLOEXEC) == 0, "pipe");
	c[0] = start("early", 0, -1, p[1]);
	need(waitid(P_PID, (id_t)c[0].pid, &info, WEXITED | WNOWAIT) == 0, "waitid");
	close(p[1]);
	c[1] = start("early", 20, p[0], -1);
	close(p[0]);
	reap_all(c, 2);
	tell_pipeline("early", c, 2);
}

static void background(void)
{
	struct child beside = start("beside", 1500, -1, -1);
	struct child with = start("with", 30, -1, -1);
	int st;

	need(waitpid(with.pid, &st, 0) == with.pid && code_of(st) == 0, "with");
	tell(&with, with.pid, boot_ns());
	reap_all(&beside, 1);
}

/* A fork that executes nothing and starts others. */
static void subshell(void)
{
	struct child c = { .name = "subshell", .ms = 40, .born = boot_ns() };

	c.pid = fork();
	if (!c.pid) {
		one("sub-a", 20);
		one("sub-b", 20);
		_exit(0);
	}
	need(c.pid > 0, "fork");
	reap_all(&c, 1);
}

/* A fork that starts another one, and then becomes something else. */
static void exec_at_last(void)
{
	struct child c = { .name = "exec", .ms = 40, .born = boot_ns() };

	c.pid = fork();
	if (!c.pid) {
		one("before", 20);
		become(20, "after");
	}
	need(c.pid > 0, "fork");
	reap_all(&c, 1);
}

int main(int argc, char **argv)
{
	static const unsigned int falling[] = { 60, 40, 20 }, rising[] = { 20, 60 };
	static const unsigned int same[] = { 20, 20, 20, 20, 20 };
	int i;

	need(argc == 2, "arguments");
	nap = argv[1];
	truth("role=jobs pid=%d", getpid());
	for (i = 0; i < 5; i++)
		one("loop", 10);
	pipeline("falling", falling, 3);
	pipeline("rising", rising, 2);
	pipeline("same", same, 5);
	early_end();
	background();
	subshell();
	exec_at_last();
	return 0;
}
