/* SPDX-License-Identifier: GPL-2.0-only */
/* socktype.h - what a full socket is, by the fields that every family has. */
#ifndef KTALLY_SOCKTYPE_H
#define KTALLY_SOCKTYPE_H

#include <linux/in.h>
#include <net/sock.h>

#include "compat_net.h"

static inline bool kt_sk_is_inet(const struct sock *sk)
{
	return sk->sk_family == AF_INET || sk->sk_family == AF_INET6;
}

/* Not the kernel's raw control sockets, which have the protocol as well. */
static inline bool kt_sk_is_tcp(const struct sock *sk)
{
	return kt_sk_is_inet(sk) && sk->sk_protocol == IPPROTO_TCP && sk->sk_type == SOCK_STREAM;
}

static inline bool kt_sk_is_udp(const struct sock *sk)
{
	return kt_sk_is_inet(sk) && sk->sk_protocol == IPPROTO_UDP && sk->sk_type == SOCK_DGRAM;
}

static inline bool kt_sk_is_icmp(const struct sock *sk)
{
	return kt_sk_is_inet(sk) &&
	       (sk->sk_protocol == IPPROTO_ICMP || sk->sk_protocol == IPPROTO_ICMPV6);
}

/* Never changes, but shares its word with bits that options set. */
static inline bool kt_sk_is_made_by_kernel(const struct sock *sk)
{
	return data_race(sk->sk_kern_sock != 0);
}

/* By which the kernel answers where no socket does: resets, and for TIME_WAIT. */
static inline bool kt_sk_is_control(const struct sock *sk)
{
	return kt_sk_is_made_by_kernel(sk) && kt_sk_is_inet(sk) &&
	       sk->sk_protocol == IPPROTO_TCP && sk->sk_type == SOCK_RAW;
}

/* A socket of the kernel's own; not those it makes inside a process's MPTCP. */
static inline bool kt_sk_is_kernels(const struct sock *sk)
{
	return kt_sk_is_made_by_kernel(sk) && !kt_sk_is_subflow(sk);
}

#endif
