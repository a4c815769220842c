// SPDX-License-Identifier: GPL-2.0-only
/*
 * received.c - HOT: packets that the stack receives, to counters of the socket
 * they will reach.
 *
 * The packet hooks run inside the caller's RCU (bottom halves off) section and
 * stay on one CPU; all additions are atomic or this_cpu_add(), so neither
 * interrupts nor preemption are switched. No allocation, no lock on the way of a
 * packet whose socket is known: what isn't steady flow leaves by a noinline call and is
 * built small.
 */
#include <linux/icmp.h>
#include <linux/ip.h>
#include <linux/percpu.h>
#include <linux/udp.h>

#include "compat_net.h"
#include "credit.h"
#include "frag.h"
#include "nethook.h"
#include "packet.h"
#include "tcp.h"
#include "udp.h"

/* A received TCP packet that no flow was found for. */
struct miss {
	struct kt_flow_key key;	/* w == 0: none */
	const struct kt_netdev_slot *d;
	u32 device;		/* d's key: it may be another device's by now */
	u32 bucket;
	struct kt_load load;
};

#define MISS_RING	4

struct miss_ring {
	u32 next;
	struct miss miss[MISS_RING];
};

static DEFINE_PER_CPU(struct miss_ring, ring);

void kt_received_take_up(struct kt_sock_entry *e, const struct kt_flow_key *key)
{
	struct miss_ring *r = raw_cpu_ptr(&ring);
	unsigned long flags;
	struct miss *m;

	local_irq_save(flags);
	for (m = r->miss; m < r->miss + MISS_RING; m++) {
		if (m->key.w != key->w || !kt_flow_same6(m->key.a, key->a))
			continue;
		m->key.w = 0;
		/* Its slot may be wiped and taken now: then it is not this device's. */
		if (data_race(READ_ONCE(m->d->key)) != m->device)
			continue;
		kt_add_load(kt_sock_row(e) + m->d->at, m->load.packets, m->load.bytes,
			    m->load.extra);
		kt_netdev_move(m->d, NET_RX, m->bucket, KTALLY_B_SOCKET, m->load.packets,
			       m->load.bytes, m->load.extra);
		count_odd(taken_up);
	}
	local_irq_restore(flags);
}

static __always_inline void credit_row(const struct kt_netdev_slot *d, atomic64_t *row,
				       u32 packets, u32 bytes, u32 extra, u32 udp)
{
	kt_add_load(row + d->at + NET_CELL(0, NET_RX), packets, bytes, extra);
	if (static_branch_unlikely(&kt_net_by_arrival) && udp)
		atomic64_add(udp & data_race(d->udp_mask), &row[NET_UDP_RX]);
	kt_netdev_count(d, NET_RX, KTALLY_B_SOCKET, packets, bytes, extra);
}

static noinline __cold void credit(const struct kt_netdev_slot *d, struct kt_sock_entry *e,
				   struct kt_load l, u32 udp)
{
	u8 bucket = READ_ONCE(e->bucket);

	if (bucket)
		return kt_netdev_count(d, NET_RX, bucket, l.packets, l.bytes, l.extra);
	kt_sock_touch(e);
	credit_row(d, kt_sock_row(e), l.packets, l.bytes, l.extra, udp);
}

