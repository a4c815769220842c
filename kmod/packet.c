// SPDX-License-Identifier: GPL-2.0-only
/*
 * packet.c - headers of unusual packets (packet.h). Slow but careful: every
 * byte is fetched through skb_header_pointer(), so nothing outside the packet
 * is read whatever it claims.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include "packet.h"

#define PACKET_TAGS		2	/* VLAN tags looked through */
#define PACKET_EXTENSIONS	8	/* IPv6 headers stepped over */

static bool read_tcp(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	struct tcphdr room;
	const struct tcphdr *th = skb_header_pointer(skb, at, sizeof(room), &room);

	if (!th)
		return false;
	memcpy(&p->ports, th, sizeof(p->ports));
	p->header += th->doff * 4;
	p->tcp_flags = tcp_flag_byte(th);
	p->syn = th->syn && !th->ack;
	return true;
}

static bool read_udp(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	struct udphdr room;
	const struct udphdr *uh = skb_header_pointer(skb, at, sizeof(room), &room);
	u16 len;

	if (!uh)
		return false;
	memcpy(&p->ports, uh, sizeof(p->ports));
	p->header += sizeof(*uh);
	len = ntohs(uh->len);
	/* 0: the length of a GSO or jumbo datagram is elsewhere. */
	if (len >= sizeof(*uh))
		p->udp_bytes = len - sizeof(*uh);
	if (skb_is_gso(skb) || !len)
		p->udp_bytes = skb->len - at - sizeof(*uh);
	return true;
}

static bool read_icmp(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	struct icmphdr room;	/* ICMPv6 has type and id in the same places */
	const struct icmphdr *h = skb_header_pointer(skb, at, sizeof(room), &room);

	if (!h)
		return false;
	p->type = h->type;
	p->ports = (__force u16)h->un.echo.id;
	return true;
}

static bool read_transport(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	if (p->part == PACKET_LATER)
		return true;
	switch (p->proto) {
	case IPPROTO_TCP:
		return read_tcp(skb, at, p);
	case IPPROTO_UDP:
		return read_udp(skb, at, p);
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return read_icmp(skb, at, p);
	}
	return true;
}

static bool read_ip4(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	struct iphdr room;
	const struct iphdr *ih = skb_header_pointer(skb, at, sizeof(room), &room);

	if (!ih || ih->ihl < 5)
		return false;
	memcpy(p->a, (const u8 *)ih + offsetof(struct iphdr, saddr), 8);
	p->proto = ih->protocol;
	p->id = (__force u16)ih->id;
	p->header = ih->ihl * 4;
	if (ih->frag_off & htons(IP_OFFSET))
		p->part = PACKET_LATER;
	else if (ih->frag_off & htons(IP_MF))
		p->part = PACKET_FIRST;
	return read_transport(skb, at + ih->ihl * 4, p);
}

static bool read_fragment(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	struct frag_hdr room;
	const struct frag_hdr *fh = skb_header_pointer(skb, at, sizeof(room), &room);

	if (!fh)
		return false;
	p->id = (__force u32)fh->identification;
	if (fh->frag_off & htons(IP6_OFFSET))
		p->part = PACKET_LATER;
	else if (fh->frag_off & htons(IP6_MF))
		p->part = PACKET_FIRST;
	return true;
}

static int extension_size(u8 proto, const struct ipv6_opt_hdr *ext)
{
	switch (proto) {
	case NEXTHDR_FRAGMENT:
		return sizeof(struct frag_hdr);
	case NEXTHDR_AUTH:
		return ipv6_authlen(ext);
	}
	return ipv6_optlen(ext);
}

/* Steps over extensions; p->proto is what follows. The new offset, or -1. */
static int skip_extensions(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	const struct ipv6_opt_hdr *ext;
	struct ipv6_opt_hdr room;
	unsigned int hop;

	for (hop = 0; hop < PACKET_EXTENSIONS && p->part != PACKET_LATER; hop++) {
		if (!ipv6_ext_hdr(p->proto) || p->proto == NEXTHDR_NONE)
			return at;
		ext = skb_header_pointer(skb, at, sizeof(room), &room);
		if (!ext)
			return -1;
		if (p->proto == NEXTHDR_FRAGMENT && !read_fragment(skb, at, p))
			return -1;
		at += extension_size(p->proto, ext);
		p->proto = ext->nexthdr;
	}
	return at;
}

static bool read_ip6(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	struct ipv6hdr room;
	const struct ipv6hdr *ih = skb_header_pointer(skb, at, sizeof(room), &room);
	int next;

	if (!ih)
		return false;
	p->v6 = true;
	memcpy(p->a, (const u8 *)ih + offsetof(struct ipv6hdr, saddr), 32);
	p->proto = ih->nexthdr;
	next = skip_extensions(skb, at + sizeof(*ih), p);
	if (next < 0)
		return false;
	p->header = next - at;
	return read_transport(skb, next, p);
}

bool kt_packet_read(const struct sk_buff *skb, int at, struct kt_packet *p)
{
	u8 room;
	const u8 *first = skb_header_pointer(skb, at, 1, &room);

	memset(p, 0, sizeof(*p));
	if (!first)
		return false;
	switch (*first >> 4) {
	case 4:
		return read_ip4(skb, at, p);
	case 6:
		return read_ip6(skb, at, p);
	}
	return false;
}

