/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_net.h - the network half of compat.h: what kernels and configurations
 * do differently around sockets, decided by type, by option or, where only a
 * member's or function's presence tells, by a look into the kernel's headers
 * from Kbuild. Included by the network files alone, so that the others stay
 * free of the network's headers.
 */
#ifndef KTALLY_COMPAT_NET_H
#define KTALLY_COMPAT_NET_H

#include <linux/if_vlan.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <net/inet6_hashtables.h>
#include <net/inet_hashtables.h>
#include <net/mptcp.h>
#include <net/sock.h>
#include <net/udp.h>
#include <trace/events/net.h>
#include <trace/events/sock.h>
#include <trace/events/tcp.h>

#include "compat.h"

/* The prototypes that the packet probes are written for, 5.10 to 7.3. */
typedef void (kt_net_skb_t)(struct sk_buff *skb);
typedef void (kt_net_start_t)(const struct sk_buff *skb, const struct net_device *dev);
typedef void (kt_net_xmit_t)(struct sk_buff *skb, int rc, struct net_device *dev,
			     unsigned int len);
typedef void (kt_net_sock_t)(struct sock *sk);
typedef void (kt_net_state_t)(const struct sock *sk, const int oldstate, const int newstate);
static_assert(KT_SAME(trace_net_dev_queue, kt_net_skb_t));
static_assert(KT_SAME(trace_netif_receive_skb, kt_net_skb_t));
static_assert(KT_SAME(trace_net_dev_start_xmit, kt_net_start_t));
static_assert(KT_SAME(trace_net_dev_xmit, kt_net_xmit_t));
static_assert(KT_SAME(trace_tcp_rcv_space_adjust, kt_net_sock_t));
static_assert(KT_SAME(trace_inet_sock_set_state, kt_net_state_t));

/*
 * A function under the prototype it has on this kernel, never through a cast:
 * an indirect call by another type is an attack to kernels that check (CFI).
 * Where it has another one, a call that is compiled, and left out.
 */
#define KT_AS(fn, type)	__builtin_choose_expr(KT_SAME(fn, type), fn, (type *)NULL)

/* UDP lookup: 5.10 and 6.1 take a table, 6.12 a const net too, 7.x no table. */
typedef struct sock *(kt_udp4_table_t)(struct net *net, __be32 saddr, __be16 sport,
				       __be32 daddr, __be16 dport, int dif, int sdif,
				       struct udp_table *table, struct sk_buff *skb);
typedef struct sock *(kt_udp4_const_t)(const struct net *net, __be32 saddr, __be16 sport,
				       __be32 daddr, __be16 dport, int dif, int sdif,
				       struct udp_table *table, struct sk_buff *skb);
typedef struct sock *(kt_udp4_plain_t)(const struct net *net, __be32 saddr, __be16 sport,
				       __be32 daddr, __be16 dport, int dif, int sdif,
				       struct sk_buff *skb);
typedef struct sock *(kt_udp6_table_t)(struct net *net, const struct in6_addr *saddr,
				       __be16 sport, const struct in6_addr *daddr,
				       __be16 dport, int dif, int sdif,
				       struct udp_table *table, struct sk_buff *skb);
typedef struct sock *(kt_udp6_const_t)(const struct net *net, const struct in6_addr *saddr,
				       __be16 sport, const struct in6_addr *daddr,
				       __be16 dport, int dif, int sdif,
				       struct udp_table *table, struct sk_buff *skb);
typedef struct sock *(kt_udp6_plain_t)(const struct net *net, const struct in6_addr *saddr,
				       __be16 sport, const struct in6_addr *daddr,
				       __be16 dport, int dif, int sdif, struct sk_buff *skb);
#define KT_UDP_LOOKUP_PLAIN	KT_SAME(__udp4_lib_lookup, kt_udp4_plain_t)
#define KT_UDP_LOOKUP_CONST	KT_SAME(__udp4_lib_lookup, kt_udp4_const_t)
static_assert(KT_UDP_LOOKUP_PLAIN || KT_UDP_LOOKUP_CONST ||
	      KT_SAME(__udp4_lib_lookup, kt_udp4_table_t));

/* One table for the machine, then (6.2) one that a namespace may own. */
#ifdef KT_HAS_NETNS_UDP_TABLE
#define KT_UDP_TABLE(net)	((net)->ipv4.udp_table)
#else
#define KT_UDP_TABLE(net)	(&udp_table)
#endif

/* The socket that a datagram would reach, without a reference: stay under RCU. */
static inline struct sock *kt_udp4_lookup(struct net *net, __be32 saddr, __be16 sport,
					  __be32 daddr, __be16 dport, int dif, int sdif)
{
	if (KT_UDP_LOOKUP_PLAIN)
		return KT_AS(__udp4_lib_lookup, kt_udp4_plain_t)(net, saddr, sport, daddr, dport,
								 dif, sdif, NULL);
	if (KT_UDP_LOOKUP_CONST)
		return KT_AS(__udp4_lib_lookup, kt_udp4_const_t)(net, saddr, sport, daddr, dport,
								 dif, sdif, KT_UDP_TABLE(net),
								 NULL);
	return KT_AS(__udp4_lib_lookup, kt_udp4_table_t)(net, saddr, sport, daddr, dport, dif,
							 sdif, KT_UDP_TABLE(net), NULL);
}

