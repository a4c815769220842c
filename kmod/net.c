// SPDX-License-Identifier: GPL-2.0-only
/*
 * net.c - HOT: packets to counters. A packet is counted when it is handed to
 * the driver (and taken back if the driver refuses) and when the stack receives
 * it; its owner is learned where its socket is used in process context.
 *
 * The four packet hooks run inside the caller's RCU (bottom halves off) section
 * and stay on one CPU; all additions are atomic or this_cpu_add(), so neither
 * interrupts nor preemption are switched. Other hooks take RCU themselves. No
 * allocation, no lock on the way of a packet whose socket is known: what isn't
 * steady flow leaves by a noinline call.
 */
#include <linux/ip.h>
#include <linux/percpu.h>
#include <linux/udp.h>

#include "compat_net.h"
#include "frag.h"
#include "main.h"
#include "nethook.h"
#include "packet.h"
#include "probes.h"
#include "udp.h"

/* A packet given to a driver, to be found again if it comes back: few stores. */
struct sent {
	const struct sk_buff *skb;
	unsigned long slot;	/* and bucket: SENT_BUCKET */
	atomic64_t *row;	/* NULL: credited to nobody */
	u64 packets;		/* and, in the high half, extra bytes */
	u64 bytes;		/* and, in the high half, UDP payload */
};

/* Slots are aligned so that the bucket fits below. */
#define SENT_BUCKET	0x3fUL
static_assert(KTALLY_B_KINDS <= SENT_BUCKET);
static_assert(__alignof__(struct kt_netdev_slot) > SENT_BUCKET);

/* A received TCP packet that no flow was found for. */
struct miss {
	struct kt_flow_key key;	/* w == 0: none */
	const struct kt_netdev_slot *d;
	u32 device;		/* d's key: it may be another device's by now */
	u32 bucket;
	struct kt_load load;
};

/* Drivers nest (VLAN, veth, tunnels) and on RT interleave: never a stack. */
#define SENT_RING	16
#define MISS_RING	4

struct net_cpu {
	u32 sent_next;
	u32 miss_next;
	struct sent sent[SENT_RING];
	struct miss miss[MISS_RING];
	struct kt_net_odd odd;
};

static DEFINE_PER_CPU(struct net_cpu, net_cpu);

/* No sock_*_length here: UDP payload is counted where packets are. */
static DEFINE_STATIC_KEY_FALSE(kt_net_by_arrival);

#define count_odd(what)	this_cpu_inc(net_cpu.odd.what)

static __always_inline void add_load(atomic64_t *cell, u32 packets, u32 bytes, u32 extra)
{
	atomic64_add(packets, &cell[NET_PACKETS]);
	atomic64_add(bytes, &cell[NET_BYTES]);
	if (__builtin_constant_p(extra) && !extra)
		return;
	atomic64_add(extra, &cell[NET_EXTRA]);
}

/* --- learning ------------------------------------------------------------- */

/* The sender's context, before the queue: from here on packets change hands. */
static notrace void on_queue(void *data, struct sk_buff *skb)
{
	struct sock *sk = skb->sk;

	if (!sk || !in_task() || likely(kt_sock_is_mine(sk)))
		return;
	kt_sock_learn(sk);
}

/*
 * In process context nobody else holds RCU. Preemption off is a reader as well,
 * and costs less where reads are frequent.
 */
static notrace void on_tcp_read(void *data, struct sock *sk)
{
	preempt_disable_notrace();
	if (in_task() && unlikely(!kt_sock_is_mine(sk)))
		kt_sock_learn(sk);
	preempt_enable_notrace();
}

static notrace void on_state(void *data, const struct sock *sk, const int oldstate,
			     const int newstate)
{
	if (sk->sk_protocol != IPPROTO_TCP)
		return;
	rcu_read_lock();
	kt_sock_state((struct sock *)sk, newstate);
	rcu_read_unlock();
}

static __always_inline bool is_udp(const struct sock *sk)
{
	return sk->sk_protocol == IPPROTO_UDP &&
	       (sk->sk_family == AF_INET || sk->sk_family == AF_INET6);
}

