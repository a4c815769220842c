// SPDX-License-Identifier: GPL-2.0-only
/*
 * channel.c - HOT: the relay channel behind one session. Writers reserve and
 * fill in their own CPU's buffer with interrupts off, so no lock is shared
 * between CPUs; what does not fit is counted by kind, or in flight mode takes the
 * place of the oldest sub-buffer. Readers are shown finished sub-buffers only. Every
 * sub-buffer opens with a header that carries the attempts so far, from which a
 * reader knows every loss.
 *
 * Writers may run in any context but NMI; readers and the owner in process
 * context. Nothing here knows what the records mean.
 */
#include <linux/cpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "main.h"
#include "ring.h"

/* --- the switch of sub-buffers: writer's CPU, interrupts off --- */

static void count(struct kt_cpu *c, u64 *counter)
{
	u64_stats_update_begin(&c->sync);
	WRITE_ONCE(*counter, *counter + 1);
	u64_stats_update_end(&c->sync);
}

static void lay_header(struct kt_channel *ch, struct kt_cpu *c, u32 cpu, void *to)
{
	struct ktally_record *frame = to;
	struct ktally_header *h = (void *)(frame + 1);
	u64 now = ktime_get_boottime_ns();

	*frame = (struct ktally_record){
		.len = HEADER_LEN, .seq = (u32)c->seq, .time = now,
	};
	h->common = (struct ktally_common){ .type = KTALLY_HEADER };
	h->magic = KTALLY_MAGIC;
	h->version = KTALLY_STREAM_VERSION;
	h->cpu = cpu;
	h->session = ch->shape.session;
	h->load_id = kt_load_id;
	h->first_seq = c->seq;
	h->boottime = now;
	h->realtime = ktime_get_real_ns();
	h->threads = c->threads;
	memcpy(h->attempts, c->attempts, sizeof(h->attempts));
	memcpy(h->filtered, c->filtered, sizeof(h->filtered));
}

static int start_subbuf(struct rchan_buf *buf, void *subbuf, void *prev)
{
	struct kt_channel *ch = buf->chan->private_data;
	struct kt_cpu *c = per_cpu_ptr(ch->cpu, buf->cpu);

	if (prev) {
		/* Partner: smp_load_acquire() in kt_ring_waiting(). */
		smp_store_release(&c->produced, buf->subbufs_produced);
		/* Told before it is overwritten; partner: smp_rmb() in copy_whole(). */
		smp_wmb();
		/* wq_has_sleeper() has the barrier; partner: prepare_to_wait(). */
		if (wq_has_sleeper(&c->wait))
			irq_work_queue(&c->wake);
	}
	if (!ch->shape.flight && relay_buf_full(buf))
		return 0;
	subbuf_start_reserve(buf, HEADER_LEN);
	lay_header(ch, c, buf->cpu, subbuf);
	return 1;
}

static int __maybe_unused start_subbuf4(struct rchan_buf *buf, void *subbuf, void *prev,
					size_t prev_padding)
{
	return start_subbuf(buf, subbuf, prev);
}

/* Must never fail: relay would drop the buffer of CPU 0. It is not looked at. */
static struct dentry *create_buf_file(const char *name, struct dentry *parent, umode_t mode,
				      struct rchan_buf *buf, int *is_global)
{
	static struct dentry no_file;

	return &no_file;
}

static int remove_buf_file(struct dentry *dentry)
{
	return 0;
}

/* Not const: relay of 5.10 fills in what is missing. */
static struct rchan_callbacks callbacks = {
	.subbuf_start = __builtin_choose_expr(KT_SUBBUF_START_3, start_subbuf, start_subbuf4),
	.create_buf_file = create_buf_file,
	.remove_buf_file = remove_buf_file,
};

static void wake_reader(struct irq_work *work)
{
	struct kt_cpu *c = container_of(work, struct kt_cpu, wake);

	wake_up_interruptible_all(&c->wait);
}

/* --- writers --- */

/* Has buf room for len bytes now? Own CPU, interrupts off. */
static bool fits(const struct kt_channel *ch, struct rchan_buf *buf, size_t len)
{
	size_t unread = buf->subbufs_produced - READ_ONCE(buf->subbufs_consumed);

	if (ch->shape.flight || buf->offset + len <= buf->chan->subbuf_size)
		return true;
	/* The begun one is finished first, unless it could not be begun. */
	if (buf->offset <= buf->chan->subbuf_size)
		unread++;
	return unread < buf->chan->n_subbufs;
}

