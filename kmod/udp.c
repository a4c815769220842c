// SPDX-License-Identifier: GPL-2.0-only
/*
 * udp.c - asks the kernel's UDP table on behalf of received datagrams and keeps
 * the answers (udp.h). Softirq, under RCU.
 */
#include <linux/in.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/vmalloc.h>
#include <net/ipv6.h>
#include <net/sock_reuseport.h>

#include "compat_net.h"
#include "packet.h"
#include "udp.h"

struct kt_udp_table_of_answers kt_udp_answers __read_mostly;
struct kt_sock_entry kt_udp_nobody[KTALLY_B_KINDS];

static DEFINE_PER_CPU(u64, lookups);

int __init kt_udp_open(unsigned int number)
{
	unsigned int bits = ilog2(roundup_pow_of_two(number));
	unsigned int b;

	for (b = 0; b < KTALLY_B_KINDS; b++)
		kt_udp_nobody[b].bucket = b;
	kt_udp_answers.shift = 64 - bits;
	kt_udp_answers.v4 = vzalloc(sizeof(*kt_udp_answers.v4) << bits);
	kt_udp_answers.v6 = vzalloc(sizeof(*kt_udp_answers.v6) << bits);
	if (!kt_udp_answers.v4 || !kt_udp_answers.v6) {
		kt_udp_close();
		return -ENOMEM;
	}
	return 0;
}

void kt_udp_close(void)
{
	vfree(kt_udp_answers.v6);
	vfree(kt_udp_answers.v4);
	kt_udp_answers.v6 = NULL;
	kt_udp_answers.v4 = NULL;
}

u64 kt_udp_lookups(void)
{
	u64 n = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		n += per_cpu(lookups, cpu);
	return n;
}

/* A BPF program looks into the packet to choose; it can't be asked here. */
static bool is_ambiguous(struct sock *sk)
{
	struct sock_reuseport *group = rcu_dereference(sk->sk_reuseport_cb);

	return group && rcu_access_pointer(group->prog);
}

static struct kt_sock_entry *entry_of(struct sock *sk, u32 ports)
{
	u16 port = ntohs(((const __be16 *)&ports)[1]);
	struct kt_sock_entry *e;

	if (is_ambiguous(sk))
		return &kt_udp_nobody[KTALLY_B_AMBIGUOUS];
	e = kt_sock_get(sk, 0);
	if (e->port != port && e != &kt_sock_overflow)
		kt_sock_set_port(e, port);
	return e;
}

/* Does the packet's VLAN make it come in by another device? */
static int dif_of(struct sk_buff *skb, const struct kt_netdev_slot *d)
{
	struct net_device *vlan;

	if (!skb_vlan_tag_present(skb))
		return d->dif;
	vlan = __vlan_find_dev_deep_rcu((struct net_device *)d->dev, skb->vlan_proto,
					skb_vlan_tag_get_id(skb));
	return vlan ? vlan->ifindex : d->dif;
}

/* Packets that no single socket stands behind; NULL: look for one. */
static struct kt_sock_entry *without_lookup(const struct sk_buff *skb, bool multicast)
{
	if (skb->pkt_type == PACKET_LOOPBACK)
		return &kt_udp_nobody[KTALLY_B_LOOPED];
	if (multicast || skb->pkt_type == PACKET_MULTICAST || skb->pkt_type == PACKET_BROADCAST)
		return &kt_udp_nobody[KTALLY_B_MULTICAST];
	return NULL;
}

static struct kt_sock_entry *nobodys(const struct sk_buff *skb, bool v6)
{
	return &kt_udp_nobody[kt_packet_is_forwarded(skb, v6) ? KTALLY_B_FORWARDED :
								KTALLY_B_UDP];
}

/*
 * An entry that is not gone yet will have its port's answers made void when it
 * goes: with the port that entry_of() has left in it.
 */
static bool may_keep(u32 port, const struct kt_sock_entry *e)
{
	return kt_ports_may_keep(port) && e != &kt_sock_overflow && !test_bit(SOCK_GONE, &e->flags);
}

/*
 * Writers of one answer meet at seq, the loser keeps nothing. Raised once more after w
 * matches nothing: who still saw the old w saw a seq that does not stand at the end.
 */