/* A datagram's payload by what the call returned. */
static __always_inline void count_call(struct sock *sk, int ret, int cell)
{
	struct kt_sock_entry *e;

	preempt_disable_notrace();
	e = kt_sock_find(kt_sock_cookie(sk));
	if (unlikely(!kt_sock_is_owner(e))) {
		kt_sock_learn(sk);
		e = kt_sock_find(kt_sock_cookie(sk));
	}
	if (likely(e))
		atomic64_add(ret, &kt_sock_row(e)[cell]);
	preempt_enable_notrace();
}

static notrace void on_sent_call(void *data, struct sock *sk, int ret, int flags)
{
	if (ret >= 0 && is_udp(sk))
		count_call(sk, ret, NET_UDP_TX);
}

static notrace void on_received_call(void *data, struct sock *sk, int ret, int flags)
{
	if (ret >= 0 && !(flags & (MSG_PEEK | MSG_ERRQUEUE)) && is_udp(sk))
		count_call(sk, ret, NET_UDP_RX);
}

/* --- sending -------------------------------------------------------------- */

/* A flow is found only now: what it missed a moment ago was its own. */
static void take_up(struct kt_sock_entry *e, const struct kt_flow_key *key)
{
	struct net_cpu *c = raw_cpu_ptr(&net_cpu);
	unsigned long flags;
	struct miss *m;

	local_irq_save(flags);
	for (m = c->miss; m < c->miss + MISS_RING; m++) {
		if (m->key.w != key->w || !kt_flow_same6(m->key.a, key->a))
			continue;
		m->key.w = 0;
		if (m->d->key != m->device)
			continue;
		add_load(kt_sock_row(e) + m->d->at, m->load.packets, m->load.bytes, m->load.extra);
		kt_netdev_move(m->d, NET_RX, m->bucket, KTALLY_B_SOCKET, m->load.packets,
			       m->load.bytes, m->load.extra);
		c->odd.taken_up++;
	}
	local_irq_restore(flags);
}

static void add_flow(struct kt_sock_entry *e, const struct kt_flow_key *key)
{
	kt_flow_add(e, key);
	take_up(e, key);
}

/*
 * What answers to this packet will carry. Locally translated addresses may
 * differ from the socket's; over loopback either can be met, so both lead here.
 */
static void add_flows(struct kt_sock_entry *e, const struct sk_buff *skb, const struct sock *sk,
		      u32 ns)
{
	struct kt_flow_key key;
	struct kt_packet p;

	if (!kt_packet_read(skb, skb_network_offset(skb), &p) || p.part == PACKET_LATER)
		return;
	if (kt_packet_is_echo_request(&p)) {
		kt_packet_echo_key(&p, ns, &key);
		return add_flow(e, &key);
	}
	if (p.proto != IPPROTO_TCP || e->proto != IPPROTO_TCP)
		return;
	kt_sock_own_key(sk, ns, &key);
	add_flow(e, &key);
	kt_packet_reverse(&p);
	kt_packet_key(&p, FLOW_META(ns, 0), &key);
	add_flow(e, &key);
}

/* A socket without an entry, or whose answers would not be recognised yet. */
static noinline notrace struct kt_sock_entry *
first_sent(const struct sk_buff *skb, struct sock *sk, struct kt_sock_entry *e,
	   const struct kt_netdev_slot *d, u32 packets)
{
	if (!e)
		e = kt_sock_get(sk, packets);
	if (test_bit(SOCK_OPENING, &e->flags) && sk_fullsock(sk))
		kt_sock_opened(e, sk);
	if (test_bit(SOCK_FLOWN, &e->flags) || d->net != sock_net(sk))
		return e;
	add_flows(e, skb, sk, d->ns);
	if (!test_bit(SOCK_OPENING, &e->flags))
		set_bit(SOCK_FLOWN, &e->flags);
	return e;
}

static int bucket_of_sent(const struct sk_buff *skb)
{
	if (skb->skb_iif)
		return KTALLY_B_FORWARDED;
	if (skb->protocol == htons(ETH_P_IP) || skb->protocol == htons(ETH_P_IPV6))
		return KTALLY_B_LOCAL;
	return KTALLY_B_UNPARSED;
}

