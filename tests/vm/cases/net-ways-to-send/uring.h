/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uring.h - one request at a time through an io_uring, without a library. */
#ifndef URING_H
#define URING_H
#include <linux/io_uring.h>
#include <stdbool.h>
#include "truth.h"

struct uring {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

static inline int uring_setup(struct io_uring_params *p)
{
	memset(p, 0, sizeof(*p));
	return (int)syscall(__NR_io_uring_setup, 4, p);
}

static inline bool uring_there(void)
{
	struct io_uring_params p;
	int fd = uring_setup(&p);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static inline void *uring_map(int fd, size_t size, off_t at)
{
	void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, at);

	need(m != MAP_FAILED, "ring");
	return m;
}

static inline void uring_open(struct uring *r)
{
	struct io_uring_params p;
	char *sq, *cq;

	r->fd = uring_setup(&p);
	need(r->fd >= 0, "io_uring");
	sq = uring_map(r->fd, p.sq_off.array + p.sq_entries * sizeof(unsigned int), IORING_OFF_SQ_RING);
	cq = uring_map(r->fd, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	r->sqes = uring_map(r->fd, p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	r->sq_tail = (void *)(sq + p.sq_off.tail);
	r->sq_mask = (void *)(sq + p.sq_off.ring_mask);
	r->sq_array = (void *)(sq + p.sq_off.array);
	r->cq_head = (void *)(cq + p.cq_off.head);
	r->cq_tail = (void *)(cq + p.cq_off.tail);
	r->cq_mask = (void *)(cq + p.cq_off.ring_mask);
	r->cqes = (void *)(cq + p.cq_off.cqes);
}

/* Hands in one request and waits for its result: bytes, or -errno. */
static inline int uring_io(struct uring *r, int op, int fd, void *buf, unsigned int len, int flags)
{
	unsigned int at = *r->sq_tail & *r->sq_mask, head = *r->cq_head;
	struct io_uring_sqe *e = &r->sqes[at];
	int result;

	memset(e, 0, sizeof(*e));
	e->opcode = (unsigned char)op;
	e->fd = fd;
	e->addr = (uintptr_t)buf;
	e->len = len;
	e->flags = (unsigned char)flags;
	r->sq_array[at] = at;
	__atomic_store_n(r->sq_tail, *r->sq_tail + 1, __ATOMIC_RELEASE);
	need(syscall(__NR_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1, "enter");
	while (__atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE) == head)
		syscall(__NR_io_uring_enter, r->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	result = r->cqes[head & *r->cq_mask].res;
	__atomic_store_n(r->cq_head, head + 1, __ATOMIC_RELEASE);
	return result;
}
#endif
