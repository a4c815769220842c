/* SPDX-License-Identifier: GPL-2.0-only */
/* channel.h - the buffer behind one session; see channel.c. */
#ifndef KTALLY_CHANNEL_H
#define KTALLY_CHANNEL_H

#include <linux/poll.h>
#include <linux/types.h>

#include "pack.h"

struct kt_channel;

struct kt_channel_shape {
	u32 session;		/* number that the headers carry */
	u32 subbuf_size;
	u32 subbufs;		/* per CPU */
	bool flight;		/* full: the oldest goes, not the newest */
};

struct kt_channel *kt_channel_open(const struct kt_channel_shape *shape);
void kt_channel_close(struct kt_channel *ch);
const struct kt_channel_shape *kt_channel_shape(const struct kt_channel *ch);

/* Writers, any context but NMI. A refused or lost record is counted here. */
bool kt_channel_write(struct kt_channel *ch, const struct kt_record *r);
bool kt_channel_try(struct kt_channel *ch, const struct kt_record *r);
void kt_channel_refuse(struct kt_channel *ch, unsigned int kind);
void kt_channel_thread(struct kt_channel *ch);

/* The owner's side, process context. */
size_t kt_channel_room(struct kt_channel *ch);
int kt_channel_flush(struct kt_channel *ch, bool force);
void kt_channel_finish(struct kt_channel *ch);
unsigned int kt_channel_cpus(struct kt_channel *ch);
bool kt_channel_has_cpu(struct kt_channel *ch, unsigned int cpu);
void kt_channel_attempts(const struct kt_channel *ch, u64 sum[KTALLY_KINDS]);
void kt_channel_counts(struct kt_channel *ch, struct ktally_counts *sum);

ssize_t kt_channel_read(struct kt_channel *ch, unsigned int cpu,
			char __user *to, size_t size, bool wait);
__poll_t kt_channel_poll(struct kt_channel *ch, unsigned int cpu,
			 struct file *file, poll_table *table);

#endif
