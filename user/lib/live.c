// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * live.c - a session on /dev/ktally: starts it, reads finished sub-buffers of every
 * CPU as they come, goes on when CPUs come up. All ioctls of the library are here.
 * Waits only where the caller asked for it; never blocks in a read.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "error.h"
#include "ktally.h"

#define READY_AT_ONCE	64
#define FROM_DEVICE	UINT32_MAX	/* epoll data of the device itself; else the CPU */

struct ktally_live {
	struct error error;
	const char *device;
	struct ktally_redact *redact;	/* the caller's, or NULL */
	int fd, epoll;
	int *cpus;			/* descriptor by CPU, -1 = none yet or drained */
	bool *opened;
	uint32_t walk_cursor;		/* 0: no walk has begun */
	uint32_t snapshot_cursor;	/* the same */
	struct ktally_start start;
	struct epoll_event ready[READY_AT_ONCE];
	int n_ready;
	void *buf;
};

/* ---- words ---- */

static int no_session(struct ktally_live *l, int err, bool boot)
{
	switch (-err) {
	case EUSERS:
		return error_set(&l->error, err, "all %d sessions are in use; see who has them with: ktally status",
				 KTALLY_SESSIONS);
	case ENOENT:
		if (boot)
			return error_set(&l->error, err, "there is no boot session (any more); load the module with boot=1");
		break;
	case E2BIG:
	case EINVAL:
		return error_set(&l->error, err, "the module refuses this session: a value is out of range, or module and program are of different versions; see: ktally status");
	case ENOBUFS:
		return error_set(&l->error, err, "the sessions' buffers together would pass the module's limit; ask for less with --buffer, or raise the parameter max_kb");
	case ENOMEM:
		return error_set(&l->error, err, "no memory for the buffers; ask for less with --buffer, or end another session (ktally status)");
	case ESHUTDOWN:
		return error_set(&l->error, err, "the module found itself inconsistent and stopped its probes; why: dmesg | grep ktally, then: ktally unload, ktally load");
	case EPERM:
	case EACCES:
		return error_set(&l->error, err, "the module refuses this session: permission denied; try as root");
	case ENOTTY:
		return error_set(&l->error, err, "%s is not the device of ktally's module", l->device);
	}
	return error_set(&l->error, err, "can't start a session: %s", strerror(-err));
}

static int failed(struct ktally_live *l, const char *what)
{
	int err = -errno;

	return error_set(&l->error, err, "%s: can't %s: %s", l->device, what, strerror(-err));
}

/* ---- opening ---- */

static int watch(struct ktally_live *l, int fd, uint32_t events, uint32_t data)
{
	struct epoll_event e = { .events = events, .data.u32 = data };

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) ? failed(l, "watch a buffer") : 0;
}

/* ENODEV: that CPU has no buffer yet; it is announced when it comes up. */
static int open_cpu(struct ktally_live *l, uint32_t cpu)
{
	int fd = ioctl(l->fd, KTALLY_IOC_CPU, (unsigned long)cpu);

	if (fd < 0)
		return errno == ENODEV ? 0 : failed(l, "read a CPU's buffer");
	l->cpus[cpu] = fd;
	l->opened[cpu] = true;
	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		return failed(l, "read a CPU's buffer");
	return watch(l, fd, EPOLLIN, cpu);
}

static int open_cpus(struct ktally_live *l)
{
	struct ktally_counts c;
	int ret = ktally_live_counts(l, &c);	/* says that we know of those there are now */

	for (uint32_t cpu = 0; cpu < l->start.cpus && !ret; cpu++)
		if (!l->opened[cpu])
			ret = open_cpu(l, cpu);
	return ret;
}

static int make_room(struct ktally_live *l)
{
	l->cpus = malloc(l->start.cpus * sizeof(*l->cpus));
	l->opened = calloc(l->start.cpus, sizeof(*l->opened));
	l->buf = malloc(l->start.subbuf_size);
	if (!l->cpus || !l->opened || !l->buf)
		return error_set(&l->error, -ENOMEM, "out of memory");
	memset(l->cpus, -1, l->start.cpus * sizeof(*l->cpus));
	return 0;
}

