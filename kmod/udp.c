// SPDX-License-Identifier: GPL-2.0-only
/*
 * udp.c - asks the kernel's UDP table on behalf of received datagrams, keeps
 * the answers, and watches the ports (udp.h). The asking runs in softirq under
 * RCU; the watching runs in kretprobes, preemption off, for bind, connect and
 * close only, never for a packet.
 */
#include <linux/in.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/vmalloc.h>
#include <net/ipv6.h>
#include <net/sock_reuseport.h>

#include "compat_net.h"
#include "guess.h"
#include "owner.h"
#include "packet.h"
#include "udp.h"

struct kt_udp_table_of_answers kt_udp_answers __read_mostly;
struct kt_sock_entry kt_udp_nobody[KTALLY_B_KINDS];
atomic_t kt_udp_gen[UDP_PORTS];

static atomic_t busy[UDP_PORTS];	/* changes under way: keep nothing */
static DEFINE_PER_CPU(u64, lookups);
static bool watching;
static bool keeping;			/* watching, and kprobes are not switched off */

int kt_udp_open(unsigned int number)
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

/* --- asking --------------------------------------------------------------- */

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
	return READ_ONCE(keeping) && !atomic_read(&busy[port]) && e != &kt_sock_overflow &&
	       !test_bit(SOCK_GONE, &e->flags);
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
	u32 port = kt_udp_port(d, ports);
	/* Before the kernel's table is read. */
	u32 gen = atomic_read_acquire(&kt_udp_gen[port]);
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
	u32 port = kt_udp_port(d, ports);
	u32 gen = atomic_read_acquire(&kt_udp_gen[port]);
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

/* --- watching ports ------------------------------------------------------- */

static u32 port_at(u32 ns, u16 port)
{
	return (ns * 0x9e3779b1U + (__force u16)htons(port)) & (UDP_PORTS - 1);
}

void kt_udp_forget(u32 ns, u16 port)
{
	atomic_inc(&kt_udp_gen[port_at(ns, port)]);
}

bool kt_udp_watches_ports(void)
{
	return watching;
}

struct call {
	struct sock *sk;
	u32 port;
};

static u16 port_of(const struct sock *sk)
{
	return inet_sk(sk)->inet_num;
}

static void begin_change(struct call *c, struct sock *sk, u16 port)
{
	c->sk = sk;
	c->port = port_at(kt_netdev_ns(sock_net(sk)), port);
	atomic_inc(&busy[c->port]);
}

static void end_change(struct call *c)
{
	atomic_inc(&kt_udp_gen[c->port]);
	smp_mb__before_atomic();	/* void before it may be kept again */
	atomic_dec(&busy[c->port]);
}

static int on_change(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct sock *sk = (struct sock *)kt_argument(regs, 0);

	begin_change((struct call *)ri->data, sk, port_of(sk));
	return 0;
}

static int on_changed(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *c = (struct call *)ri->data;

	end_change(c);
	kt_udp_forget(kt_netdev_ns(sock_net(c->sk)), port_of(c->sk));
	return 0;
}

/* The port asked for is an argument; 0 lets the kernel choose. */
static int on_bind(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	begin_change((struct call *)ri->data, (struct sock *)kt_argument(regs, 0),
		     kt_argument(regs, 1));
	return 0;
}

/* A socket that only receives shall have an owner too. */
static int on_bound(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *c = (struct call *)ri->data;

	on_changed(ri, regs);
	if (!regs_return_value(regs) && in_task()) {
		rcu_read_lock();
		kt_guess_bound(c->sk);
		rcu_read_unlock();
	}
	return 0;
}

static int on_unbind(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct sock *sk = (struct sock *)kt_argument(regs, 0);

	rcu_read_lock();
	kt_owner_unbound(sk);
	rcu_read_unlock();
	return on_change(ri, regs);
}

/*
 * Kprobes can be switched off behind our back, and then nothing tells that a
 * port changed. One of them stands on a function that the worker calls; the
 * compiler does not know that, hence READ_ONCE().
 */
static unsigned long beats;

static noinline void udp_heartbeat(void)
{
	barrier();
}

static int on_beat(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	WRITE_ONCE(beats, beats + 1);
	return 0;
}

#define WATCH(symbol, entry, ret)					\
	{ .kp.symbol_name = symbol, .entry_handler = entry, .handler = ret, \
	  .data_size = sizeof(struct call), .maxactive = 64 }
static struct kretprobe watches[] = {
	WATCH("udp_lib_get_port", on_bind, on_bound),
	WATCH("udp_lib_rehash", on_change, on_changed),
	WATCH("udp_lib_unhash", on_unbind, on_changed),
	WATCH("__ip4_datagram_connect", on_change, on_changed),
	WATCH("__udp_disconnect", on_change, on_changed),
	WATCH("reuseport_attach_prog", on_change, on_changed),
	WATCH("reuseport_detach_prog", on_change, on_changed),
#if IS_ENABLED(CONFIG_IPV6)
	WATCH("__ip6_datagram_connect", on_change, on_changed),
#endif
	{ .kp.addr = (kprobe_opcode_t *)udp_heartbeat, .handler = on_beat, .maxactive = 1 },
};

static unsigned long missed[ARRAY_SIZE(watches)];

/* The first n: one grace period for all. */
static void unwatch(unsigned int n)
{
	struct kretprobe *all[ARRAY_SIZE(watches)];
	unsigned int i;

	for (i = 0; i < n; i++) {
		all[i] = &watches[i];
		kt_probe_disable(&watches[i].kp);
	}
	unregister_kretprobes(all, n);
}

/* All or none. */
static int watch(void)
{
	unsigned int i;
	int err;

	if (!KT_PROBES_SEE_ARGUMENTS)
		return -EOPNOTSUPP;
	for (i = 0; i < ARRAY_SIZE(watches); i++) {
		err = register_kretprobe(&watches[i]);
		if (err) {
			unwatch(i);
			return err;
		}
	}
	return 0;
}

void kt_udp_watch(void)
{
	int err = watch();

	if (err) {
		pr_info("ktally: UDP ports are not watched (kretprobes: %d): each datagram is looked up\n",
			err);
		return;
	}
	watching = true;
	WRITE_ONCE(keeping, true);
}

void kt_udp_unwatch(void)
{
	if (!watching)
		return;
	WRITE_ONCE(keeping, false);
	watching = false;
	unwatch(ARRAY_SIZE(watches));
}

static bool missed_any(void)
{
	bool any = false;
	unsigned long n;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(watches); i++) {
		n = watches[i].nmissed + watches[i].kp.nmissed;
		any |= n != missed[i];
		missed[i] = n;
	}
	return any;
}

static bool is_armed(void)
{
	unsigned long before = READ_ONCE(beats);

	udp_heartbeat();
	return READ_ONCE(beats) != before;
}

static void void_all(void)
{
	unsigned int i;

	for (i = 0; i < UDP_PORTS; i++)
		atomic_inc(&kt_udp_gen[i]);
}

void kt_udp_check(void)
{
	bool armed;

	if (!watching)
		return;
	armed = is_armed();
	WRITE_ONCE(keeping, armed);
	/*
	 * Nothing is kept while disarmed, but what was kept before must go. Once a
	 * minute everything goes: no probe tells of changed addresses.
	 */
	if (missed_any() || !armed || kt_socks.now % 64 == 0)
		void_all();
}