int kt_packet_ip_at(const struct sk_buff *skb)
{
	__be16 proto = skb->protocol;
	struct vlan_hdr room;
	const struct vlan_hdr *tag;
	int at = 0;

	while (eth_type_vlan(proto) && at < PACKET_TAGS * VLAN_HLEN) {
		tag = skb_header_pointer(skb, at, sizeof(room), &room);
		if (!tag)
			return -1;
		proto = tag->h_vlan_encapsulated_proto;
		at += VLAN_HLEN;
	}
	return proto == htons(ETH_P_IP) || proto == htons(ETH_P_IPV6) ? at : -1;
}

void kt_packet_key(const struct kt_packet *p, u32 meta, struct kt_flow_key *key)
{
	memcpy(key->a, p->a, sizeof(key->a));
	key->w = FLOW_W(meta | p->proto | (p->v6 ? FLOW_V6 : 0), p->ports);
}

void kt_packet_reverse(struct kt_packet *p)
{
	if (p->v6) {
		swap(p->a[0], p->a[2]);
		swap(p->a[1], p->a[3]);
	} else {
		p->a[0] = p->a[0] << 32 | p->a[0] >> 32;
	}
	p->ports = p->ports << 16 | p->ports >> 16;
}

static enum ktally_packet tcp_kind(const struct sk_buff *skb, const struct kt_packet *p, bool over)
{
	if (p->tcp_flags & TCPHDR_RST)
		return KTALLY_P_RST;
	if (p->tcp_flags & TCPHDR_SYN)
		return KTALLY_P_SYN;
	/* Without a socket the kernel acknowledges only what came too late. */
	if (over || skb->len <= skb_network_offset(skb) + p->header)
		return KTALLY_P_TIME_WAIT;
	return KTALLY_P_TCP;
}

enum ktally_packet kt_packet_kind(const struct sk_buff *skb, const struct kt_packet *p, bool over)
{
	if (!p)
		return skb->protocol == htons(ETH_P_ARP) ? KTALLY_P_ARP : KTALLY_P_OTHER;
	if (p->proto == IPPROTO_TCP)
		return tcp_kind(skb, p, over);
	return kt_packet_kind_of(p->proto);
}

bool kt_packet_is_echo_request(const struct kt_packet *p)
{
	return (p->proto == IPPROTO_ICMP && p->type == ICMP_ECHO) ||
	       (p->proto == IPPROTO_ICMPV6 && p->type == ICMPV6_ECHO_REQUEST);
}

bool kt_packet_is_echo_reply(const struct kt_packet *p)
{
	return (p->proto == IPPROTO_ICMP && p->type == ICMP_ECHOREPLY) ||
	       (p->proto == IPPROTO_ICMPV6 && p->type == ICMPV6_ECHO_REPLY);
}

void kt_packet_echo_key(const struct kt_packet *p, u32 ns, struct kt_flow_key *key)
{
	memset(key->a, 0, sizeof(key->a));
	key->w = FLOW_W(FLOW_META(ns, p->proto) | (p->v6 ? FLOW_V6 : 0), p->ports);
}

static bool forwards4(const struct net_device *dev)
{
	struct in_device *in = __in_dev_get_rcu(dev);

	/* A setting; older kernels read and write it plainly. */
	return !in || data_race(IN_DEV_FORWARD(in));
}

#if IS_BUILTIN(CONFIG_IPV6)
static bool is_own6(struct net *net, const struct in6_addr *addr)
{
	return ipv6_chk_addr(net, addr, NULL, 0);
}

static bool forwards6(const struct net_device *dev)
{
	const struct inet6_dev *in6 = __in6_dev_get(dev);

	return !in6 || READ_ONCE(in6->cnf.forwarding);
}
#else
static bool is_own6(struct net *net, const struct in6_addr *addr)
{
	return true;
}

static bool forwards6(const struct net_device *dev)
{
	return false;
}
#endif

bool kt_packet_is_here(const struct sk_buff *skb, const struct kt_netdev_slot *d,
		       const struct kt_flow_key *key)
{
	if (skb->pkt_type == PACKET_OTHERHOST)
		return false;
	if (kt_flow_is_v6(key))
		return is_own6(d->net, (const struct in6_addr *)(key->a + 2));
	return __ip_dev_find(d->net, ((const __be32 *)key->a)[1], false);
}

bool kt_packet_is_forwarded(const struct sk_buff *skb, bool v6)
{
	return v6 ? forwards6(skb->dev) : forwards4(skb->dev);
}

u32 kt_packet_segments(const struct sk_buff *skb, u32 header)
{
	const struct skb_shared_info *s = skb_shinfo(skb);

	if (s->gso_segs)
		return s->gso_segs;
	/* From a guest or tun: nobody has counted yet. */
	if (s->gso_size == GSO_BY_FRAGS || skb->len <= header)
		return 1;
	return DIV_ROUND_UP(skb->len - header, s->gso_size);
}

/* Inside a tunnel the inner headers are repeated too. */
static u32 inner_header(const struct sk_buff *skb)
{
	int at = skb_inner_transport_offset(skb);
	struct tcphdr room;
	const struct tcphdr *th;

	if (!(skb_shinfo(skb)->gso_type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)))
		return at + sizeof(struct udphdr);
	th = skb_header_pointer(skb, at, sizeof(room), &room);
	return at + (th ? th->doff * 4 : sizeof(room));
}

u32 kt_packet_gso_header(const struct sk_buff *skb, const struct kt_packet *p, int at)
{
	if (skb->encapsulation)
		return inner_header(skb);
	return at + p->header;
}
