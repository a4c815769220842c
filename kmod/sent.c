// SPDX-License-Identifier: GPL-2.0-only
/*
 * sent.c - HOT: packets handed to drivers, to counters; taken back if the driver
 * refuses.
 *
 * The packet hooks run inside the caller's RCU (bottom halves off) section and
 * stay on one CPU; all additions are atomic or this_cpu_add(), so neither
 * interrupts nor preemption are switched. No allocation, no lock on the way of a
 * packet whose socket is known: what isn't steady flow leaves by a noinline call and is
 * built small.
 */
#include <linux/ip.h>
#include <linux/percpu.h>
#include <linux/udp.h>

#include "compat_net.h"
#include "credit.h"
#include "nethook.h"
#include "owner.h"
#include "packet.h"

/* A packet given to a driver, to be found again if it comes back: few stores. */
struct sent {
	const struct sk_buff *skb;
	unsigned long slot;	/* and below it the bucket and SENT_MANY */
	atomic64_t *row;	/* NULL: credited to nobody */
	u64 bytes;		/* and, in the high half, UDP payload */
	u64 packets;		/* and, in the high half, extra bytes; SENT_MANY only */
} __aligned(64);

/* Slots are aligned so that these fit below. */
#define SENT_BUCKET	0x1fUL
#define SENT_MANY	0x20UL	/* not just one packet without extra bytes */
#define SENT_BELOW	(SENT_BUCKET | SENT_MANY)
static_assert(KTALLY_B_KINDS <= SENT_BUCKET);
static_assert(__alignof__(struct kt_netdev_slot) > SENT_BELOW);

/* Drivers nest (VLAN, veth, tunnels) and on RT interleave: never a stack. */
#define SENT_RING	16

struct sent_ring {
	u32 next;
	struct sent sent[SENT_RING];
};

static DEFINE_PER_CPU(struct sent_ring, ring);

static void add_flow(struct kt_sock_entry *e, const struct kt_flow_key *key)
{
	kt_flow_add(e, key);
	kt_received_take_up(e, key);
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
	kt_flow_own_key(sk, ns, &key);
	add_flow(e, &key);
	kt_packet_reverse(&p);
	kt_packet_key(&p, FLOW_META(ns, 0), &key);
	add_flow(e, &key);
}

/* A socket without an entry, or whose answers would not be recognised yet. */
static noinline __cold struct kt_sock_entry *
first_sent(const struct sk_buff *skb, struct sock *sk, struct kt_sock_entry *e,
	   const struct kt_netdev_slot *d, u32 packets)
{
	if (!e)
		e = kt_sock_get(sk, packets + kt_sock_held_back(sk));
	if (test_bit(SOCK_OPENING, &e->flags) && sk_fullsock(sk))
		kt_sock_opened(e, sk);
	if (test_bit(SOCK_FLOWN, &e->flags) || d->net != sock_net(sk))
		return e;
	/* Without the lock it is a hint: kt_flow_add() looks again. */
	if (test_bit(SOCK_APART, &e->flags) && (!e->proto || data_race(e->flow[0])))
		return e;
	add_flows(e, skb, sk, d->ns);
	if (!test_bit(SOCK_OPENING, &e->flags) && !test_bit(SOCK_APART, &e->flags))
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
	u32 i = this_cpu_inc_return(ring.next) & (SENT_RING - 1);
	bool one = __builtin_constant_p(packets) && packets == 1;

	raw_cpu_write(ring.sent[i].skb, skb);
	raw_cpu_write(ring.sent[i].slot, (unsigned long)d | bucket | (one ? 0 : SENT_MANY));
	raw_cpu_write(ring.sent[i].row, row);
	raw_cpu_write(ring.sent[i].bytes, bytes | (u64)udp << 32);
	if (!one)
		raw_cpu_write(ring.sent[i].packets, packets | (u64)extra << 32);
}

static __always_inline void credit_sent(const struct sk_buff *skb, const struct kt_netdev_slot *d,
					atomic64_t *row, u32 packets, u32 extra, u32 udp)
{
	u32 bytes = skb->len;

	kt_add_load(row + d->at + NET_CELL(0, NET_TX), packets, bytes, extra);
	if (!__builtin_constant_p(udp)) {
		udp &= READ_ONCE(d->udp_mask);
		atomic64_add(udp, &row[NET_UDP_TX]);
	}
	kt_netdev_count(d, NET_TX, KTALLY_B_SOCKET, packets, bytes, extra);
	note(skb, d, KTALLY_B_SOCKET, row, packets, bytes, extra, udp);
}

/* The row of a packet that no process has. */
static atomic64_t *row_apart(const struct sk_buff *skb, enum ktally_apart of, bool over)
{
	struct kt_packet p;
	bool read = kt_packet_read(skb, skb_network_offset(skb), &p);

	return kt_acct_row(kt_acct_apart(of, kt_packet_kind(skb, read ? &p : NULL, over)));
}