static bool write_here(struct kt_channel *ch, const struct kt_record *r, u32 len, bool try)
{
	struct rchan_buf *buf = *this_cpu_ptr(ch->relay->buf);
	struct kt_cpu *c = this_cpu_ptr(ch->cpu);
	void *slot = NULL;

	if (try && (!buf || !fits(ch, buf, len)))
		return false;
	/* A CPU may run before relay has made its buffer: that is a loss. */
	if (likely(buf))
		slot = relay_reserve(ch->relay, len);
	if (likely(slot))
		kt_lay(slot, len, r, (u32)c->seq, ktime_get_boottime_ns(), current->pid);
	else
		count(c, &c->lost[r->kind]);
	count(c, &c->attempts[r->kind]);
	c->seq++;
	return slot;
}

static bool write_record(struct kt_channel *ch, const struct kt_record *r, bool try)
{
	u32 len = kt_record_len(r);
	unsigned long flags;
	bool written;

	/* Relay would finish a sub-buffer before it found the record too long. */
	if (unlikely(len > KTALLY_RECORD_MAX || r->kind >= KTALLY_KINDS) ||
	    kt_inject(KT_FAULT_RECORD)) {
		kt_disarm("a record is too long");
		return false;
	}
	local_irq_save(flags);
	written = write_here(ch, r, len, try);
	local_irq_restore(flags);
	return written;
}

/* Writes r, or counts it as lost and returns false. */
bool kt_channel_write(struct kt_channel *ch, const struct kt_record *r)
{
	return write_record(ch, r, false);
}

/* Writes r if there is room; else nothing happened and nothing is counted. */
bool kt_channel_try(struct kt_channel *ch, const struct kt_record *r)
{
	return write_record(ch, r, true);
}

static void count_here(struct kt_channel *ch, size_t offset)
{
	unsigned long flags;
	struct kt_cpu *c;

	local_irq_save(flags);
	c = this_cpu_ptr(ch->cpu);
	count(c, (u64 *)((char *)c + offset));
	local_irq_restore(flags);
}

void kt_channel_refuse(struct kt_channel *ch, unsigned int kind)
{
	count_here(ch, offsetof(struct kt_cpu, filtered) + kind * sizeof(u64));
}

void kt_channel_thread(struct kt_channel *ch)
{
	count_here(ch, offsetof(struct kt_cpu, threads));
}

/* Bytes free in this CPU's buffer: a hint, for the caller may move on. */
size_t kt_channel_room(struct kt_channel *ch)
{
	struct rchan_buf *buf;
	unsigned long flags;
	size_t unread, room = 0;

	local_irq_save(flags);
	buf = *this_cpu_ptr(ch->relay->buf);
	if (buf) {
		unread = ch->shape.flight ? 0 :
			 buf->subbufs_produced - READ_ONCE(buf->subbufs_consumed);
		room = (ch->shape.subbufs - min_t(size_t, unread, ch->shape.subbufs)) *
		       (ch->shape.subbuf_size - HEADER_LEN);
		room -= min_t(size_t, room, buf->offset);
	}
	local_irq_restore(flags);
	return room;
}

/* --- the owner --- */

/* Does the begun sub-buffer hold records? Asked from elsewhere it is a hint. */
static bool holds_records(struct rchan_buf *buf)
{
	size_t offset = READ_ONCE(buf->offset);

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

/* Finishes every begun sub-buffer that holds records. */
int kt_channel_flush(struct kt_channel *ch, bool force)
{
	unsigned int cpu;
	int err = 0;

	mutex_lock(&ch->flushing);
	cpus_read_lock();
	for_each_possible_cpu(cpu)
		err = flush_cpu(ch, cpu, force) ?: err;
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

bool kt_channel_has_cpu(struct kt_channel *ch, unsigned int cpu)
{
	return cpu < nr_cpu_ids && cpu_possible(cpu) &&
	       READ_ONCE(*per_cpu_ptr(ch->relay->buf, cpu));
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

static u64 threads_of(const struct kt_cpu *c)
{
	unsigned int start;
	u64 n;

	do {
		start = u64_stats_fetch_begin(&c->sync);
		n = READ_ONCE(c->threads);
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
		sum->threads += threads_of(c);
	}
	sum->cpus = kt_channel_cpus(ch);
}

/* Records wanted so far by kind, added to sum. */
void kt_channel_attempts(const struct kt_channel *ch, u64 sum[KTALLY_KINDS])
{
	unsigned int cpu, kind;

	for_each_possible_cpu(cpu)
		for (kind = 0; kind < KTALLY_KINDS; kind++)
			sum[kind] += READ_ONCE(per_cpu_ptr(ch->cpu, cpu)->attempts[kind]);
}

const struct kt_channel_shape *kt_channel_shape(const struct kt_channel *ch)
{
	return &ch->shape;
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
	ch->relay = relay_open(NULL, NULL, shape->subbuf_size, shape->subbufs, &callbacks, ch);
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
