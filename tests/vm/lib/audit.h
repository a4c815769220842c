/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * audit.h - a session that keeps the books: every life of its records with what
 * they say of its beginning, end and bytes, every device and class. In the end
 * the equations must hold to the record and the byte, whatever the machine did
 * meanwhile. Begin and close it while the machine is quiet. Uses the records
 * alone, nothing of ktally's program.
 */
#ifndef KTALLY_TEST_AUDIT_H
#define KTALLY_TEST_AUDIT_H

#include <stdarg.h>
#include <stddef.h>

#include "session.h"

#define AUDIT_CLASSES 3

/* What the records told of a process. */
enum {
	AUDIT_FORKED = 1, AUDIT_DUMPED = 2, AUDIT_ENDED = 4, AUDIT_ALIVE = 8, AUDIT_TWICE = 16,
};

struct audit_life {
	uint64_t start;			/* 0: free place */
	uint32_t tgid;
	uint32_t what;
	uint64_t wire[AUDIT_CLASSES][2];	/* received, sent; newest, cumulative */
};

struct audit_device {
	struct ktally_device newest;
	struct audit_device *next;
};

struct audit {
	struct session s;
	struct audit_life *lives;
	size_t room, used;
	struct audit_device *devices;
	uint64_t forks_before, forks_begun;	/* the kernel's count: around START */
	uint64_t tasks_before;			/* processes and threads that there are */
	uint64_t before;			/* ended without a beginning, when all was quiet */
	uint64_t missed;
	uint32_t purpose;			/* of the walk that goes on */
	unsigned int wrong;
};

/* Records have no pointer for their reader. */
static struct audit *audit_now;

__attribute__((format(printf, 2, 3)))
static inline void audit_check(bool right, const char *format, ...)
{
	va_list ap;

	if (right)
		return;
	audit_now->wrong++;
	va_start(ap, format);
	printf("WRONG: ");
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

/* --- lives --- */

static inline struct audit_life *audit_place(struct audit_life *lives, size_t room,
					     uint32_t tgid, uint64_t start)
{
	size_t i = (start * 0x9e3779b97f4a7c15ULL ^ tgid * 0x85ebca6bU) & (room - 1);

	while (lives[i].start && (lives[i].tgid != tgid || lives[i].start != start))
		i = (i + 1) & (room - 1);
	return &lives[i];
}

static inline void audit_grow(struct audit *a)
{
	size_t room = a->room ? a->room * 2 : 4096;
	struct audit_life *lives = calloc(room, sizeof(*lives));

	if (!lives) {
		fputs("audit: no memory\n", stderr);
		exit(1);
	}
	for (size_t i = 0; i < a->room; i++)
		if (a->lives[i].start)
			*audit_place(lives, room, a->lives[i].tgid, a->lives[i].start) =
				a->lives[i];
	free(a->lives);
	a->lives = lives;
	a->room = room;
}

/* The idle task and init begin at 0: 1 stands for that. */
static inline struct audit_life *audit_life(uint32_t tgid, uint64_t start)
{
	struct audit *a = audit_now;
	struct audit_life *l;

	if (a->used * 2 >= a->room)
		audit_grow(a);
	l = audit_place(a->lives, a->room, tgid, start ? start : 1);
	if (!l->start) {
		l->start = start ? start : 1;
		l->tgid = tgid;
		a->used++;
	}
	return l;
}

/* CPUs are read one after the other; of cumulative counters the largest is newest. */
static inline void audit_newest(uint64_t *known, uint64_t told)
{
	if (told > *known)
		*known = told;
}

#define AUDIT_BYTES(life, record) do {						\
	const __u64 *const _of[] = {						\
		(record)->net_phys, (record)->net_loop, (record)->net_virt,	\
	};									\
	for (int _c = 0; _c < AUDIT_CLASSES; _c++) {				\
		audit_newest(&(life)->wire[_c][0], _of[_c][KTALLY_N_RX_WIRE]);	\
		audit_newest(&(life)->wire[_c][1], _of[_c][KTALLY_N_TX_WIRE]);	\
	}									\
} while (0)

static inline void audit_fork(const void *record)
{
	const struct ktally_fork *r = record;
	struct audit_life *l = audit_life(r->tgid, r->start);

	audit_check(!(l->what & AUDIT_FORKED), "process %u was forked twice", r->tgid);
	l->what |= AUDIT_FORKED;
}

static inline void audit_exit(const void *record)
{
	const struct ktally_exit *r = record;
	struct audit_life *l = audit_life(r->tgid, r->start);

	if (l->what & AUDIT_ENDED) {
		audit_check(r->flags & KTALLY_EXIT_MAYBE_DUP, "process %u ended twice", r->tgid);
		l->what |= AUDIT_TWICE;
		return;
	}
	l->what |= AUDIT_ENDED;
	AUDIT_BYTES(l, r);
}

