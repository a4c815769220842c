/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pack.h - HOT: lays one record into given memory: frame, fixed part, strings,
 * zeroed padding. Pure: no allocation, no clock, no kernel state, only stores;
 * it runs between reserve and commit with interrupts off, and is compiled for
 * the host by the tests as well.
 */
#ifndef KTALLY_PACK_H
#define KTALLY_PACK_H

#include <linux/ktally.h>
#ifdef __KERNEL__
#include <linux/stddef.h>
#include <linux/string.h>
#else
#include <stddef.h>
#include <string.h>
#endif

/* The parts that kinds have in common, as types of their own. */
#define KT_PART(name, FIELDS)						\
	struct kt_##name {						\
		FIELDS(KTALLY__F, KTALLY__A, KTALLY__S)			\
	}
KT_PART(life, KTALLY_LIFE_FIELDS);
KT_PART(owner, KTALLY_OWNER_FIELDS);
KT_PART(usage, KTALLY_USAGE_FIELDS);
KT_PART(net, KTALLY_NET_FIELDS);

/* A part inside a record, addressed by the name of its first field. */
#define KT_PART_OF(rec, part, first)					\
	((struct kt_##part *)((char *)(rec) + offsetof(typeof(*(rec)), first)))
#define KT_LIFE(rec)	KT_PART_OF(rec, life, tgid)
#define KT_OWNER(rec)	KT_PART_OF(rec, owner, ppid)
#define KT_USAGE(rec)	KT_PART_OF(rec, usage, known)
#define KT_NET(rec)	KT_PART_OF(rec, net, net_phys)

/* No hole anywhere: a record's size is the sum of its fields' sizes. */
#define KT__SIZE_F(type, name)		+ sizeof(type)
#define KT__SIZE_A(type, name, n)	+ sizeof(type) * (n)
#define KT__SIZE_S(name)		+ sizeof(__u32)
#define KT__NO_HOLE(number, kind, FIELDS)				\
	_Static_assert(sizeof(struct ktally_##kind) == sizeof(struct ktally_common) \
		       FIELDS(KT__SIZE_F, KT__SIZE_A, KT__SIZE_S),	\
		       "hole in struct ktally_" #kind);
KTALLY_KIND_LIST(KT__NO_HOLE)
_Static_assert(sizeof(struct ktally_record) == 16, "frame");
_Static_assert(sizeof(struct ktally_common) == 8, "common fields");

/*
 * Bytes that follow the fixed part. `at` is the offset of their __data_loc in
 * it. Text ends with a NUL that counts in its length; a block's length is
 * exactly its bytes. Either way a NUL stands behind, so no printer runs on.
 */
struct kt_bytes {
	const void *from;
	__u16 len;
	__u16 at;
	__u16 text;
};

#define KT_STRINGS	3	/* most that any kind has */

struct kt_record {
	const void *fixed;	/* struct ktally_<kind> */
	__u16 size;		/* of it */
	__u16 kind;
	__u16 strings;
	struct kt_bytes string[KT_STRINGS];
};

#define KT_RECORD(KIND, rec)						\
	{ .fixed = (rec), .size = sizeof(*(rec)), .kind = (KIND) }

/* Bytes of the whole record, frame and padding included. */
static inline __u32 kt_record_len(const struct kt_record *r)
{
	__u32 len = sizeof(struct ktally_record) + r->size;
	unsigned int i;

	for (i = 0; i < r->strings; i++)
		len += r->string[i].len + 1U;
	return (len + 7) & ~7U;
}

/* Lays one string at `end` of the payload; returns the new end. */
static inline __u32 kt_lay_string(char *payload, __u32 end, const struct kt_bytes *s)
{
	__u32 loc = (__u32)(s->len + s->text) << 16 | end;

	memcpy(payload + s->at, &loc, sizeof(loc));
	memcpy(payload + end, s->from, s->len);
	payload[end + s->len] = 0;
	return end + s->len + 1;
}

/* Lays r into `len` bytes (kt_record_len) at `to`, which is 8-byte aligned. */
static inline void kt_lay(void *to, __u32 len, const struct kt_record *r,
			  __u32 seq, __u64 time, __s32 pid)
{
	struct ktally_record *frame = to;
	struct ktally_common *common = (void *)(frame + 1);
	char *payload = (char *)(frame + 1);
	__u32 end = r->size;
	unsigned int i;

	/* The padding lies in the last 8 bytes; what belongs there comes later. */
	*(__u64 *)((char *)to + len - 8) = 0;
	frame->len = len;
	frame->seq = seq;
	frame->time = time;
	memcpy(payload, r->fixed, r->size);
	common->type = r->kind;
	common->flags = 0;
	common->preempt_count = 0;
	common->pid = pid;
	for (i = 0; i < r->strings; i++)
		end = kt_lay_string(payload, end, &r->string[i]);
}

#endif