static bool is_forwarded(const struct sk_buff *skb, const struct kt_netdev_slot *d,
			 const struct kt_flow_key *key)
{
	return kt_packet_is_forwarded(skb, kt_flow_is_v6(key)) || !kt_packet_is_here(skb, d, key);
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
	struct miss_ring *r = raw_cpu_ptr(&ring);
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
	m = &r->miss[r->next++ % MISS_RING];
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

/* Any packet with a transport header; NULL: a TCP packet without a flow. */
static struct kt_sock_entry *find_socket(struct sk_buff *skb, const struct kt_netdev_slot *d,
					 const struct kt_packet *p, struct kt_flow_key *key)
{
	switch (p->proto) {
	case IPPROTO_TCP:
		kt_packet_key(p, FLOW_META(d->ns, 0), key);
		return p->syn ? NULL : kt_flow_find(key) ?: kt_tcp_ask(d, key);
	case IPPROTO_UDP:
		kt_packet_key(p, FLOW_META(d->key, 0), key);
		return kt_udp_find(skb, d, key);
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

/* No process has it: its row by its kind. p is NULL if it is not IP. */
static atomic64_t *row_apart(const struct sk_buff *skb, const struct kt_packet *p)
{
	return kt_acct_row(kt_acct_apart(p ? KTALLY_A_UNOWNED : KTALLY_A_UNPARSED,
					 kt_packet_kind(skb, p, true)));
}

static void unparsed(const struct sk_buff *skb, const struct kt_netdev_slot *d, struct kt_load l)
{
	kt_add_load(row_apart(skb, NULL) + d->at + NET_CELL(0, NET_RX), l.packets, l.bytes,
		    l.extra);
	kt_netdev_count(d, NET_RX, KTALLY_B_UNPARSED, l.packets, l.bytes, l.extra);
}

/* Whatever the fast path does not take: options, fragments, tags, no IP, no socket. */
static noinline __cold void received_odd(struct sk_buff *skb, const struct kt_netdev_slot *d,
					 u32 packets, u32 bytes, u32 extra)
{
	struct kt_load load = { packets, bytes, extra };
	int at = kt_packet_ip_at(skb);
	struct kt_sock_entry *e;
	struct kt_flow_key key;
	struct kt_packet p;
	u8 bucket;

	if (!READ_ONCE(d->credit))
		e = nobody(KTALLY_B_CARRIED);
	else if (skb->pkt_type == PACKET_LOOPBACK)
		e = nobody(KTALLY_B_LOOPED);
	else if (at < 0 || !kt_packet_read(skb, at, &p))
		return unparsed(skb, d, load);
	else if (p.part != PACKET_LATER)
		e = find_socket(skb, d, &p, &key);
	else
		return later_fragment(&p, d, load);
	if (!e)
		return missed(skb, d, &key, p.syn, load);
	bucket = READ_ONCE(e->bucket);
	if (bucket == SOCK_BUCKET_APART) {
		kt_sock_touch(e);
		return credit_row(d, row_apart(skb, &p), packets, bytes, extra, 0);
	}
	if (!bucket && p.part == PACKET_FIRST)
		first_fragment(&p, d, e);
	credit(d, e, load, !bucket && p.proto == IPPROTO_UDP ? p.udp_bytes : 0);
}

/* The MAC header is pulled already; a device may have none. */
static __always_inline u32 mac_bytes(const struct sk_buff *skb)
{
	return likely(skb_mac_header_was_set(skb)) ? skb->data - skb_mac_header(skb) : 0;
}

/*
 * A card counts what comes over the cable, and its packets are put together behind
 * it. Other devices are handed packets of many segments and count them as one; so
 * does a card whose host hands it such a packet.
 */
static bool counted_by_segments(const struct sk_buff *skb, const struct kt_netdev_slot *d)
{
	return d->class == NET_PHYS && !(skb_shinfo(skb)->gso_type & SKB_GSO_DODGY);
}

static noinline __cold void received_gso(struct sk_buff *skb, const struct kt_netdev_slot *d)
{
	u32 mac = mac_bytes(skb);
	int at = kt_packet_ip_at(skb);
	struct kt_packet p;
	u32 header, packets, bytes, extra;

	if (at < 0 || !kt_packet_read(skb, at, &p))
		memset(&p, 0, sizeof(p));
	header = kt_packet_gso_header(skb, &p, max(at, 0));
	packets = kt_packet_segments(skb, header);
	bytes = skb->len + mac;
	extra = (packets - 1) * (header + mac);
	if (counted_by_segments(skb, d))
		return received_odd(skb, d, packets, bytes + extra, 0);
	kt_netdev_segments(d, NET_RX, packets);
	received_odd(skb, d, packets, bytes, extra);
}

/* SYN without ACK. */
static __always_inline bool is_syn(const u8 *tcp)
{
	return (tcp[13] & 0x12) == 0x02;
}

/*
 * What a UDP header announces, where that is wanted; it is not checked yet and
 * anyone may have sent it.
 */
static __always_inline u32 announced(const u8 *udp, u32 rest)
{
	u32 len;

	if (!static_branch_unlikely(&kt_net_by_arrival))
		return 0;
	len = ntohs(*(const __be16 *)(udp + 4));

	return likely(len >= sizeof(struct udphdr) && len <= rest) ?
	       len - sizeof(struct udphdr) : 0;
}

/* Of an ICMP message: nobody has it, unless it answers an echo; NULL: look closer. */
static __always_inline struct kt_sock_entry *receiver_icmp(const struct sk_buff *skb,
							   const struct kt_netdev_slot *d,
							   const u8 *icmp)
{
	if (icmp[0] == ICMP_ECHOREPLY || !READ_ONCE(d->credit) || skb->pkt_type == PACKET_LOOPBACK)
		return NULL;
	return nobody(KTALLY_B_ICMP);
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
			kt_flow_find4(a, data_race(d->tcp_w) | ports);
	if (unlikely(p[9] != IPPROTO_UDP))
		return p[9] == IPPROTO_ICMP ? receiver_icmp(skb, d, p + 20) : NULL;
	*udp = announced(p + 20, skb->len - 20);
	return kt_udp_find4(d, a, ports);
}

static __always_inline struct kt_sock_entry *receiver6(const struct sk_buff *skb,
						       const struct kt_netdev_slot *d, u32 *udp)
{
	const u8 *p = skb->data;
	const u8 *a = p + 8;
	u32 ports;

	if (unlikely(skb_headlen(skb) < 48))
		return NULL;
	memcpy(&ports, p + 40, sizeof(ports));
	if (p[6] == IPPROTO_TCP)
		return unlikely(skb_headlen(skb) < 60 || is_syn(p + 40)) ? NULL :
			kt_flow_find6(a, data_race(d->tcp_w) | (u64)FLOW_V6 << 32 | ports);
	if (unlikely(p[6] != IPPROTO_UDP))
		return NULL;
	*udp = announced(p + 40, skb->len - 40);
	return kt_udp_find6(d, a, ports);
}

/* No call but at the end, so nothing is saved on the stack. */
void kt_on_receive(void *data, struct sk_buff *skb)
{
	const struct kt_netdev_slot *d = kt_netdev_slot(skb->dev);
	struct kt_sock_entry *e = NULL;
	u32 bytes, udp = 0;
	u8 bucket;

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
	if (unlikely(!e))
		return received_odd(skb, d, 1, bytes, 0);
	/* Once: an owner may come up and take it back to 0. */
	bucket = READ_ONCE(e->bucket);
	if (unlikely(bucket)) {
		if (unlikely(bucket == SOCK_BUCKET_APART))
			return received_odd(skb, d, 1, bytes, 0);
		return kt_netdev_count(d, NET_RX, bucket, 1, bytes, 0);
	}
	kt_sock_touch(e);
	credit_row(d, kt_sock_row(e), 1, bytes, 0, udp);
}