static inline void audit_late(const void *record)
{
	const struct ktally_net_late *r = record;

	AUDIT_BYTES(audit_life(r->tgid, r->start), r);
}

static inline void audit_task(const void *record)
{
	const struct ktally_task *r = record;
	struct audit_life *l = audit_life(r->tgid, r->start);

	l->what |= audit_now->purpose == KTALLY_WALK_OPENING ? AUDIT_DUMPED : AUDIT_ALIVE;
	AUDIT_BYTES(l, r);
}

/* --- devices and classes; the newest record counts --- */

static inline bool audit_same_device(const struct ktally_device *a, const struct ktally_device *b)
{
	const uint32_t kind = KTALLY_DEVICE_CLASS | KTALLY_DEVICE_TABLES | KTALLY_DEVICE_KINDS;

	return (a->flags & kind) == (b->flags & kind) && a->class == b->class &&
	       a->ifindex == b->ifindex && a->netns == b->netns &&
	       /* a namespace's number and its devices' come again */
	       !(a->flags & KTALLY_DEVICE_GONE);
}

static inline void audit_device(const void *record)
{
	struct audit_device *d = audit_now->devices;

	while (d && !audit_same_device(&d->newest, record))
		d = d->next;
	if (!d) {
		d = calloc(1, sizeof(*d));
		d->next = audit_now->devices;
		audit_now->devices = d;
	}
	memcpy(&d->newest, record, sizeof(d->newest));
}

static inline void audit_end(const void *record)
{
	audit_now->missed = ((const struct ktally_end *)record)->kp_missed;
}

static inline void audit_record(const struct ktally_common *c)
{
	static void (*const keep[KTALLY_KINDS])(const void *) = {
		[KTALLY_FORK] = audit_fork, [KTALLY_EXIT] = audit_exit,
		[KTALLY_NET_LATE] = audit_late, [KTALLY_TASK] = audit_task,
		[KTALLY_DEVICE] = audit_device, [KTALLY_END] = audit_end,
	};

	if (keep[c->type])
		keep[c->type](c);
}

/* --- the session --- */