static int start_session(struct ktally_live *l, const struct ktally_live_options *o)
{
	l->start = (struct ktally_start){
		.size = sizeof(l->start),
		.flags = (o->boot ? KTALLY_START_BOOT : 0) | (o->flight ? KTALLY_START_FLIGHT : 0),
		.kinds = o->kinds,
		.buffer_kb = o->buffer_kb, .subbuf_kb = o->subbuf_kb,
		.filter = o->filter, .uid = o->uid, .cgroup = o->cgroup,
		.pidns = o->pidns, .netns = o->netns,
	};
	if (ioctl(l->fd, KTALLY_IOC_START, &l->start))
		return no_session(l, -errno, o->boot);
	if (l->start.api != KTALLY_API_VERSION)
		return error_set(&l->error, -EPROTO, "the module speaks API %u, this ktally %s speaks %u; install the same version of both",
				 l->start.api, ktally_version(), KTALLY_API_VERSION);
	return 0;
}

static int set_select(struct ktally_live *l, const struct ktally_select *select)
{
	struct ktally_select s = *select;

	s.size = sizeof(s);
	return ioctl(l->fd, KTALLY_IOC_SELECT, &s) ? -errno : 0;
}

int ktally_live_select(struct ktally_live *l, const struct ktally_select *select)
{
	int err = set_select(l, select);

	switch (-err) {
	case 0:
		return 0;
	case ESRCH:
		return error_set(&l->error, err, "one of the processes to record is not there (any more)");
	case ENOTTY:
	case E2BIG:
		return error_set(&l->error, err, "the module is older than this ktally %s and can't select processes; install the same version of both",
				 ktally_version());
	}
	return error_set(&l->error, err, "%s: can't select processes: %s", l->device, strerror(-err));
}

int ktally_live_open(struct ktally_live **out, const struct ktally_live_options *o)
{
	static const struct ktally_live_options none;
	struct ktally_live *l = calloc(1, sizeof(*l));
	int ret;

	*out = l;
	if (!l)
		return -ENOMEM;
	if (!o)
		o = &none;
	l->device = o->device ? o->device : DEVICE_PATH;
	l->redact = o->redact;
	l->epoll = -1;
	l->fd = device_open(l->device, &l->error);
	if (l->fd < 0)
		return l->fd;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0)
		return failed(l, "wait for it");
	ret = o->select ? ktally_live_select(l, o->select) : 0;
	if (!ret)
		ret = start_session(l, o);
	if (!ret)
		ret = make_room(l);
	if (!ret)
		ret = open_cpus(l);
	return ret ? ret : watch(l, l->fd, EPOLLPRI, FROM_DEVICE);
}

/* ---- reading ---- */

/* A CPU that has nothing more ever: its descriptor would be ready for ever. */
static void close_cpu(struct ktally_live *l, uint32_t cpu)
{
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->cpus[cpu], NULL);
	close(l->cpus[cpu]);
	l->cpus[cpu] = -1;
}

static int look(struct ktally_live *l)
{
	l->n_ready = epoll_wait(l->epoll, l->ready, READY_AT_ONCE, 0);
	if (l->n_ready >= 0)
		return 0;
	l->n_ready = 0;
	return errno == EINTR ? 0 : failed(l, "wait for it");
}

/* The header is frozen, so its version can be told before anything is decoded. */
static int check_stream(struct ktally_live *l, long n)
{
	const struct ktally_header *h = (const void *)((const struct ktally_record *)l->buf + 1);

	if ((size_t)n < sizeof(struct ktally_record) + sizeof(*h) || h->magic != KTALLY_MAGIC ||
	    h->version == KTALLY_STREAM_VERSION)
		return 0;
	return error_set(&l->error, -EPROTO, "the module's stream has version %u, this ktally %s reads %u; install the same version of both",
			 h->version, ktally_version(), KTALLY_STREAM_VERSION);
}

static long read_cpu(struct ktally_live *l, uint32_t cpu)
{
	int err;
	long n;

	if (l->cpus[cpu] < 0)
		return 0;
	n = read(l->cpus[cpu], l->buf, l->start.subbuf_size);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : failed(l, "read a buffer");
	if (n == 0)
		close_cpu(l, cpu);
	err = check_stream(l, n);
	if (!err && n && l->redact && ktally_redact_subbuf(l->redact, l->buf, (size_t)n))
		err = error_set(&l->error, -EBADMSG, "the module gave bytes that can't be read, so no secret in them can be overwritten; see the kernel log");
	return err ? err : n;
}

