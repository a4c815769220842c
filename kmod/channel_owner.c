// SPDX-License-Identifier: GPL-2.0-only
/*
 * channel_owner.c - the owner's side of a channel: opens and closes it, finishes
 * begun sub-buffers on their own CPUs, says how many records there were. Process
 * context, may sleep; writers are never waited for.
 */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "ring.h"

/* Bytes free in this CPU's buffer: a hint, for the caller may move on. */
size_t kt_channel_room(struct kt_channel *ch)
{
	struct rchan_buf *buf;
	unsigned long flags;
	size_t unread, room = 0;

	local_irq_save(flags);
	buf = *this_cpu_ptr(ch->relay->buf);
	if (buf) {
		unread = ch->shape.flight ? 0 : kt_ring_unread(buf);
		room = (ch->shape.subbufs - min_t(size_t, unread, ch->shape.subbufs)) *
		       (ch->shape.subbuf_size - HEADER_LEN);
		room -= min_t(size_t, room, buf->offset);
	}
	local_irq_restore(flags);
	return room;
}

/*
 * Does the begun sub-buffer hold records? Asked from elsewhere it is a hint, for relay
 * goes on there with plain stores.
 */
static bool holds_records(struct rchan_buf *buf)
{
	size_t offset = data_race(READ_ONCE(buf->offset));

	return offset > HEADER_LEN && offset <= buf->chan->subbuf_size;
}

/* On buf's own CPU, or anywhere when that is offline. */
static void finish_subbuf(void *data)
{
	struct rchan_buf *buf = data;
	unsigned long flags;

	local_irq_save(flags);
	if (holds_records(buf))
		relay_switch_subbuf(buf, 0);
	local_irq_restore(flags);
}

static int flush_cpu(struct kt_channel *ch, unsigned int cpu, bool force)
{
	struct rchan_buf *buf = *per_cpu_ptr(ch->relay->buf, cpu);

	if (!buf || !holds_records(buf))
		return 0;
	/* A flush spends a sub-buffer: a reader that lags has to drain first. */
	if (!force && !ch->shape.flight && kt_ring_waiting(ch, cpu) >= ch->shape.subbufs / 2)
		return -EAGAIN;
	if (cpu_online(cpu))
		return smp_call_function_single(cpu, finish_subbuf, buf, 1);
	finish_subbuf(buf);
	return 0;
}

/*
 * Finishes every begun sub-buffer that holds records. Whoever asked for it finds all of
 * them ready then: waking is an interrupt's work that may be on its way, or a thread's
 * that has yet to run on PREEMPT_RT.
 */
int kt_channel_flush(struct kt_channel *ch, bool force)
{
	unsigned int cpu;
	int err = 0;

	mutex_lock(&ch->flushing);
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		err = flush_cpu(ch, cpu, force) ?: err;
		irq_work_sync(&per_cpu_ptr(ch->cpu, cpu)->wake);
	}
	cpus_read_unlock();
	mutex_unlock(&ch->flushing);
	return err;
}

/* After the last record: readers get what is left and then the end. */
void kt_channel_finish(struct kt_channel *ch)
{
	unsigned int cpu;

	kt_channel_flush(ch, true);
	/* Partner: drained() in channel_read.c. */
	smp_store_release(&ch->finished, true);
	for_each_possible_cpu(cpu)
		wake_up_interruptible_all(&per_cpu_ptr(ch->cpu, cpu)->wait);
}

/* Relay stores a buffer plainly, made whole, long before its CPU runs. */
bool kt_channel_has_cpu(struct kt_channel *ch, unsigned int cpu)
{
	return cpu < nr_cpu_ids && cpu_possible(cpu) &&
	       data_race(READ_ONCE(*per_cpu_ptr(ch->relay->buf, cpu)));
}

/* CPUs that have a buffer: it only ever grows. */
unsigned int kt_channel_cpus(struct kt_channel *ch)
{
	unsigned int cpu, n = 0;

	for_each_possible_cpu(cpu)
		n += kt_channel_has_cpu(ch, cpu);
	return n;
}

static void add_counts(const struct kt_cpu *c, struct ktally_counts *sum, unsigned int kind)
{
	u64 attempts, lost, filtered;
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&c->sync);
		attempts = READ_ONCE(c->attempts[kind]);
		lost = READ_ONCE(c->lost[kind]);
		filtered = READ_ONCE(c->filtered[kind]);
	} while (u64_stats_fetch_retry(&c->sync, start));
	sum->attempts[kind] += attempts;
	sum->lost[kind] += lost;
	sum->filtered[kind] += filtered;
}

/* One of c's counters, of which 32-bit machines read a half at a time. */
static u64 counter_of(const struct kt_cpu *c, const u64 *counter)
{
	unsigned int start;
	u64 n;

	do {
		start = u64_stats_fetch_begin(&c->sync);
		n = READ_ONCE(*counter);
	} while (u64_stats_fetch_retry(&c->sync, start));
	return n;
}

void kt_channel_counts(struct kt_channel *ch, struct ktally_counts *sum)
{
	unsigned int cpu, kind;

	for_each_possible_cpu(cpu) {
		const struct kt_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		for (kind = 0; kind < KTALLY_KINDS; kind++)
			add_counts(c, sum, kind);
		sum->threads += counter_of(c, &c->threads);
	}
	sum->cpus = kt_channel_cpus(ch);
}

/* Records wanted so far by kind, added to sum. */
void kt_channel_attempts(const struct kt_channel *ch, u64 sum[KTALLY_KINDS])
{
	unsigned int cpu, kind;

	for_each_possible_cpu(cpu) {
		const struct kt_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		for (kind = 0; kind < KTALLY_KINDS; kind++)
			sum[kind] += counter_of(c, &c->attempts[kind]);
	}
}

const struct kt_channel_shape *kt_channel_shape(const struct kt_channel *ch)
{
	return &ch->shape;
}

static void wake_reader(struct irq_work *work)
{
	struct kt_cpu *c = container_of(work, struct kt_cpu, wake);

	wake_up_interruptible_all(&c->wait);
}

static void init_cpu(struct kt_cpu *c)
{
	u64_stats_init(&c->sync);
	init_waitqueue_head(&c->wait);
	init_irq_work(&c->wake, wake_reader);
	mutex_init(&c->reading);
}

struct kt_channel *kt_channel_open(const struct kt_channel_shape *shape)
{
	struct kt_channel *ch;
	unsigned int cpu;

	ch = kzalloc(sizeof(*ch), GFP_KERNEL);
	if (!ch)
		return NULL;
	ch->shape = *shape;
	mutex_init(&ch->flushing);
	ch->cpu = alloc_percpu(struct kt_cpu);
	if (!ch->cpu)
		goto free_channel;
	for_each_possible_cpu(cpu)
		init_cpu(per_cpu_ptr(ch->cpu, cpu));
	/* A CPU that came up in between would have no buffer. */
	cpus_read_lock();
	ch->relay = relay_open(NULL, NULL, shape->subbuf_size, shape->subbufs, &kt_ring_callbacks,
			       ch);
	cpus_read_unlock();
	if (!ch->relay)
		goto free_cpu;
	return ch;

free_cpu:
	free_percpu(ch->cpu);
free_channel:
	kfree(ch);
	return NULL;
}

/* No writer, reader or waiter is left. */
void kt_channel_close(struct kt_channel *ch)
{
	unsigned int cpu;

	relay_close(ch->relay);
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(ch->cpu, cpu)->wake);
	free_percpu(ch->cpu);
	kfree(ch);
}
