/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * udp.h - HOT: which socket a datagram reaches. The kernel's own table is
 * asked, and its answer kept in a lossy cache for as long as nothing happens to the
 * local port (ports.h). It has two places there, far apart. Answers may also be that
 * there is no socket, or no single one.
 */
#ifndef KTALLY_UDP_H
#define KTALLY_UDP_H

#include <linux/hash.h>
#include <linux/udp.h>

#include "flow.h"
#include "netdev.h"
#include "ports.h"
#include "sock.h"

struct kt_udp_answer {
	u32 seq;		/* odd while it is written; other than before when it was */
	u32 gen;		/* of its local port, before the kernel was asked */
	struct kt_flow_key key;	/* by device instead of namespace */
	struct kt_sock_entry *e;
	u32 port;		/* kt_ports_at() */
} ____cacheline_aligned;

struct kt_udp_table_of_answers {
	struct kt_udp_answer *at;
	unsigned int shift;
};

extern struct kt_udp_table_of_answers kt_udp_answers;

/* Stand for packets without a socket: only their bucket means something. */
extern struct kt_sock_entry kt_udp_nobody[KTALLY_B_KINDS];

static __always_inline struct kt_udp_answer *kt_udp_first(u64 hash)
{
	return &kt_udp_answers.at[hash >> kt_udp_answers.shift];
}

/* Those that share a first place are unlikely to share this one. */
static __always_inline struct kt_udp_answer *kt_udp_second(u64 hash)
{
	return kt_udp_first((hash ^ hash >> 32) * GOLDEN_RATIO_64);
}

/* Something happened to its port since. What is written meanwhile is another's, or void. */
static __always_inline bool kt_udp_is_void(const struct kt_udp_answer *u)
{
	return data_race(u->gen) != (u32)atomic_read(&kt_ports_gen[READ_ONCE(u->port)]);
}

/* Does this place hold an answer about them? It goes to e then. */
static __always_inline bool kt_udp_read(const struct kt_udp_answer *u, bool v6, const void *a,
					u64 w, struct kt_sock_entry **e)
{
	/* Partner: smp_store_release() in begin_answer() and end_answer(). */
	u32 seq = smp_load_acquire(&u->seq);

	if (unlikely(READ_ONCE(u->key.w) != w))
		return false;
	smp_rmb();		/* pairs with end_answer(): w is written last */
	/* Whatever is read while it is written, seq does not stand. */
	if (unlikely(data_race(v6 ? !kt_flow_same6(u->key.a, a) :
				    u->key.a[0] != kt_flow_word(a, 0))))
		return false;
	if (unlikely(kt_udp_is_void(u)))
		return false;
	*e = READ_ONCE(u->e);
	smp_rmb();		/* pairs with begin_answer(): was it written meanwhile? */
	return likely(READ_ONCE(u->seq) == seq);
}

static __always_inline struct kt_sock_entry *kt_udp_kept(u64 hash, bool v6, const void *a, u64 w)
{
	struct kt_sock_entry *e;

	if (likely(kt_udp_read(kt_udp_first(hash), v6, a, w, &e)) ||
	    kt_udp_read(kt_udp_second(hash), v6, a, w, &e))
		return e;
	return NULL;
}

/* What is kept; NULL: look closer. A device's udp_w is 0 or not: its low half never changes. */
static __always_inline struct kt_sock_entry *kt_udp_find4(const struct kt_netdev_slot *d, u64 a,
							  u32 ports)
{
	u64 w = data_race(d->udp_w) | ports;

	return kt_udp_kept(kt_flow_hash4(a, w), false, &a, w);
}

static __always_inline struct kt_sock_entry *kt_udp_find6(const struct kt_netdev_slot *d,
							  const void *a, u32 ports)
{
	u64 w = data_race(d->udp_w) | (u64)FLOW_V6 << 32 | ports;

	return kt_udp_kept(kt_flow_hash6(a, w), true, a, w);
}

/* What is kept, or else what the kernel answers. */
struct kt_sock_entry *kt_udp_find(struct sk_buff *skb, const struct kt_netdev_slot *d,
				  const struct kt_flow_key *key);

int kt_udp_open(unsigned int number);
void kt_udp_close(void);
u64 kt_udp_lookups(void);

#endif
