/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - the least a test needs to speak with /dev/ktally itself: begin a
 * session, read what its CPUs have, count records by kind. Every function
 * returns 0 or -errno, so that a test can tell which call refused and why.
 */
#ifndef KTALLY_TEST_SESSION_H
#define KTALLY_TEST_SESSION_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/ktally.h>

#define SESSION_CPUS 8

struct session {
	int fd;
	int cpu[SESSION_CPUS];		/* -1: not open */
	struct ktally_start start;
	uint64_t seen[KTALLY_KINDS];	/* records read, by kind */
	void (*record)(const struct ktally_common *record);	/* told of each, or NULL */
	char *buffer;
};

static inline int session_ioctl(const struct session *s, unsigned long request, void *arg)
{
	return ioctl(s->fd, request, arg) < 0 ? -errno : 0;
}

static inline void session_init(struct session *s)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	for (int i = 0; i < SESSION_CPUS; i++)
		s->cpu[i] = -1;
}

static inline int session_open(struct session *s)
{
	s->fd = open("/dev/ktally", O_RDWR | O_CLOEXEC);
	return s->fd < 0 ? -errno : 0;
}

static inline int session_start(struct session *s, unsigned int buffer_kb, unsigned int subbuf_kb)
{
	memset(&s->start, 0, sizeof(s->start));
	s->start.size = sizeof(s->start);
	s->start.buffer_kb = buffer_kb;
	s->start.subbuf_kb = subbuf_kb;
	return session_ioctl(s, KTALLY_IOC_START, &s->start);
}

static inline int session_open_cpu(struct session *s, unsigned int cpu)
{
	s->cpu[cpu] = ioctl(s->fd, KTALLY_IOC_CPU, (unsigned long)cpu);
	if (s->cpu[cpu] < 0)
		return -errno;
	fcntl(s->cpu[cpu], F_SETFL, O_NONBLOCK);
	return 0;
}

/* A descriptor for every CPU that has a buffer and has none of ours yet. */
static inline int session_open_cpus(struct session *s)
{
	for (unsigned int i = 0; i < s->start.cpus && i < SESSION_CPUS; i++) {
		int err = s->cpu[i] >= 0 ? 0 : session_open_cpu(s, i);

		if (err && err != -ENODEV)
			return err;
	}
	return 0;
}

/* Count the records of one sub-buffer; -EPROTO: not laid out as it should be. */
static inline int session_count(struct session *s, const char *at, size_t size)
{
	while (size) {
		const struct ktally_record *r = (const void *)at;
		const struct ktally_common *c = (const void *)(r + 1);

		if (size < sizeof(*r) + sizeof(*c) || r->len > size || r->len % 8 ||
		    r->len < sizeof(*r) + sizeof(*c) || c->type >= KTALLY_KINDS)
			return -EPROTO;
		s->seen[c->type]++;
		if (s->record)
			s->record(c);
		at += r->len;
		size -= r->len;
	}
	return 0;
}

/* Read everything that CPU has finished. */
static inline int session_drain_cpu(struct session *s, unsigned int cpu)
{
	ssize_t n;

	if (!s->buffer)
		s->buffer = malloc(s->start.subbuf_size);
	if (!s->buffer)
		return -ENOMEM;
	while ((n = read(s->cpu[cpu], s->buffer, s->start.subbuf_size)) > 0) {
		int err = session_count(s, s->buffer, n);

		if (err)
			return err;
	}
	return n < 0 && errno != EAGAIN ? -errno : 0;
}

static inline int session_drain(struct session *s)
{
	for (unsigned int i = 0; i < SESSION_CPUS; i++) {
		int err = s->cpu[i] < 0 ? 0 : session_drain_cpu(s, i);

		if (err)
			return err;
	}
	return 0;
}

/* A whole walk, drained as it goes. */
static inline int session_walk(struct session *s, unsigned int purpose)
{
	struct ktally_walk w = { .size = sizeof(w), .purpose = purpose };
	int err;

	do {
		err = session_ioctl(s, KTALLY_IOC_WALK, &w);
		if (err && err != -EAGAIN)
			return err;
		if (err == -EAGAIN)
			session_ioctl(s, KTALLY_IOC_FLUSH, NULL);
		if (session_drain(s))
			return -EIO;
	} while (err || w.cursor);
	return 0;
}

/* A whole snapshot: how carries flags and pids in, `idle` and `written` of all calls out. */
static inline int session_snapshot(struct session *s, struct ktally_snapshot *how)
{
	struct ktally_snapshot w = *how;
	int err;

	how->written = how->idle = 0;
	w.size = sizeof(w);
	w.cursor = 0;
	do {
		err = session_ioctl(s, KTALLY_IOC_SNAPSHOT, &w);
		if (err && err != -EAGAIN)
			return err;
		if (!err) {
			how->written += w.written;
			how->idle += w.idle;
			how->walk = w.walk;
		} else {
			session_ioctl(s, KTALLY_IOC_FLUSH, NULL);
		}
		if (session_drain(s))
			return -EIO;
	} while (err || w.cursor);
	session_ioctl(s, KTALLY_IOC_FLUSH, NULL);
	return session_drain(s);
}

/* Attempts = records read + losses, for every kind that is attempted. */
static inline const char *session_imbalance(struct session *s)
{
	static char text[128];
	struct ktally_counts c = { .size = sizeof(c) };
	int err = session_ioctl(s, KTALLY_IOC_COUNTS, &c);

	if (err)
		return strerror(-err);
	for (int k = 0; k < KTALLY_KINDS; k++) {
		if (k == KTALLY_HEADER || c.attempts[k] == s->seen[k] + c.lost[k])
			continue;
		snprintf(text, sizeof(text), "kind %d: %llu attempts, %llu read, %llu lost", k,
			 (unsigned long long)c.attempts[k], (unsigned long long)s->seen[k],
			 (unsigned long long)c.lost[k]);
		return text;
	}
	return NULL;
}

static inline void session_close(struct session *s)
{
	for (int i = 0; i < SESSION_CPUS; i++)
		if (s->cpu[i] >= 0)
			close(s->cpu[i]);
	if (s->fd >= 0)
		close(s->fd);
	free(s->buffer);
	session_init(s);
}

#endif