long ktally_live_read(struct ktally_live *l, const void **buf, uint32_t *cpu)
{
	bool looked = false;

	for (;;) {
		uint32_t which;
		long n;

		if (!l->n_ready) {
			n = looked ? 0 : look(l);
			looked = true;
			if (n || !l->n_ready)
				return n;
		}
		which = l->ready[--l->n_ready].data.u32;
		if (which == FROM_DEVICE) {
			n = open_cpus(l);
			looked = looked && n;
		} else {
			n = read_cpu(l, which);
			/* One at its end made room among the ready, where others may wait behind it. */
			looked = looked && (n || l->cpus[which] >= 0);
		}
		if (!n)
			continue;
		*buf = l->buf;
		*cpu = which;
		return n;
	}
}

int ktally_live_wait(struct ktally_live *l, int timeout_ms, int extra_fd)
{
	struct pollfd p[2] = {
		{ .fd = l->epoll, .events = POLLIN },
		{ .fd = extra_fd, .events = POLLIN },	/* -1 is passed over by poll() */
	};

	if (l->n_ready)
		return 1;
	if (poll(p, 2, timeout_ms) < 0)
		return errno == EINTR ? 0 : failed(l, "wait for it");
	return p[0].revents ? 1 : 0;
}

/* ---- the session's ioctls ---- */

int ktally_live_walk(struct ktally_live *l, enum ktally_purpose purpose)
{
	struct ktally_walk w = {
		.size = sizeof(w), .purpose = purpose, .cursor = l->walk_cursor,
	};

	if (ioctl(l->fd, KTALLY_IOC_WALK, &w))
		return errno == EAGAIN ? 1 : failed(l, "list the living processes");
	l->walk_cursor = w.cursor;
	return w.cursor != 0;
}

int ktally_live_snapshot(struct ktally_live *l, uint32_t flags, const uint32_t *pids, size_t n_pids)
{
	struct ktally_snapshot s = {
		.size = sizeof(s), .flags = flags, .cursor = l->snapshot_cursor,
		.n_pids = (uint32_t)n_pids, .pids = (uint64_t)(uintptr_t)pids,
	};

	if (ioctl(l->fd, KTALLY_IOC_SNAPSHOT, &s))
		return errno == EAGAIN ? 1 : failed(l, "look at the living processes");
	l->snapshot_cursor = s.cursor;
	return s.cursor != 0;
}

int ktally_live_flush(struct ktally_live *l)
{
	if (!ioctl(l->fd, KTALLY_IOC_FLUSH))
		return 0;
	return errno == EAGAIN ? -EAGAIN : failed(l, "flush its buffers");
}

int ktally_live_end(struct ktally_live *l)
{
	if (!ioctl(l->fd, KTALLY_IOC_END))
		return 0;
	return errno == EAGAIN ? -EAGAIN : failed(l, "end the session");
}

int ktally_live_counts(struct ktally_live *l, struct ktally_counts *c)
{
	memset(c, 0, sizeof(*c));
	c->size = sizeof(*c);
	return ioctl(l->fd, KTALLY_IOC_COUNTS, c) ? failed(l, "read its counters") : 0;
}

const struct ktally_start *ktally_live_start(const struct ktally_live *l)
{
	return &l->start;
}

int ktally_live_fd(const struct ktally_live *l)
{
	return l->epoll;
}

const char *ktally_live_error(const struct ktally_live *l)
{
	return error_text(l ? &l->error : NULL);
}

void ktally_live_close(struct ktally_live *l)
{
	if (!l)
		return;
	for (uint32_t cpu = 0; l->cpus && cpu < l->start.cpus; cpu++)
		if (l->cpus[cpu] >= 0)
			close(l->cpus[cpu]);
	if (l->epoll >= 0)
		close(l->epoll);
	if (l->fd >= 0)
		close(l->fd);
	free(l->cpus);
	free(l->opened);
	free(l->buf);
	free(l);
}
