/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * udp.h - HOT: which socket a datagram reaches. The kernel's own table is
 * asked, and its answer kept in a direct-mapped, lossy cache for as long as
 * nothing happens to the local port (ports.h). Answers may also be that there is no
 * socket, or no single one.
 */
#ifndef KTALLY_UDP_H
#define KTALLY_UDP_H

#include <linux/udp.h>

#include "flow.h"
#include "netdev.h"
#include "ports.h"
#include "sock.h"

/* Addresses and ports as in the packet; w as in struct kt_flow_key, by device. */
struct kt_udp4_answer {
	u32 seq;		/* odd while it is written; other than before when it was */
	u32 gen;
	u64 a;
	u64 w;
	struct kt_sock_entry *e;
} __aligned(32);

struct kt_udp6_answer {
	u32 seq;
	u32 gen;
	u64 a[4];
	u64 w;
	struct kt_sock_entry *e;
} ____cacheline_aligned;

struct kt_udp_table_of_answers {
	struct kt_udp4_answer *v4;
	struct kt_udp6_answer *v6;
	unsigned int shift;
};

extern struct kt_udp_table_of_answers kt_udp_answers;

/* Stand for packets without a socket: only their bucket means something. */
extern struct kt_sock_entry kt_udp_nobody[KTALLY_B_KINDS];

struct kt_sock_entry *kt_udp_ask4(struct sk_buff *skb, const struct kt_netdev_slot *d, u64 a,
				  u32 ports);
struct kt_sock_entry *kt_udp_ask6(struct sk_buff *skb, const struct kt_netdev_slot *d,
				  const void *a, u32 ports);

/* What is kept; NULL: ask. */
static __always_inline struct kt_sock_entry *kt_udp_find4(const struct kt_netdev_slot *d, u64 a,
							  u32 ports)
{
	u64 w = d->udp_w | ports;
	struct kt_udp4_answer *u = &kt_udp_answers.v4[kt_flow_hash4(a, w) >> kt_udp_answers.shift];
	/* Partner: smp_store_release() in begin_answer() and end_answer(). */
	u32 seq = smp_load_acquire(&u->seq);
	struct kt_sock_entry *e;

	if (unlikely(READ_ONCE(u->w) != w))
		return NULL;
	smp_rmb();		/* pairs with end_answer(): w is written last */
	if (unlikely(u->a != a || u->gen !=
		     (u32)atomic_read(&kt_ports_gen[kt_ports_at(d, ports)])))
		return NULL;
	e = READ_ONCE(u->e);
	smp_rmb();		/* pairs with begin_answer(): was it written meanwhile? */
	return likely(READ_ONCE(u->seq) == seq) ? e : NULL;
}

static __always_inline struct kt_sock_entry *kt_udp_find6(const struct kt_netdev_slot *d,
							  const void *a, u32 ports)
{
	u64 w = d->udp_w | (u64)FLOW_V6 << 32 | ports;
	struct kt_udp6_answer *u = &kt_udp_answers.v6[kt_flow_hash6(a, w) >> kt_udp_answers.shift];
	/* Partner: smp_store_release() in begin_answer() and end_answer(). */
	u32 seq = smp_load_acquire(&u->seq);
	struct kt_sock_entry *e;

	if (unlikely(READ_ONCE(u->w) != w))
		return NULL;
	smp_rmb();		/* pairs with end_answer() */
	if (unlikely(!kt_flow_same6(u->a, a) || u->gen !=
		     (u32)atomic_read(&kt_ports_gen[kt_ports_at(d, ports)])))
		return NULL;
	e = READ_ONCE(u->e);
	smp_rmb();		/* pairs with begin_answer() */
	return likely(READ_ONCE(u->seq) == seq) ? e : NULL;
}

int kt_udp_open(unsigned int number);
void kt_udp_close(void);
u64 kt_udp_lookups(void);

#endif