/*
 * Payload of a UDP packet or fragment that leaves its own socket; 0 for the
 * tunnel that carries it. All of a GSO skb has one header.
 */
static u32 udp_payload_of(const struct sk_buff *skb, const struct sock *sk)
{
	int at = skb_network_offset(skb);
	struct kt_packet p;
	u32 header;

	if (!kt_packet_read(skb, at, &p) || p.proto != IPPROTO_UDP)
		return 0;
	header = at + p.header;
	if (p.part != PACKET_LATER && *(const __be16 *)&p.ports != inet_sk(sk)->inet_sport)
		return 0;
	return skb->len > header ? skb->len - header : 0;
}

/* The common cases by hand: a whole packet without options. */
static __always_inline bool udp_payload(const struct sk_buff *skb, const struct sock *sk, u32 *n)
{
	const u8 *ih = skb->head + skb->network_header;
	const struct udphdr *uh = (const struct udphdr *)(ih + 20);

	if (likely(ih[0] == 0x45)) {
		if (ih[9] != IPPROTO_UDP || *(__be16 *)(ih + 6) & htons(IP_MF | IP_OFFSET))
			return false;
	} else {
		uh = (const struct udphdr *)(ih + 40);
		if (ih[0] >> 4 != 6 || ih[6] != IPPROTO_UDP)
			return false;
	}
	*n = skb->len - (u32)((const u8 *)(uh + 1) - skb->data);
	return uh->source == inet_sk(sk)->inet_sport;
}

static __always_inline void note(const struct sk_buff *skb, const struct kt_netdev_slot *d,
				 u32 bucket, atomic64_t *row, u32 packets, u32 bytes, u32 extra,
				 u32 udp)
{
	u32 i = this_cpu_inc_return(net_cpu.sent_next) & (SENT_RING - 1);

	raw_cpu_write(net_cpu.sent[i].skb, skb);
	raw_cpu_write(net_cpu.sent[i].slot, (unsigned long)d | bucket);
	raw_cpu_write(net_cpu.sent[i].row, row);
	raw_cpu_write(net_cpu.sent[i].packets, packets | (u64)extra << 32);
	raw_cpu_write(net_cpu.sent[i].bytes, bytes | (u64)udp << 32);
}

static __always_inline void credit_sent(const struct sk_buff *skb, const struct kt_netdev_slot *d,
					atomic64_t *row, u32 packets, u32 extra, u32 udp)
{
	u32 bytes = skb->len;

	add_load(row + d->at + NET_CELL(0, NET_TX), packets, bytes, extra);
	if (static_branch_unlikely(&kt_net_by_arrival))
		atomic64_add(udp, &row[NET_UDP_TX]);
	kt_netdev_count(d, NET_TX, KTALLY_B_SOCKET, packets, bytes, extra);
	note(skb, d, KTALLY_B_SOCKET, row, packets, bytes, extra, udp);
}

static void sent_uncredited(const struct sk_buff *skb, const struct kt_netdev_slot *d, int bucket,
			    u32 packets, u32 extra)
{
	kt_netdev_count(d, NET_TX, bucket, packets, skb->len, extra);
	note(skb, d, bucket, NULL, packets, skb->len, extra, 0);
}

/* Whatever the fast path does not take: new sockets, pending bytes, no socket. */
static noinline notrace void sent_odd(const struct sk_buff *skb, const struct kt_netdev_slot *d,
				      u32 packets, u32 extra)
{
	struct sock *sk = skb->sk;
	struct kt_sock_entry *e;
	u32 udp = 0;

	if (!sk)
		return sent_uncredited(skb, d, bucket_of_sent(skb), packets, extra);
	e = kt_sock_find(kt_sock_cookie(sk));
	if (!e || !test_bit(SOCK_FLOWN, &e->flags))
		e = first_sent(skb, sk, e, d, packets);
	if (sock_net(sk) != d->credit)
		return sent_uncredited(skb, d, KTALLY_B_CARRIED, packets, extra);
	kt_sock_touch(e);
	if (static_branch_unlikely(&kt_net_by_arrival) && e->proto == IPPROTO_UDP)
		udp = udp_payload_of(skb, sk);
	credit_sent(skb, d, kt_sock_row(e), packets, extra, udp);
}

