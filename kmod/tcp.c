// SPDX-License-Identifier: GPL-2.0-only
/*
 * tcp.c - asks the kernel's table of TCP connections (tcp.h). Softirq, under RCU.
 */
#include "compat_net.h"
#include "tcp.h"

/* With a reference; a request or timewait socket as well. */
static struct sock *lookup(const struct kt_netdev_slot *d, const struct kt_flow_key *key)
{
	const struct in6_addr *a6 = (const struct in6_addr *)key->a;
	const __be32 *a4 = (const __be32 *)key->a;
	u32 ports = key->w;
	const __be16 *p = (const __be16 *)&ports;
	int dif = READ_ONCE(d->dif), sdif = READ_ONCE(d->sdif);

	if (kt_flow_is_v6(key))
		return kt_tcp6_lookup(d->net, &a6[0], p[0], &a6[1], ntohs(p[1]), dif, sdif);
	return kt_tcp4_lookup(d->net, a4[0], p[0], a4[1], ntohs(p[1]), dif, sdif);
}

struct kt_sock_entry *kt_tcp_ask(const struct kt_netdev_slot *d, const struct kt_flow_key *key)
{
	struct kt_sock_entry *e;
	struct sock *sk;

	if (likely(!READ_ONCE(kt_socks.lacked_room)))
		return NULL;
	/* Ours may be the last reference, and to free memory may sleep there (6.12). */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && preempt_count())
		return NULL;
	sk = lookup(d, key);
	if (!sk)
		return NULL;
	e = kt_sock_get(sk, 0);
	if (e != &kt_sock_overflow)
		kt_flow_add(e, key);
	sock_gen_put(sk);
	return e;
}