static bool begin_answer(u32 *seq, u64 *w)
{
	u32 was = READ_ONCE(*seq);

	if (was & 1 || cmpxchg(seq, was, was + 1) != was)
		return false;
	WRITE_ONCE(*w, 0);
	/* Partner: smp_load_acquire() in kt_udp_find4() and kt_udp_find6(). */
	smp_store_release(seq, was + 3);
	/* And what follows comes after it; partner: their last smp_rmb(). */
	smp_wmb();
	return true;
}

static void end_answer(u32 *seq, u64 *w, u64 value)
{
	/* w last; partner: the smp_rmb() behind its reading. */
	smp_wmb();
	WRITE_ONCE(*w, value);
	/* Partner: smp_load_acquire() in kt_udp_find4() and kt_udp_find6(). */
	smp_store_release(seq, *seq + 1);
}

static void keep4(u64 a, u64 w, u32 gen, struct kt_sock_entry *e)
{
	struct kt_udp4_answer *u = &kt_udp_answers.v4[kt_flow_hash4(a, w) >> kt_udp_answers.shift];

	if (!begin_answer(&u->seq, &u->w))
		return;
	u->gen = gen;
	u->a = a;
	WRITE_ONCE(u->e, e);
	end_answer(&u->seq, &u->w, w);
}

static void keep6(const void *a, u64 w, u32 gen, struct kt_sock_entry *e)
{
	struct kt_udp6_answer *u = &kt_udp_answers.v6[kt_flow_hash6(a, w) >> kt_udp_answers.shift];

	if (!begin_answer(&u->seq, &u->w))
		return;
	u->gen = gen;
	memcpy(u->a, a, sizeof(u->a));
	WRITE_ONCE(u->e, e);
	end_answer(&u->seq, &u->w, w);
}

struct kt_sock_entry *kt_udp_ask4(struct sk_buff *skb, const struct kt_netdev_slot *d, u64 a,
				  u32 ports)
{
	u32 port = kt_ports_at(d, ports);
	/* Before the kernel's table is read. */
	u32 gen = atomic_read_acquire(&kt_ports_gen[port]);
	const __be32 *addr = (const __be32 *)&a;
	const __be16 *p = (const __be16 *)&ports;
	struct kt_sock_entry *e = without_lookup(skb, ipv4_is_multicast(addr[1]));
	struct sock *sk;

	/* The kernel's table would name a socket bound to any address. */
	if (!e && !kt_packet_is_here4(skb, d, addr[1]))
		e = &kt_udp_nobody[KTALLY_B_FORWARDED];
	if (!e) {
		this_cpu_inc(lookups);
		sk = kt_udp4_lookup(d->net, addr[0], p[0], addr[1], p[1], dif_of(skb, d), d->sdif);
		e = sk ? entry_of(sk, ports) : nobodys(skb, false);
	}
	if (may_keep(port, e))
		keep4(a, d->udp_w | ports, gen, e);
	return e;
}

struct kt_sock_entry *kt_udp_ask6(struct sk_buff *skb, const struct kt_netdev_slot *d,
				  const void *a, u32 ports)
{
	u32 port = kt_ports_at(d, ports);
	u32 gen = atomic_read_acquire(&kt_ports_gen[port]);
	const struct in6_addr *addr = a;
	const __be16 *p = (const __be16 *)&ports;
	struct kt_sock_entry *e = without_lookup(skb, ipv6_addr_is_multicast(&addr[1]));
	struct sock *sk;

	/* The kernel's table would name a socket bound to any address. */
	if (!e && !kt_packet_is_here6(skb, d, &addr[1]))
		e = &kt_udp_nobody[KTALLY_B_FORWARDED];
	if (!e) {
		this_cpu_inc(lookups);
		sk = kt_udp6_lookup(d->net, &addr[0], p[0], &addr[1], p[1],
				    dif_of(skb, d), d->sdif);
		e = sk ? entry_of(sk, ports) : nobodys(skb, true);
	}
	if (may_keep(port, e))
		keep6(a, d->udp_w | (u64)FLOW_V6 << 32 | ports, gen, e);
	return e;
}