static noinline notrace void sent_gso(const struct sk_buff *skb, const struct kt_netdev_slot *d)
{
	int at = skb_network_offset(skb);
	struct kt_packet p;
	u32 header, packets;

	kt_packet_read(skb, at, &p);
	header = kt_packet_gso_header(skb, &p, at);
	packets = kt_packet_segments(skb, header);
	kt_netdev_segments(d, NET_TX, packets);
	sent_odd(skb, d, packets, (packets - 1) * header);
}

/* No call but at the end, so nothing is saved on the stack. */
static notrace void on_start(void *data, const struct sk_buff *skb, const struct net_device *dev)
{
	const struct kt_netdev_slot *d = kt_netdev_slot(dev);
	const struct sock *sk = skb->sk;
	struct kt_sock_entry *e;
	u32 udp = 0;

	if (unlikely(!d)) {
		count_odd(no_device);
		return;
	}
	if (unlikely(skb_is_gso(skb)))
		return sent_gso(skb, d);
	if (unlikely(!sk))
		return sent_odd(skb, d, 1, 0);
	e = kt_sock_find(kt_sock_cookie(sk));
	if (unlikely(!e || !test_bit(SOCK_FLOWN, &e->flags) || sock_net(sk) != d->credit))
		return sent_odd(skb, d, 1, 0);
	if (static_branch_unlikely(&kt_net_by_arrival) && e->proto == IPPROTO_UDP &&
	    unlikely(!udp_payload(skb, sk, &udp)))
		return sent_odd(skb, d, 1, 0);
	kt_sock_touch(e);
	credit_sent(skb, d, kt_sock_row(e), 1, 0, udp);
}

static void take_back(struct sent *s)
{
	const struct kt_netdev_slot *d = (void *)(s->slot & ~SENT_BUCKET);
	u32 packets = s->packets, extra = s->packets >> 32;
	u32 bytes = s->bytes, udp = s->bytes >> 32;
	atomic64_t *cell = s->row + d->at + NET_CELL(0, NET_TX);

	kt_netdev_uncount(d, s->slot & SENT_BUCKET, packets, bytes, extra);
	if (s->row) {
		atomic64_sub(packets, &cell[NET_PACKETS]);
		atomic64_sub(bytes, &cell[NET_BYTES]);
		atomic64_sub(extra, &cell[NET_EXTRA]);
		atomic64_sub(udp, &s->row[NET_UDP_TX]);
	}
	s->skb = NULL;
}

static bool is_sent(const struct sent *s, const struct sk_buff *skb, const struct net_device *dev)
{
	const struct kt_netdev_slot *d = (void *)(s->slot & ~SENT_BUCKET);

	return s->skb == skb && d->dev == dev;
}

/* The newest entry with this address is the packet: an older one was let go. */
static noinline notrace void refused(const struct sk_buff *skb, int rc,
				     const struct net_device *dev)
{
	struct net_cpu *c = raw_cpu_ptr(&net_cpu);
	u32 i, newest = c->sent_next;
	struct sent *s;

	if (rc == NETDEV_TX_BUSY)
		count_odd(busy);
	else
		count_odd(dropped);
	for (i = 0; i < SENT_RING; i++) {
		s = &c->sent[(newest - i) & (SENT_RING - 1)];
		if (is_sent(s, skb, dev))
			return take_back(s);
	}
	count_odd(not_taken_back);
}

/* skb may be freed by now: only its address is good. */
static notrace void on_xmit(void *data, struct sk_buff *skb, int rc, struct net_device *dev,
			    unsigned int len)
{
	if (likely(rc == NETDEV_TX_OK || rc == NET_XMIT_CN))
		return;
	refused(skb, rc, dev);
}

/* --- receiving ------------------------------------------------------------ */

static __always_inline void credit_row(const struct kt_netdev_slot *d, atomic64_t *row,
				       u32 packets, u32 bytes, u32 extra, u32 udp)
{
	add_load(row + d->at + NET_CELL(0, NET_RX), packets, bytes, extra);
	if (static_branch_unlikely(&kt_net_by_arrival))
		atomic64_add(udp, &row[NET_UDP_RX]);
	kt_netdev_count(d, NET_RX, KTALLY_B_SOCKET, packets, bytes, extra);
}