static inline uint64_t audit_kernel_forks(void)
{
	unsigned long long n = 0;
	char line[65536];
	FILE *f = fopen("/proc/stat", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "processes %llu", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* Processes and threads that are there, zombies among them. */
static inline uint64_t audit_kernel_tasks(void)
{
	unsigned long long n = 0;
	FILE *f = fopen("/proc/loadavg", "re");

	if (f && fscanf(f, "%*s %*s %*s %*u/%llu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

static inline void audit_must(int err, const char *what)
{
	if (!err)
		return;
	printf("FAILED: %s: %s\n", what, strerror(-err));
	exit(1);
}

static inline void audit_drain(struct audit *a)
{
	audit_must(session_open_cpus(&a->s), "CPU");
	audit_must(session_drain(&a->s), "read");
}

static inline void audit_flush(struct audit *a)
{
	int err;

	while ((err = session_ioctl(&a->s, KTALLY_IOC_FLUSH, NULL)) == -EAGAIN)
		audit_drain(a);
	audit_must(err, "FLUSH");
	audit_drain(a);
}

/* Flushed before and after, so that all its tasks are read while it goes on. */
static inline void audit_walk(struct audit *a, uint32_t purpose)
{
	struct ktally_walk w = { .purpose = purpose };
	int err;

	audit_flush(a);
	a->purpose = purpose;
	do {
		w.size = sizeof(w);
		err = session_ioctl(&a->s, KTALLY_IOC_WALK, &w);
		audit_must(err == -EAGAIN ? 0 : err, "WALK");
		audit_drain(a);
	} while (err || w.cursor);
	audit_flush(a);
}

static inline void audit_begin(struct audit *a, unsigned int buffer_kb)
{
	memset(a, 0, sizeof(*a));
	audit_now = a;
	session_init(&a->s);
	a->s.record = audit_record;
	audit_must(session_open(&a->s), "open");
	a->forks_before = audit_kernel_forks();
	a->tasks_before = audit_kernel_tasks();
	audit_must(session_start(&a->s, buffer_kb, 64), "START");
	a->forks_begun = audit_kernel_forks();
	audit_drain(a);
	audit_walk(a, KTALLY_WALK_OPENING);
	for (size_t i = 0; i < a->room; i++)
		a->before += a->lives[i].what == AUDIT_ENDED;
}

/* --- the equations --- */

struct audit_sums {
	uint64_t dumped, ended_twice, alive, unbegun, unended;
	uint64_t wire[AUDIT_CLASSES][2];
};

static inline void audit_add_life(struct audit_sums *sum, const struct audit_life *l)
{
	bool begun = l->what & (AUDIT_FORKED | AUDIT_DUMPED);
	bool over = l->what & (AUDIT_ENDED | AUDIT_ALIVE);

	sum->dumped += begun && !(l->what & AUDIT_FORKED);
	sum->ended_twice += !!(l->what & AUDIT_TWICE);
	sum->alive += (l->what & AUDIT_ALIVE) && !(l->what & AUDIT_ENDED);
	sum->unbegun += !begun;
	sum->unended += begun && !over;
	for (int c = 0; c < AUDIT_CLASSES; c++)
		for (int way = 0; way < 2; way++)
			sum->wire[c][way] += l->wire[c][way];
}

/* dumped + forks = exits + alive, but for missed ends; and what was lost is all that lacks. */
static inline void audit_lives(const struct audit *a, const struct ktally_counts *c,
			       const struct audit_sums *sum)
{
	uint64_t forks = c->attempts[KTALLY_FORK];
	uint64_t exits = c->attempts[KTALLY_EXIT] - sum->ended_twice;
	uint64_t lacking = sum->dumped + a->before + forks - exits - sum->alive;

	printf("lives: %llu dumped + %llu before + %llu forks, %llu exits + %llu alive + %llu missed\n",
	       (unsigned long long)sum->dumped, (unsigned long long)a->before,
	       (unsigned long long)forks, (unsigned long long)exits,
	       (unsigned long long)sum->alive, (unsigned long long)a->missed);
	/* those of threads are missed as well */
	audit_check(lacking <= a->missed, "lives do not add up");
	audit_check(sum->unended <= c->lost[KTALLY_EXIT] + a->missed,
		    "%llu lives have no end, but only %llu exits are lost and %llu missed",
		    (unsigned long long)sum->unended, (unsigned long long)c->lost[KTALLY_EXIT],
		    (unsigned long long)a->missed);
	audit_check(sum->unbegun <= c->lost[KTALLY_FORK] + a->before,
		    "%llu lives have no beginning, but only %llu forks are lost",
		    (unsigned long long)sum->unbegun, (unsigned long long)c->lost[KTALLY_FORK]);
}

/* tasks before + begun = ended + missed + tasks now; to what the kernel did around START and END. */
static inline void audit_tasks(const struct audit *a, const struct ktally_counts *c, uint64_t slack)
{
	uint64_t begun = c->attempts[KTALLY_FORK] + c->threads;
	/* where a process ends twice, the second is a thread of it */
	uint64_t ended = c->attempts[KTALLY_EXIT] + c->attempts[KTALLY_THREAD_EXIT];
	uint64_t now = audit_kernel_tasks();
	int64_t apart = a->tasks_before + begun - ended - a->missed - now;

	printf("tasks: %llu before + %llu begun, %llu ended + %llu missed + %llu now\n",
	       (unsigned long long)a->tasks_before, (unsigned long long)begun,
	       (unsigned long long)ended, (unsigned long long)a->missed, (unsigned long long)now);
	audit_check(apart <= (int64_t)slack && -apart <= (int64_t)slack, "tasks do not add up");
}

/* Each packet is in one bucket; what sockets of a class had is shared out wholly. */
static inline void audit_parts(const struct ktally_device *d)
{
	bool class = d->flags & KTALLY_DEVICE_CLASS;
	uint64_t rx = 0, tx = 0;

	for (int i = 0; !class && i < KTALLY_B_KINDS; i++) {
		rx += d->bucket[i];
		tx += d->bucket[KTALLY_B_TX + i];
	}
	for (int i = 0; class && i < KTALLY_S_KINDS; i++) {
		rx += d->bucket[KTALLY_SC_COUNTERS * i + KTALLY_SC_RX_WIRE];
		tx += d->bucket[KTALLY_SC_COUNTERS * i + KTALLY_SC_TX_WIRE];
	}
	audit_check(rx == d->hook[KTALLY_N_RX_WIRE] && tx == d->hook[KTALLY_N_TX_WIRE],
		    "%s %s: parts are %llu and %llu bytes, the hooks saw %llu and %llu",
		    class ? "class" : "device", d->name, (unsigned long long)rx,
		    (unsigned long long)tx, (unsigned long long)d->hook[KTALLY_N_RX_WIRE],
		    (unsigned long long)d->hook[KTALLY_N_TX_WIRE]);
}

struct audit_net {
	uint64_t sockets[AUDIT_CLASSES][2];	/* devices' sockets */
	uint64_t shares[AUDIT_CLASSES][2];	/* the class's own count of that */
	uint64_t processes[AUDIT_CLASSES][2];
	uint64_t packets, devices;
};

static inline void audit_add_device(struct audit_net *net, const struct ktally_device *d)
{
	const __u64 *of = &d->bucket[KTALLY_SC_COUNTERS * KTALLY_S_PROCESS];
	unsigned int c = d->class;

	if (d->flags & (KTALLY_DEVICE_TABLES | KTALLY_DEVICE_KINDS) || c >= AUDIT_CLASSES)
		return;
	audit_parts(d);
	if (d->flags & KTALLY_DEVICE_CLASS) {
		net->shares[c][0] += d->hook[KTALLY_N_RX_WIRE];
		net->shares[c][1] += d->hook[KTALLY_N_TX_WIRE];
		net->processes[c][0] += of[KTALLY_SC_RX_WIRE];
		net->processes[c][1] += of[KTALLY_SC_TX_WIRE];
		return;
	}
	net->devices++;
	net->packets += d->hook[KTALLY_N_RX_PACKETS] + d->hook[KTALLY_N_TX_PACKETS];
	net->sockets[c][0] += d->bucket[KTALLY_B_SOCKET];
	net->sockets[c][1] += d->bucket[KTALLY_B_TX + KTALLY_B_SOCKET];
}

/* Lives add up to the class's processes, unless records that carry bytes were lost. */
static inline void audit_bytes(const struct audit *a, const struct ktally_counts *c,
			       const struct audit_sums *sum)
{
	bool whole = !c->lost[KTALLY_EXIT] && !c->lost[KTALLY_NET_LATE] &&
		     !c->lost[KTALLY_DEVICE] && !a->missed;
	static const char *const ways[] = { "received", "sent" };
	struct audit_net net = { 0 };

	for (const struct audit_device *d = a->devices; d; d = d->next)
		audit_add_device(&net, &d->newest);
	printf("network: %llu packets on %llu devices%s\n", (unsigned long long)net.packets,
	       (unsigned long long)net.devices, whole ? "" : ", records lost");
	for (int i = 0; i < 2 * AUDIT_CLASSES; i++) {
		unsigned long long lives = sum->wire[i / 2][i % 2];
		unsigned long long sockets = net.sockets[i / 2][i % 2];
		unsigned long long shares = net.shares[i / 2][i % 2];
		unsigned long long processes = net.processes[i / 2][i % 2];

		printf("class %d %s: sockets %llu = shares %llu, processes %llu = lives %llu\n",
		       i / 2, ways[i % 2], sockets, shares, processes, lives);
		audit_check(sockets == shares || c->lost[KTALLY_DEVICE],
			    "class %d: sockets' bytes are not shared out", i / 2);
		audit_check(whole ? lives == processes : lives <= processes,
			    "class %d: lives do not add up to the processes", i / 2);
	}
}

static inline void audit_forks(const struct audit *a, const struct ktally_counts *c,
			       uint64_t least, uint64_t most)
{
	uint64_t ours = c->attempts[KTALLY_FORK] + c->threads;

	printf("forks: %llu of processes and threads, the kernel counted %llu\n",
	       (unsigned long long)ours, (unsigned long long)(least - a->forks_begun));
	audit_check(least - a->forks_begun <= ours && ours <= most - a->forks_before,
		    "forks are not the kernel's");
}

/* Closing walk, END, everything read; returns how many equations do not hold. */
static inline unsigned int audit_close(struct audit *a)
{
	struct ktally_counts c = { .size = sizeof(c) };
	struct audit_sums sum = { 0 };
	const char *imbalance;
	uint64_t forks, later;
	int err;

	audit_walk(a, KTALLY_WALK_CLOSING);
	forks = audit_kernel_forks();
	while ((err = session_ioctl(&a->s, KTALLY_IOC_END, NULL)) == -EAGAIN)
		audit_drain(a);
	audit_must(err, "END");
	later = audit_kernel_forks();
	audit_drain(a);
	audit_must(session_ioctl(&a->s, KTALLY_IOC_COUNTS, &c), "COUNTS");
	imbalance = session_imbalance(&a->s);
	audit_check(!imbalance, "%s", imbalance);
	for (size_t i = 0; i < a->room; i++)
		if (a->lives[i].start)
			audit_add_life(&sum, &a->lives[i]);
	audit_lives(a, &c, &sum);
	audit_forks(a, &c, forks, later);
	audit_tasks(a, &c, later - forks + a->forks_begun - a->forks_before);
	audit_bytes(a, &c, &sum);
	return a->wrong;
}

#endif