/* IPv6 as a module of its own is not depended on: then its UDP stays unmatched. */
static inline struct sock *kt_udp6_lookup(struct net *net, const struct in6_addr *saddr,
					  __be16 sport, const struct in6_addr *daddr,
					  __be16 dport, int dif, int sdif)
{
#if IS_BUILTIN(CONFIG_IPV6)
	if (KT_UDP_LOOKUP_PLAIN)
		return KT_AS(__udp6_lib_lookup, kt_udp6_plain_t)(net, saddr, sport, daddr, dport,
								 dif, sdif, NULL);
	if (KT_UDP_LOOKUP_CONST)
		return KT_AS(__udp6_lib_lookup, kt_udp6_const_t)(net, saddr, sport, daddr, dport,
								 dif, sdif, KT_UDP_TABLE(net),
								 NULL);
	return KT_AS(__udp6_lib_lookup, kt_udp6_table_t)(net, saddr, sport, daddr, dport, dif,
							 sdif, KT_UDP_TABLE(net), NULL);
#else
	return NULL;
#endif
}

/* Lookup of TCP connections: up to 6.1 by a table, 6.12 a const net too, 7.x no table. */
typedef struct sock *(kt_tcp4_table_t)(struct net *net, struct inet_hashinfo *table,
				       __be32 saddr, __be16 sport, __be32 daddr, u16 hnum,
				       int dif, int sdif);
typedef struct sock *(kt_tcp4_const_t)(const struct net *net, struct inet_hashinfo *table,
				       __be32 saddr, __be16 sport, __be32 daddr, u16 hnum,
				       int dif, int sdif);
typedef struct sock *(kt_tcp4_plain_t)(const struct net *net, __be32 saddr, __be16 sport,
				       __be32 daddr, u16 hnum, int dif, int sdif);
typedef struct sock *(kt_tcp6_table_t)(struct net *net, struct inet_hashinfo *table,
				       const struct in6_addr *saddr, __be16 sport,
				       const struct in6_addr *daddr, u16 hnum, int dif, int sdif);
typedef struct sock *(kt_tcp6_const_t)(const struct net *net, struct inet_hashinfo *table,
				       const struct in6_addr *saddr, __be16 sport,
				       const struct in6_addr *daddr, u16 hnum, int dif, int sdif);
typedef struct sock *(kt_tcp6_plain_t)(const struct net *net, const struct in6_addr *saddr,
				       __be16 sport, const struct in6_addr *daddr, u16 hnum,
				       int dif, int sdif);
#define KT_TCP_LOOKUP_PLAIN	KT_SAME(__inet_lookup_established, kt_tcp4_plain_t)
#define KT_TCP_LOOKUP_CONST	KT_SAME(__inet_lookup_established, kt_tcp4_const_t)
static_assert(KT_TCP_LOOKUP_PLAIN || KT_TCP_LOOKUP_CONST ||
	      KT_SAME(__inet_lookup_established, kt_tcp4_table_t));

/* The connection that a packet belongs to, with a reference. */
static inline struct sock *kt_tcp4_lookup(struct net *net, __be32 saddr, __be16 sport,
					  __be32 daddr, u16 hnum, int dif, int sdif)
{
	struct inet_hashinfo *table = net->ipv4.tcp_death_row.hashinfo;

	if (KT_TCP_LOOKUP_PLAIN)
		return KT_AS(__inet_lookup_established, kt_tcp4_plain_t)(net, saddr, sport, daddr,
									 hnum, dif, sdif);
	if (KT_TCP_LOOKUP_CONST)
		return KT_AS(__inet_lookup_established, kt_tcp4_const_t)(net, table, saddr, sport,
									 daddr, hnum, dif, sdif);
	return KT_AS(__inet_lookup_established, kt_tcp4_table_t)(net, table, saddr, sport, daddr,
								 hnum, dif, sdif);
}

static inline struct sock *kt_tcp6_lookup(struct net *net, const struct in6_addr *saddr,
					  __be16 sport, const struct in6_addr *daddr, u16 hnum,
					  int dif, int sdif)
{
#if IS_BUILTIN(CONFIG_IPV6)
	struct inet_hashinfo *table = net->ipv4.tcp_death_row.hashinfo;

	if (KT_TCP_LOOKUP_PLAIN)
		return KT_AS(__inet6_lookup_established, kt_tcp6_plain_t)(net, saddr, sport, daddr,
									  hnum, dif, sdif);
	if (KT_TCP_LOOKUP_CONST)
		return KT_AS(__inet6_lookup_established, kt_tcp6_const_t)(net, table, saddr, sport,
									  daddr, hnum, dif, sdif);
	return KT_AS(__inet6_lookup_established, kt_tcp6_table_t)(net, table, saddr, sport, daddr,
								  hnum, dif, sdif);
#else
	return NULL;
#endif
}

/* Datagrams dropped at the socket; a function since counters are per node (6.18). */
static inline u32 kt_sk_drops(const struct sock *sk)
{
#ifdef KT_HAS_SK_DROPS_READ
	return sk_drops_read(sk);
#else
	return atomic_read(&sk->sk_drops);
#endif
}

/* sock_from_file: 5.10 has a second argument for the error. */
typedef struct socket *(kt_sock_from_file1_t)(struct file *file);
typedef struct socket *(kt_sock_from_file2_t)(struct file *file, int *err);
static inline struct socket *kt_sock_from_file(struct file *file)
{
	int err;

	if (KT_SAME(sock_from_file, kt_sock_from_file2_t))
		return KT_AS(sock_from_file, kt_sock_from_file2_t)(file, &err);
	return KT_AS(sock_from_file, kt_sock_from_file1_t)(file);
}

/* A kernel-made socket that carries a process's bytes all the same. */
static inline bool kt_sk_is_subflow(const struct sock *sk)
{
	return IS_ENABLED(CONFIG_MPTCP) && sk->sk_protocol == IPPROTO_TCP &&
	       sk->sk_type == SOCK_STREAM && sk_is_mptcp(sk);
}

#endif