static void credit(const struct kt_netdev_slot *d, struct kt_sock_entry *e, struct kt_load l,
		   u32 udp)
{
	if (e->bucket)
		return kt_netdev_count(d, NET_RX, e->bucket, l.packets, l.bytes, l.extra);
	kt_sock_touch(e);
	credit_row(d, kt_sock_row(e), l.packets, l.bytes, l.extra, udp);
}

static bool is_forwarded(const struct sk_buff *skb, const struct kt_netdev_slot *d,
			 const struct kt_flow_key *key)
{
	if (key->w >> 32 & FLOW_V6)
		return kt_packet_is_forwarded(skb, true) ||
		       !kt_packet_is_here6(skb, d, (const struct in6_addr *)(key->a + 2));
	return kt_packet_is_forwarded(skb, false) ||
	       !kt_packet_is_here4(skb, d, ((const __be32 *)key->a)[1]);
}

/* A request may be sent again, or cross with ours; an old connection's is not it. */
static struct kt_sock_entry *find_opening(const struct kt_flow_key *key)
{
	struct kt_sock_entry *e = kt_flow_find(key);

	return e && !test_bit(SOCK_CLOSED, &e->flags) ? e : NULL;
}

/* No flow: in no socket's name, unless one comes up in a moment. */
static void missed(struct sk_buff *skb, const struct kt_netdev_slot *d,
		   const struct kt_flow_key *key, bool syn, struct kt_load load)
{
	struct net_cpu *c = raw_cpu_ptr(&net_cpu);
	struct kt_sock_entry *e = syn ? find_opening(key) : NULL;
	unsigned long flags;
	struct miss *m;
	u32 bucket = syn ? KTALLY_B_SYN : KTALLY_B_TCP;

	if (e)
		return credit(d, e, load, 0);
	if (!syn && is_forwarded(skb, d, key))
		bucket = KTALLY_B_FORWARDED;
	kt_netdev_count(d, NET_RX, bucket, load.packets, load.bytes, load.extra);
	local_irq_save(flags);
	m = &c->miss[c->miss_next++ % MISS_RING];
	m->key = *key;
	m->d = d;
	m->device = d->key;
	m->bucket = bucket;
	m->load = load;
	local_irq_restore(flags);
}

static struct kt_sock_entry *nobody(int bucket)
{
	return &kt_udp_nobody[bucket];
}

static struct kt_sock_entry *find_echo(const struct kt_packet *p, const struct kt_netdev_slot *d)
{
	struct kt_flow_key key;
	struct kt_sock_entry *e;

	if (!kt_packet_is_echo_reply(p))
		return nobody(KTALLY_B_ICMP);
	kt_packet_echo_key(p, d->ns, &key);
	e = kt_flow_find(&key);
	return e ?: nobody(KTALLY_B_ICMP);
}

static struct kt_sock_entry *find_udp(struct sk_buff *skb, const struct kt_netdev_slot *d,
				      const struct kt_packet *p)
{
	if (p->v6)
		return kt_udp_find6(d, p->a, p->ports) ?: kt_udp_ask6(skb, d, p->a, p->ports);
	return kt_udp_find4(d, p->a[0], p->ports) ?: kt_udp_ask4(skb, d, p->a[0], p->ports);
}

/* Any packet with a transport header; NULL: a TCP packet without a flow. */
static struct kt_sock_entry *find_socket(struct sk_buff *skb, const struct kt_netdev_slot *d,
					 const struct kt_packet *p, struct kt_flow_key *key)
{
	switch (p->proto) {
	case IPPROTO_TCP:
		kt_packet_key(p, FLOW_META(d->ns, 0), key);
		return p->syn ? NULL : kt_flow_find(key);
	case IPPROTO_UDP:
		return find_udp(skb, d, p);
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return find_echo(p, d);
	}
	if (skb->pkt_type == PACKET_MULTICAST || skb->pkt_type == PACKET_BROADCAST)
		return nobody(KTALLY_B_MULTICAST);
	return nobody(KTALLY_B_OTHER);
}