static atomic64_t *row_of(const struct sk_buff *skb, struct kt_sock_entry *e)
{
	if (likely(!test_bit(SOCK_APART, &e->flags)))
		return kt_sock_row(e);
	return row_apart(skb, test_bit(SOCK_CLOSED, &e->flags) ? KTALLY_A_UNOWNED :
								 KTALLY_A_KERNEL, true);
}

static void sent_uncredited(const struct sk_buff *skb, const struct kt_netdev_slot *d, int bucket,
			    u32 packets, u32 extra)
{
	atomic64_t *row = NULL;

	if (bucket == KTALLY_B_LOCAL)
		row = row_apart(skb, KTALLY_A_LOCAL, false);
	else if (bucket == KTALLY_B_UNPARSED)
		row = row_apart(skb, KTALLY_A_UNPARSED, false);
	if (row)
		kt_add_load(row + d->at + NET_CELL(0, NET_TX), packets, skb->len, extra);
	kt_netdev_count(d, NET_TX, bucket, packets, skb->len, extra);
	note(skb, d, bucket, row, packets, skb->len, extra, 0);
}

/* Whatever the fast path does not take: new sockets, pending bytes, no socket. */
static noinline __cold void sent_odd(const struct sk_buff *skb, const struct kt_netdev_slot *d,
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
	if (sock_net(sk) != READ_ONCE(d->credit) || (d->class == NET_VIRT && kt_packet_is_inside(skb)))
		return sent_uncredited(skb, d, KTALLY_B_CARRIED, packets, extra);
	kt_sock_touch(e);
	if (static_branch_unlikely(&kt_net_by_arrival) && e->proto == IPPROTO_UDP)
		udp = udp_payload_of(skb, sk);
	credit_sent(skb, d, row_of(skb, e), packets, extra, udp);
}

static noinline __cold void sent_gso(const struct sk_buff *skb, const struct kt_netdev_slot *d)
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

/* Where UDP payload is counted by packet. */
static noinline void sent_udp(const struct sk_buff *skb, const struct kt_netdev_slot *d,
			      struct kt_sock_entry *e)
{
	u32 udp;

	if (unlikely(!udp_payload(skb, skb->sk, &udp)))
		return sent_odd(skb, d, 1, 0);
	kt_sock_touch(e);
	credit_sent(skb, d, kt_sock_row(e), 1, 0, udp);
}

/* No call but at the end, so nothing is saved on the stack. */
void kt_on_start(void *data, const struct sk_buff *skb, const struct net_device *dev)
{
	const struct kt_netdev_slot *d = kt_netdev_slot(dev);
	const struct sock *sk = skb->sk;
	struct kt_sock_entry *e;

	if (unlikely(!d)) {
		count_odd(no_device);
		return;
	}
	if (unlikely(skb_is_gso(skb)))
		return sent_gso(skb, d);
	if (unlikely(!sk))
		return sent_odd(skb, d, 1, 0);
	e = kt_sock_find(kt_sock_cookie(sk));
	if (unlikely(!e || !test_bit(SOCK_FLOWN, &e->flags) || sock_net(sk) != READ_ONCE(d->credit) ||
		     kt_packet_is_inside(skb)))
		return sent_odd(skb, d, 1, 0);
	if (static_branch_unlikely(&kt_net_by_arrival) && e->proto == IPPROTO_UDP)
		return sent_udp(skb, d, e);
	kt_sock_touch(e);
	credit_sent(skb, d, kt_sock_row(e), 1, 0, 0);
}

static void take_back(struct sent *s)
{
	const struct kt_netdev_slot *d = (void *)(s->slot & ~SENT_BELOW);
	u64 load = s->slot & SENT_MANY ? s->packets : 1;
	u32 packets = load, extra = load >> 32;
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
	const struct kt_netdev_slot *d = (void *)(s->slot & ~SENT_BELOW);

	/* That of an old packet may be given back just now. */
	return s->skb == skb && data_race(READ_ONCE(d->dev)) == dev;
}

/* The newest entry with this address is the packet: an older one was let go. */
static noinline __cold void refused(const struct sk_buff *skb, int rc,
				    const struct net_device *dev)
{
	struct sent_ring *r = raw_cpu_ptr(&ring);
	u32 i, newest = r->next;
	struct sent *s;

	if (rc == NETDEV_TX_BUSY)
		count_odd(busy);
	else
		count_odd(dropped);
	for (i = 0; i < SENT_RING; i++) {
		s = &r->sent[(newest - i) & (SENT_RING - 1)];
		if (is_sent(s, skb, dev))
			return take_back(s);
	}
	count_odd(not_taken_back);
}

/* skb may be freed by now: only its address is good. */
void kt_on_xmit(void *data, struct sk_buff *skb, int rc, struct net_device *dev,
		unsigned int len)
{
	if (likely(rc == NETDEV_TX_OK || rc == NET_XMIT_CN))
		return;
	refused(skb, rc, dev);
}
