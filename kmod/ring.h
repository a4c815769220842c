/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - what is inside of a channel, for channel.c that writes, channel_read.c
 * that reads and channel_owner.c that begins and ends it. Nobody else looks in here.
 */
#ifndef KTALLY_RING_H
#define KTALLY_RING_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/relay.h>
#include <linux/u64_stats_sync.h>
#include <linux/wait.h>

#include "channel.h"

#define HEADER_LEN	(sizeof(struct ktally_record) + sizeof(struct ktally_header))
static_assert(HEADER_LEN % 8 == 0);

/* One CPU's share. Counters are written by that CPU only, interrupts off. */
struct kt_cpu {
	struct u64_stats_sync sync;	/* for 32-bit readers elsewhere */
	u64 seq;			/* attempts of all kinds */
	u64 threads;
	u64 attempts[KTALLY_KINDS];
	u64 lost[KTALLY_KINDS];
	u64 filtered[KTALLY_KINDS];

	/*
	 * Sub-buffers that readers may see: relay's own counter, published with
	 * release after the sub-buffer is complete, read with acquire.
	 */
	size_t produced;
	wait_queue_head_t wait;
	struct irq_work wake;
	struct mutex reading;		/* one reader at a time takes sub-buffers */
};

struct kt_channel {
	struct rchan *relay;
	struct kt_cpu __percpu *cpu;
	struct kt_channel_shape shape;
	struct mutex flushing;		/* offlined CPUs are flushed from here */
	bool finished;			/* set once, after the last record */
};

/* What relay calls at the switch of sub-buffers. */
extern struct rchan_callbacks kt_ring_callbacks;

/* Finished sub-buffers that nobody has read, overwritten ones included. */
static inline size_t kt_ring_waiting(struct kt_channel *ch, unsigned int cpu)
{
	struct rchan_buf *buf = *per_cpu_ptr(ch->relay->buf, cpu);
	struct kt_cpu *c = per_cpu_ptr(ch->cpu, cpu);

	/* Partner: smp_store_release() in start_subbuf(). */
	return smp_load_acquire(&c->produced) - READ_ONCE(buf->subbufs_consumed);
}

/* The same for the writer, on its own CPU. Readers alone move what is consumed. */
static inline size_t kt_ring_unread(const struct rchan_buf *buf)
{
	return buf->subbufs_produced - READ_ONCE(buf->subbufs_consumed);
}

#endif