static void fragment_key(const struct kt_packet *p, const struct kt_netdev_slot *d,
			 struct kt_flow_key *key)
{
	kt_packet_key(p, FLOW_META(d->ns, 0), key);
	key->w = FLOW_W(key->w >> 32, p->id);
}

static void later_fragment(const struct kt_packet *p, const struct kt_netdev_slot *d,
			   struct kt_load load)
{
	struct kt_sock_entry *e;
	struct kt_flow_key key;

	fragment_key(p, d, &key);
	e = kt_frag_later(&key, d, &load);
	if (e)
		credit(d, e, load, 0);
}

static void first_fragment(const struct kt_packet *p, const struct kt_netdev_slot *d,
			   struct kt_sock_entry *e)
{
	struct kt_load held;
	struct kt_flow_key key;

	fragment_key(p, d, &key);
	kt_frag_first(&key, d, e, &held);
	if (held.packets)
		credit(d, e, held, 0);
}

/* Whatever the fast path does not take: options, fragments, tags, no IP, no socket. */
static noinline notrace void received_odd(struct sk_buff *skb, const struct kt_netdev_slot *d,
					  u32 packets, u32 bytes, u32 extra)
{
	struct kt_load load = { packets, bytes, extra };
	int at = kt_packet_ip_at(skb);
	struct kt_sock_entry *e;
	struct kt_flow_key key;
	struct kt_packet p;

	if (!d->credit)
		e = nobody(KTALLY_B_CARRIED);
	else if (skb->pkt_type == PACKET_LOOPBACK)
		e = nobody(KTALLY_B_LOOPED);
	else if (at < 0 || !kt_packet_read(skb, at, &p))
		e = nobody(KTALLY_B_UNPARSED);
	else if (p.part != PACKET_LATER)
		e = find_socket(skb, d, &p, &key);
	else
		return later_fragment(&p, d, load);
	if (!e)
		return missed(skb, d, &key, p.syn, load);
	if (!e->bucket && p.part == PACKET_FIRST)
		first_fragment(&p, d, e);
	credit(d, e, load, !e->bucket && p.proto == IPPROTO_UDP ? p.udp_bytes : 0);
}

/* The MAC header is pulled already; a device may have none. */
static __always_inline u32 mac_bytes(const struct sk_buff *skb)
{
	return likely(skb_mac_header_was_set(skb)) ? skb->data - skb_mac_header(skb) : 0;
}

static noinline notrace void received_gso(struct sk_buff *skb, const struct kt_netdev_slot *d)
{
	u32 mac = mac_bytes(skb);
	int at = kt_packet_ip_at(skb);
	struct kt_packet p;
	u32 header, packets;

	if (at < 0 || !kt_packet_read(skb, at, &p))
		memset(&p, 0, sizeof(p));
	header = kt_packet_gso_header(skb, &p, max(at, 0));
	packets = kt_packet_segments(skb, header);
	kt_netdev_segments(d, NET_RX, packets);
	received_odd(skb, d, packets, skb->len + mac, (packets - 1) * (header + mac));
}

/* SYN without ACK. */
static __always_inline bool is_syn(const u8 *tcp)
{
	return (tcp[13] & 0x12) == 0x02;
}

/* What a UDP header announces; it is not checked yet and anyone may have sent it. */
static __always_inline u32 announced(const u8 *udp, u32 rest)
{
	u32 len = ntohs(*(const __be16 *)(udp + 4));

	return likely(len >= sizeof(struct udphdr) && len <= rest) ?
	       len - sizeof(struct udphdr) : 0;
}

/* The socket that an IPv4 packet is for; NULL: look closer. */
static __always_inline struct kt_sock_entry *receiver4(const struct sk_buff *skb,
						       const struct kt_netdev_slot *d, u32 *udp)
{
	const u8 *p = skb->data;
	u32 ports;
	u64 a;

	if (unlikely(skb_headlen(skb) < 28 || p[0] != 0x45 ||
		     *(const __be16 *)(p + 6) & htons(IP_MF | IP_OFFSET)))
		return NULL;
	memcpy(&a, p + 12, sizeof(a));
	memcpy(&ports, p + 20, sizeof(ports));
	if (p[9] == IPPROTO_TCP)
		return unlikely(skb_headlen(skb) < 40 || is_syn(p + 20)) ? NULL :
			kt_flow_find4(a, d->tcp_w | ports);
	if (unlikely(p[9] != IPPROTO_UDP))
		return NULL;
	*udp = announced(p + 20, skb->len - 20);
	return kt_udp_find4(d, a, ports);
}

