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
#include "guess.h"
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
	kt_udp_answers.at = vzalloc(sizeof(*kt_udp_answers.at) << bits);
	return kt_udp_answers.at ? 0 : -ENOMEM;
}

void kt_udp_close(void)
{
	vfree(kt_udp_answers.at);
	kt_udp_answers.at = NULL;
}

u64 kt_udp_lookups(void)
{
	u64 n = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		n += READ_ONCE(per_cpu(lookups, cpu));
	return n;
}

/* A BPF program looks into the packet to choose; it can't be asked here. */
static bool is_ambiguous(struct sock *sk)
{
	struct sock_reuseport *group = rcu_dereference(sk->sk_reuseport_cb);

	return group && rcu_access_pointer(group->prog);
}

static struct kt_sock_entry *entry_of(struct sock *sk, u16 port)
{
	struct kt_sock_entry *e;

	if (is_ambiguous(sk))
		return &kt_udp_nobody[KTALLY_B_AMBIGUOUS];
	e = kt_sock_get(sk, 0);
	/* Who sees the port sees a GONE that came before it; partner: kt_sock_set_port(). */
	if (smp_load_acquire(&e->port) != port && e != &kt_sock_overflow)
		kt_sock_set_port(e, port);
	/* Where no probe tells who binds, who only receives has no other owner. */
	if (!READ_ONCE(kt_ports_keeping) && !READ_ONCE(e->acct))
		kt_guess_received(e);
	return e;
}

/* Does the packet's VLAN make it come in by another device? */
static int dif_of(struct sk_buff *skb, const struct kt_netdev_slot *d)
{
	struct net_device *vlan;

	if (!skb_vlan_tag_present(skb))
		return READ_ONCE(d->dif);
	vlan = __vlan_find_dev_deep_rcu((struct net_device *)d->dev, skb->vlan_proto,
					skb_vlan_tag_get_id(skb));
	return vlan ? vlan->ifindex : READ_ONCE(d->dif);
}

static bool is_multicast(const struct sk_buff *skb, const struct kt_flow_key *key)
{
	if (skb->pkt_type == PACKET_MULTICAST || skb->pkt_type == PACKET_BROADCAST)
		return true;
	if (kt_flow_is_v6(key))
		return ipv6_addr_is_multicast((const struct in6_addr *)key->a + 1);
	return ipv4_is_multicast(((const __be32 *)key->a)[1]);
}

static __be16 port_of(const struct kt_flow_key *key, int i)
{
	u32 ports = key->w;

	return ((const __be16 *)&ports)[i];
}

static u16 local_port(const struct kt_flow_key *key)
{
	return ntohs(port_of(key, 1));
}

static struct sock *lookup(struct sk_buff *skb, const struct kt_netdev_slot *d,
			   const struct kt_flow_key *key)
{
	const struct in6_addr *a6 = (const struct in6_addr *)key->a;
	const __be32 *a4 = (const __be32 *)key->a;
	__be16 from = port_of(key, 0), to = port_of(key, 1);
	int dif = dif_of(skb, d), sdif = READ_ONCE(d->sdif);

	this_cpu_inc(lookups);
	if (kt_flow_is_v6(key))
		return kt_udp6_lookup(d->net, &a6[0], from, &a6[1], to, dif, sdif);
	return kt_udp4_lookup(d->net, a4[0], from, a4[1], to, dif, sdif);
}

static struct kt_sock_entry *ask(struct sk_buff *skb, const struct kt_netdev_slot *d,
				 const struct kt_flow_key *key)
{
	struct sock *sk;

	if (skb->pkt_type == PACKET_LOOPBACK)
		return &kt_udp_nobody[KTALLY_B_LOOPED];
	if (is_multicast(skb, key))
		return &kt_udp_nobody[KTALLY_B_MULTICAST];
	/* The kernel's table would name a socket bound to any address. */
	if (!kt_packet_is_here(skb, d, key))
		return &kt_udp_nobody[KTALLY_B_FORWARDED];
	sk = lookup(skb, d, key);
	if (sk)
		return entry_of(sk, local_port(key));
	return &kt_udp_nobody[kt_packet_is_forwarded(skb, kt_flow_is_v6(key)) ?
			      KTALLY_B_FORWARDED : KTALLY_B_UDP];
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
static bool begin_answer(struct kt_udp_answer *u)
{
	u32 was = READ_ONCE(u->seq);

	if (was & 1 || cmpxchg(&u->seq, was, was + 1) != was)
		return false;
	WRITE_ONCE(u->key.w, 0);
	/* Partner: smp_load_acquire() in kt_udp_read(). */
	smp_store_release(&u->seq, was + 3);
	/* And what follows comes after it; partner: its last smp_rmb(). */
	smp_wmb();
	return true;
}

static void end_answer(struct kt_udp_answer *u, u64 w)
{
	/* w last; partner: the smp_rmb() behind its reading. */
	smp_wmb();
	WRITE_ONCE(u->key.w, w);
	/* Partner: smp_load_acquire() in kt_udp_read(). */
	smp_store_release(&u->seq, u->seq + 1);
}

static void keep(struct kt_udp_answer *u, const struct kt_flow_key *key, u32 port, u32 gen,
		 struct kt_sock_entry *e)
{
	if (!begin_answer(u))
		return;
	WRITE_ONCE(u->gen, gen);
	WRITE_ONCE(u->port, port);
	memcpy(u->key.a, key->a, sizeof(u->key.a));
	WRITE_ONCE(u->e, e);
	end_answer(u, key->w);
}

/*
 * One that is good gives way if both are: the one that was written less often, so that
 * those without a place try all that can be reached until one is free. An unused one was
 * never written.
 */
static struct kt_udp_answer *place_for(u64 hash)
{
	struct kt_udp_answer *first = kt_udp_first(hash), *second = kt_udp_second(hash);

	if (kt_udp_is_void(first))
		return first;
	if (kt_udp_is_void(second))
		return second;
	return (s32)(READ_ONCE(second->seq) - READ_ONCE(first->seq)) < 0 ? second : first;
}

/* IPv4 leaves words of its key 0, and so has the same hash by both formulas. */
struct kt_sock_entry *kt_udp_find(struct sk_buff *skb, const struct kt_netdev_slot *d,
				  const struct kt_flow_key *key)
{
	u64 hash = kt_flow_hash6(key->a, key->w);
	u32 port = kt_ports_at(d->ns, local_port(key));
	struct kt_sock_entry *e = kt_udp_kept(hash, true, key->a, key->w);
	u32 gen;

	if (e)
		return e;
	/* Before the kernel's table is read. */
	gen = atomic_read_acquire(&kt_ports_gen[port]);
	e = ask(skb, d, key);
	if (may_keep(port, e))
		keep(place_for(hash), key, port, gen, e);
	return e;
}
