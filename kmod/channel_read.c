// SPDX-License-Identifier: GPL-2.0-only
/*
 * channel_read.c - the reader's side of a channel: one finished sub-buffer at a time,
 * the oldest that is whole. In flight mode writers overwrite what is read; a reader
 * notices and takes a newer one, so that what it gives is whole and in order.
 *
 * Process context, may sleep. Writers are never waited for, nor do they wait.
 */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "main.h"
#include "ring.h"

/* Nothing waits and nothing will come. */
static bool drained(struct kt_channel *ch, unsigned int cpu)
{
	/* Read first; partner: smp_store_release() in kt_channel_finish(). */
	return smp_load_acquire(&ch->finished) && !kt_ring_waiting(ch, cpu);
}

static int inconsistent(void)
{
	kt_disarm("a buffer's counters do not agree");
	return -EIO;
}

static ssize_t read_oldest(struct kt_channel *ch, unsigned int cpu, char __user *to)
{
	struct rchan_buf *buf = *per_cpu_ptr(ch->relay->buf, cpu);
	size_t i = buf->subbufs_consumed % ch->shape.subbufs;
	size_t len = ch->shape.subbuf_size - buf->padding[i];

	if (len > ch->shape.subbuf_size || kt_ring_waiting(ch, cpu) > ch->shape.subbufs ||
	    kt_inject(KT_FAULT_BUFFER))
		return inconsistent();
	if (copy_to_user(to, buf->start + i * ch->shape.subbuf_size, len))
		return -EFAULT;
	/*
	 * It must have been read before the writer may have it back. Partner: a writer stores
	 * there only once it has seen the count, in start_subbuf() or fits(). Not by
	 * relay_subbufs_consumed(), whose plain store is another CPU's to read.
	 */
	smp_store_release(&buf->subbufs_consumed, buf->subbufs_consumed + 1);
	return len;
}

/*
 * Flight: the writer waits for nobody. It is in the slot of the n-th newest sub-buffer
 * now, so n - 1 are whole, the oldest of them until the writer's next step. 1: copied
 * and whole; 0: overwritten meanwhile.
 */
static int copy_whole(struct kt_channel *ch, unsigned int cpu, size_t at, char __user *to,
		      size_t *len)
{
	struct rchan_buf *buf = *per_cpu_ptr(ch->relay->buf, cpu);
	size_t i = at % ch->shape.subbufs;

	/* Plain stores overwrite both meanwhile; what came of it is given up below. */
	*len = ch->shape.subbuf_size - data_race(READ_ONCE(buf->padding[i]));
	if (*len <= ch->shape.subbuf_size &&
	    data_race(copy_to_user(to, buf->start + i * ch->shape.subbuf_size, *len)))
		return -EFAULT;
	/* Copied before it is asked; partner: smp_wmb() in start_subbuf(). */
	smp_rmb();
	if (READ_ONCE(per_cpu_ptr(ch->cpu, cpu)->produced) - at >= ch->shape.subbufs)
		return 0;
	return *len <= ch->shape.subbuf_size ? 1 : inconsistent();
}

/* The oldest that is whole. Where the writer was faster, it goes on a little ahead of it. */
static ssize_t read_whole(struct kt_channel *ch, unsigned int cpu, char __user *to)
{
	struct rchan_buf *buf = *per_cpu_ptr(ch->relay->buf, cpu);
	size_t whole = ch->shape.subbufs - 1, ahead = 0, len;
	int got;

	do {
		size_t n = kt_ring_waiting(ch, cpu);

		/* Nobody but readers moves it, one at a time. */
		if (n > whole - ahead)
			WRITE_ONCE(buf->subbufs_consumed,
				   buf->subbufs_consumed + n - (whole - ahead));
		got = copy_whole(ch, cpu, buf->subbufs_consumed, to, &len);
		ahead = whole / 4;
	} while (!got && !fatal_signal_pending(current));
	if (got <= 0)
		return got ?: -EINTR;
	WRITE_ONCE(buf->subbufs_consumed, buf->subbufs_consumed + 1);
	return len;
}

static ssize_t read_subbuf(struct kt_channel *ch, unsigned int cpu, char __user *to)
{
	return ch->shape.flight ? read_whole(ch, cpu, to) : read_oldest(ch, cpu, to);
}

/* One finished sub-buffer; 0 when the session is over and all was read. */
ssize_t kt_channel_read(struct kt_channel *ch, unsigned int cpu,
			char __user *to, size_t size, bool wait)
{
	struct kt_cpu *c = per_cpu_ptr(ch->cpu, cpu);
	ssize_t n;

	if (size < ch->shape.subbuf_size)
		return -EINVAL;
	for (;;) {
		if (mutex_lock_interruptible(&c->reading))
			return -ERESTARTSYS;
		n = kt_ring_waiting(ch, cpu) ? read_subbuf(ch, cpu, to) : -EAGAIN;
		mutex_unlock(&c->reading);
		if (n != -EAGAIN)
			return n;
		if (drained(ch, cpu))
			return 0;
		if (!wait)
			return -EAGAIN;
		if (wait_event_interruptible(c->wait, kt_ring_waiting(ch, cpu) || drained(ch, cpu)))
			return -ERESTARTSYS;
	}
}

__poll_t kt_channel_poll(struct kt_channel *ch, unsigned int cpu,
			 struct file *file, poll_table *table)
{
	struct kt_cpu *c = per_cpu_ptr(ch->cpu, cpu);

	poll_wait(file, &c->wait, table);
	/* On the queue before looking; partner: wq_has_sleeper() in start_subbuf(). */
	smp_mb();
	if (kt_ring_waiting(ch, cpu))
		return EPOLLIN | EPOLLRDNORM;
	return drained(ch, cpu) ? EPOLLIN | EPOLLHUP : 0;
}
