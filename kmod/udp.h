/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * udp.h - HOT: which socket a datagram reaches. The kernel's own table is
 * asked, and its answer kept in a direct-mapped, lossy cache for as long as
 * nothing happens to the local port: kretprobes on the slow paths that bind,
 * connect and close raise the port's generation. Without kprobes nothing is
 * kept. Answers may also be that there is no socket, or no single one.
 */
#ifndef KTALLY_UDP_H
#define KTALLY_UDP_H

#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <linux/udp.h>

#include "flow.h"
#include "netdev.h"
#include "sock.h"

/* Addresses and ports as in the packet; w as in struct kt_flow_key, by device. */
struct kt_udp4_answer {
	u32 seq;		/* odd: being written */
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

/* One local port of one namespace, or several: a collision costs a lookup. */
struct kt_udp_port {
	atomic_t gen;
	atomic_t busy;		/* changes under way: keep nothing */
};

#define UDP_PORTS	4096

struct kt_udp_table_of_answers {
	struct kt_udp4_answer *v4;
	struct kt_udp6_answer *v6;
	struct kt_udp_port *ports;
	unsigned int shift;
};
extern struct kt_udp_table_of_answers kt_udp_answers;

/* Stand for packets without a socket: only their bucket means something. */
extern struct kt_sock_entry kt_udp_nobody[KTALLY_B_KINDS];

DECLARE_STATIC_KEY_FALSE(kt_udp_keeps);

static __always_inline struct kt_udp_port *kt_udp_port(const struct kt_netdev_slot *d, u32 ports)
{
	__be16 dport = (__force __be16)(*((u16 *)&ports + 1));

	return &kt_udp_answers.ports[(d->gen + (__force u16)dport) & (UDP_PORTS - 1)];
}

static __always_inline u64 kt_udp_w(const struct kt_netdev_slot *d, u32 ports)
{
	return FLOW_W(d->key | IPPROTO_UDP, ports);
}

struct kt_sock_entry *kt_udp_ask4(struct sk_buff *skb, const struct kt_netdev_slot *d, u64 a, u32 ports);
struct kt_sock_entry *kt_udp_ask6(struct sk_buff *skb, const struct kt_netdev_slot *d, const u64 *a,
			    u32 ports);

static __always_inline struct kt_sock_entry *kt_udp_find4(struct sk_buff *skb,
						    const struct kt_netdev_slot *d,
						    u64 a, u32 ports)
{
	u64 w = kt_udp_w(d, ports);
	struct kt_udp4_answer *u;
	struct kt_sock_entry *e;
	u32 seq;

	if (!static_branch_likely(&kt_udp_keeps))
		return kt_udp_ask4(skb, d, a, ports);
	u = &kt_udp_answers.v4[kt_flow_hash4(a, w) >> kt_udp_answers.shift];
	seq = smp_load_acquire(&u->seq);
	if (unlikely(u->a != a || u->w != w || u->gen != (u32)atomic_read(&kt_udp_port(d, ports)->gen)))
		return kt_udp_ask4(skb, d, a, ports);
	e = READ_ONCE(u->e);
	smp_rmb();	/* pairs with keep4() */
	if (unlikely(READ_ONCE(u->seq) != seq || seq & 1))
		return kt_udp_ask4(skb, d, a, ports);
	return e;
}

static __always_inline struct kt_sock_entry *kt_udp_find6(struct sk_buff *skb,
						    const struct kt_netdev_slot *d,
						    const u64 *a, u32 ports)
{
	u64 w = kt_udp_w(d, ports) | (u64)FLOW_V6 << 32;
	struct kt_udp6_answer *u;
	struct kt_sock_entry *e;
	u32 seq;

	if (!static_branch_likely(&kt_udp_keeps))
		return kt_udp_ask6(skb, d, a, ports);
	u = &kt_udp_answers.v6[kt_flow_hash6(a, w) >> kt_udp_answers.shift];
	seq = smp_load_acquire(&u->seq);
	if (unlikely(u->w != w || !kt_flow_same6(u->a, a) ||
		     u->gen != (u32)atomic_read(&kt_udp_port(d, ports)->gen)))
		return kt_udp_ask6(skb, d, a, ports);
	e = READ_ONCE(u->e);
	smp_rmb();	/* pairs with keep6() */
	if (unlikely(READ_ONCE(u->seq) != seq || seq & 1))
		return kt_udp_ask6(skb, d, a, ports);
	return e;
}

int kt_udp_open(unsigned int number);
void kt_udp_close(void);
/* kretprobes: attached after the packet hooks, detached before them. */
void kt_udp_watch(void);
void kt_udp_unwatch(void);

/* Are ports watched, so that a socket's end is seen? */
bool kt_udp_watches_ports(void);
/* What is kept about this local port of namespace number ns is void. */
void kt_udp_forget(u32 ns, u16 port);
/*
 * Worker, each second: kretprobes that were missed make everything void; while
 * they are disarmed (kernel.ftrace_enabled=0) nothing is kept.
 */
void kt_udp_check(void);
u64 kt_udp_lookups(void);

#endif