static __always_inline struct kt_sock_entry *receiver6(const struct sk_buff *skb,
						       const struct kt_netdev_slot *d, u32 *udp)
{
	const u8 *p = skb->data;
	const u64 *a = (const u64 *)(p + 8);
	u32 ports;

	if (unlikely(skb_headlen(skb) < 48))
		return NULL;
	memcpy(&ports, p + 40, sizeof(ports));
	if (p[6] == IPPROTO_TCP)
		return unlikely(skb_headlen(skb) < 60 || is_syn(p + 40)) ? NULL :
			kt_flow_find6(a, d->tcp_w | (u64)FLOW_V6 << 32 | ports);
	if (unlikely(p[6] != IPPROTO_UDP))
		return NULL;
	*udp = announced(p + 40, skb->len - 40);
	return kt_udp_find6(d, a, ports);
}

/* No call but at the end, so nothing is saved on the stack. */
static notrace void on_receive(void *data, struct sk_buff *skb)
{
	const struct kt_netdev_slot *d = kt_netdev_slot(skb->dev);
	struct kt_sock_entry *e = NULL;
	u32 bytes, udp = 0;

	if (unlikely(!d)) {
		count_odd(no_device);
		return;
	}
	if (unlikely(skb_is_gso(skb)))
		return received_gso(skb, d);
	bytes = skb->len + mac_bytes(skb);
	if (likely(skb->protocol == htons(ETH_P_IP)))
		e = receiver4(skb, d, &udp);
	else if (likely(skb->protocol == htons(ETH_P_IPV6)))
		e = receiver6(skb, d, &udp);
	if (unlikely(!e || e->bucket))
		return received_odd(skb, d, 1, bytes, 0);
	kt_sock_touch(e);
	credit_row(d, kt_sock_row(e), 1, bytes, 0, udp);
}

/* --- the table ------------------------------------------------------------ */

static struct kt_probe probes[] = {
	{ "net_dev_queue", on_queue, true },
	{ "net_dev_start_xmit", on_start, true },
	{ "net_dev_xmit", on_xmit, true },
	{ "netif_receive_skb", on_receive, true, KTALLY_FEAT_NET },
	{ "tcp_rcv_space_adjust", on_tcp_read },
	{ "inet_sock_set_state", on_state },
	{ "sock_send_length", on_sent_call },
	{ "sock_recv_length", on_received_call, false, KTALLY_FEAT_SOCK_LENGTH },
};

/* Attaching by name loses the types: here the compiler compares them. */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_net_dev_queue(on_queue);
	check_trace_callback_type_net_dev_start_xmit(on_start);
	check_trace_callback_type_net_dev_xmit(on_xmit);
	check_trace_callback_type_netif_receive_skb(on_receive);
	check_trace_callback_type_tcp_rcv_space_adjust(on_tcp_read);
	check_trace_callback_type_inet_sock_set_state(on_state);
}

int kt_nethook_open(void)
{
	int err = kt_probes_open(probes, ARRAY_SIZE(probes));

	if (!err && !(kt_features & KTALLY_FEAT_SOCK_LENGTH))
		static_branch_enable(&kt_net_by_arrival);
	return err;
}

void kt_nethook_close(void)
{
	kt_probes_close(probes, ARRAY_SIZE(probes));
	static_branch_disable(&kt_net_by_arrival);
}

void kt_nethook_odd(struct kt_net_odd *sum)
{
	const struct kt_net_odd *odd;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		odd = &per_cpu(net_cpu, cpu).odd;
		sum->no_device += odd->no_device;
		sum->dropped += odd->dropped;
		sum->busy += odd->busy;
		sum->not_taken_back += odd->not_taken_back;
		sum->taken_up += odd->taken_up;
	}
}
