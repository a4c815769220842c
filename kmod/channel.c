// SPDX-License-Identifier: GPL-2.0-only
/*
 * channel.c - HOT: the relay channel behind one session. Writers reserve and
 * fill in their own CPU's buffer with interrupts off, so no lock is shared
 * between CPUs; what does not fit is counted by kind, or in flight mode takes the
 * place of the oldest sub-buffer. Readers are shown finished sub-buffers only. Every
 * sub-buffer opens with a header that carries the attempts so far, from which a
 * reader knows every loss.
 *
 * Any context but NMI. Nothing here knows what the records mean.
 */
#include <linux/sched.h>
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
	/* Not relay_buf_full(): its plain load orders no store; partner: read_oldest(). */
	if (!ch->shape.flight && kt_ring_unread(buf) >= buf->chan->n_subbufs)
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
struct rchan_callbacks kt_ring_callbacks = {
	.subbuf_start = __builtin_choose_expr(KT_SUBBUF_START_3, start_subbuf, start_subbuf4),
	.create_buf_file = create_buf_file,
	.remove_buf_file = remove_buf_file,
};

/* --- writers --- */

/* Has buf room for len bytes now? Own CPU, interrupts off. */
static bool fits(const struct kt_channel *ch, struct rchan_buf *buf, size_t len)
{
	size_t unread = kt_ring_unread(buf);

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
