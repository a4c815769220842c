// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives.c - processes for hookclock to time, and the walk over living ones.
 *   lives [-s SESSIONS] [-x] KIND COUNT
 * runs COUNT children one after the other, with so many sessions open and
 * drained; -x: sessions that filter every one of them out.
 *   fork   a child that exits at once
 *   spawn  posix_spawn of this program, which then exits at once
 *   argv   the same with 4,000 arguments of 10 bytes
 *   walk   no child: COUNT walks with one session; prints instructions per task,
 *          walk and drain: "walk TASKS PER_TASK PER_TASK_WITH_DRAIN"
 *   lives crowd COUNT
 * leaves COUNT idle processes behind and returns.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/ktally.h>

enum { EVERY = 50, WORDS = 4000 };

extern char **environ;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* --- sessions --- */

struct session {
	int fd, cpu;		/* of the one CPU */
	char *room;
	size_t size;
};

static void open_session(struct session *s, int filtered)
{
	struct ktally_start how = { .size = sizeof(how) };

	if (filtered) {
		how.filter = KTALLY_FILTER_UID;
		how.uid = 4242;
	}
	s->fd = open("/dev/ktally", O_RDWR | O_CLOEXEC);
	if (s->fd < 0 || ioctl(s->fd, KTALLY_IOC_START, &how))
		err(1, "session");
	s->cpu = ioctl(s->fd, KTALLY_IOC_CPU, 0);
	if (s->cpu < 0)
		err(1, "CPU's buffer");
	fcntl(s->cpu, F_SETFL, O_NONBLOCK);
	s->size = how.subbuf_size;
	s->room = malloc(s->size);
}

static void drain(struct session *s)
{
	do {
		while (read(s->cpu, s->room, s->size) > 0)
			;
	} while (ioctl(s->fd, KTALLY_IOC_FLUSH) && errno == EAGAIN);
	while (read(s->cpu, s->room, s->size) > 0)
		;
}

static void check_losses(const struct session *s)
{
	struct ktally_counts c = { .size = sizeof(c) };
	int kind;

	if (ioctl(s->fd, KTALLY_IOC_COUNTS, &c))
		err(1, "counts");
	for (kind = 0; kind < KTALLY_KINDS; kind++)
		if (c.lost[kind])
			errx(1, "records of kind %d were lost: the figures are too low", kind);
}

/* --- children --- */

static void one_fork(void)
{
	pid_t p = fork();

	if (!p)
		_exit(0);
	waitpid(p, NULL, 0);
}

static void spawn(char **argv)
{
	pid_t p;

	errno = posix_spawn(&p, "/proc/self/exe", NULL, NULL, argv, environ);
	if (errno)
		err(1, "posix_spawn");
	waitpid(p, NULL, 0);
}

static void one_spawn(void)
{
	char *argv[] = { "lives", "nothing", NULL };

	spawn(argv);
}

static void one_argv(void)
{
	static char *argv[WORDS + 3] = { "lives", "nothing" };
	int i;

	for (i = 2; i < WORDS + 2; i++)
		argv[i] = "argument.";
	spawn(argv);
}

static void live(void (*one)(void), int count, struct session *s, int sessions)
{
	int i, k;

	for (i = 1; i <= count; i++) {
		one();
		if (i % EVERY == 0 || one == one_argv)
			for (k = 0; k < sessions; k++)
				drain(&s[k]);
	}
	for (k = 0; k < sessions; k++)
		check_losses(&s[k]);
}

/* --- walks --- */

/* One whole walk: how many tasks it wrote, and the ns inside the calls. */
static unsigned long one_walk(struct session *s, long long *walking)
{
	struct ktally_walk w = { .size = sizeof(w), .purpose = KTALLY_WALK_SNAPSHOT };
	unsigned long tasks = 0;
	long long begun;
	int failed;

	*walking = 0;
	do {
		begun = now();
		failed = ioctl(s->fd, KTALLY_IOC_WALK, &w);
		*walking += now() - begun;
		if (failed && errno != EAGAIN)
			err(1, "walk");
		tasks += failed ? 0 : w.written;
		drain(s);
	} while (w.cursor);
	return tasks;
}

/* The cheapest of them: what else the kernel does meanwhile is in the others. */
static void walk(struct session *s, int count)
{
	double each, least = 0, least_all = 0;
	unsigned long tasks = 0;

	for (int i = 0; i < count; i++) {
		long long all = now(), walking;

		tasks = one_walk(s, &walking);
		each = (double)walking / tasks;
		all = now() - all;
		if (!i || each < least)
			least = each;
		if (!i || (double)all / tasks < least_all)
			least_all = (double)all / tasks;
	}
	printf("walk %lu %.1f %.1f\n", tasks, least, least_all);
	check_losses(s);
}

static void crowd(int count)
{
	int i;

	signal(SIGHUP, SIG_IGN);
	for (i = 0; i < count; i++) {
		pid_t p = fork();

		if (p < 0)
			err(1, "fork");
		if (!p) {
			close(0);
			close(1);
			close(2);
			for (;;)
				pause();
		}
	}
}

int main(int argc, char **argv)
{
	int sessions = 0, filtered = 0, count, i, opt;
	struct session s[KTALLY_SESSIONS];
	const char *kind;

	if (argc > 1 && !strcmp(argv[1], "nothing"))
		_exit(0);
	while ((opt = getopt(argc, argv, "s:x")) != -1) {
		if (opt == 's')
			sessions = atoi(optarg);
		else if (opt == 'x')
			filtered = 1;
		else
			errx(2, "usage: lives [-s SESSIONS] [-x] KIND COUNT");
	}
	if (argc - optind != 2 || sessions > KTALLY_SESSIONS)
		errx(2, "usage: lives [-s SESSIONS] [-x] KIND COUNT");
	kind = argv[optind];
	count = atoi(argv[optind + 1]);
	if (!strcmp(kind, "crowd")) {
		crowd(count);
		return 0;
	}
	if (!strcmp(kind, "walk") && !sessions)
		sessions = 1;
	for (i = 0; i < sessions; i++) {
		open_session(&s[i], filtered);
		drain(&s[i]);
	}
	if (!strcmp(kind, "fork"))
		live(one_fork, count, s, sessions);
	else if (!strcmp(kind, "spawn"))
		live(one_spawn, count, s, sessions);
	else if (!strcmp(kind, "argv"))
		live(one_argv, count, s, sessions);
	else if (!strcmp(kind, "walk"))
		walk(s, count);
	else
		errx(2, "%s: no such kind", kind);
	return 0;
}
