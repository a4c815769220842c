/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packet.h - reads the headers of packets that the fast path does not take:
 * options, extensions, fragments, tags, headers that are not linear. Any skb
 * context; nothing is changed in the skb.
 */
#ifndef KTALLY_PACKET_H
#define KTALLY_PACKET_H

#include <linux/in6.h>
#include <linux/ktally.h>
#include <linux/skbuff.h>

#include "flow.h"
#include "netdev.h"

enum packet_part { PACKET_WHOLE, PACKET_FIRST, PACKET_LATER };

struct kt_packet {
	u64 a[4];		/* addresses as in struct kt_flow_key */
	u32 ports;		/* as in the packet; ICMP: the echo's id */
	u32 id;			/* of its fragments */
	u32 header;		/* bytes from the IP header to the payload */
	u32 udp_bytes;		/* payload the UDP header announces */
	bool v6;
	bool syn;		/* TCP: a pure connection request */
	u8 proto;
	u8 part;
	u8 type;		/* of ICMP */
	u8 tcp_flags;
};

/* The IP packet at this offset from skb->data; false: not to be read. */
bool kt_packet_read(const struct sk_buff *skb, int at, struct kt_packet *p);
/* Where the IP header of a received packet is: behind tags, if any. -1: no IP. */
int kt_packet_ip_at(const struct sk_buff *skb);

void kt_packet_key(const struct kt_packet *p, u32 meta, struct kt_flow_key *key);
/*
 * What a packet that no process has is told as; over: its connection is no more.
 * p == NULL: it could not be read.
 */
enum ktally_packet kt_packet_kind(const struct sk_buff *skb, const struct kt_packet *p, bool over);
/* The same of a protocol alone. */
static inline enum ktally_packet kt_packet_kind_of(u8 proto)
{
	switch (proto) {
	case IPPROTO_TCP:
		return KTALLY_P_TCP;
	case IPPROTO_UDP:
		return KTALLY_P_UDP;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return KTALLY_P_ICMP;
	}
	return KTALLY_P_OTHER;
}

/* As the answer to it will look. */
void kt_packet_reverse(struct kt_packet *p);

bool kt_packet_is_echo_reply(const struct kt_packet *p);
bool kt_packet_is_echo_request(const struct kt_packet *p);
/* Echo requests and replies: one socket talks to many hosts by one id. */
void kt_packet_echo_key(const struct kt_packet *p, u32 ns, struct kt_flow_key *key);

/* Is a received packet addressed to this namespace? */
bool kt_packet_is_here(const struct sk_buff *skb, const struct kt_netdev_slot *d,
		       const struct kt_flow_key *key);
/*
 * May packets from this device be sent on? Then one to an own address that no
 * socket takes is likely somebody else's behind address translation.
 */
bool kt_packet_is_forwarded(const struct sk_buff *skb, bool v6);

/* A tunnel's device carried it already; these offsets are 0 until one sets them. */
static __always_inline bool kt_packet_is_inside(const struct sk_buff *skb)
{
	return skb->inner_network_header;
}

/* Packets in a GSO skb, and bytes of headers in front of each one's payload. */
u32 kt_packet_segments(const struct sk_buff *skb, u32 header);
u32 kt_packet_gso_header(const struct sk_buff *skb, const struct kt_packet *p, int at);

#endif
