// SPDX-License-Identifier: GPL-2.0-only
/*
 * used.c - HOT: hooks where processes use their sockets: owners are learned, and
 * datagrams' payload is counted by call. A socket whose owner is known and runs
 * costs a lookup. Each hook but the first takes RCU itself.
 */
#include <linux/in.h>
#include <linux/tcp.h>

#include "compat_net.h"
#include "nethook.h"
#include "owner.h"
#include "socktype.h"

/* A TCP socket counts what it sends before it hands it down. */
static noinline __cold void learn_sender(struct sock *sk, const struct sk_buff *skb)
{
	u32 ahead = 0;

	if (sk_fullsock(sk) && kt_sk_is_tcp(sk) && skb_transport_header_was_set(skb))
		ahead = skb->len - skb_transport_offset(skb) - tcp_hdrlen(skb);
	kt_owner_learn(sk, ahead);
}

/* The sender's context, before the queue: from here on packets change hands. */
void kt_on_queue(void *data, struct sk_buff *skb)
{
	struct sock *sk = skb->sk;

	if (!sk || !in_task() || likely(kt_sock_is_mine(sk)))
		return;
	learn_sender(sk, skb);
}

/*
 * In process context nobody else holds RCU. Preemption off is a reader as well,
 * and costs less where reads are frequent.
 */
void kt_on_tcp_read(void *data, struct sock *sk)
{
	preempt_disable_notrace();
	if (in_task() && unlikely(!kt_sock_is_mine(sk)))
		kt_owner_learn(sk, 0);
	preempt_enable_notrace();
}

void kt_on_state(void *data, const struct sock *sk, const int oldstate,
		 const int newstate)
{
	if (sk->sk_protocol != IPPROTO_TCP)
		return;
	rcu_read_lock();
	kt_owner_state((struct sock *)sk, newstate);
	rcu_read_unlock();
}

static __always_inline bool is_udp(const struct sock *sk)
{
	return sk->sk_protocol == IPPROTO_UDP &&
	       (sk->sk_family == AF_INET || sk->sk_family == AF_INET6);
}

/* The first call of a process on this socket. */
static noinline __cold void count_new(struct sock *sk, int ret, int cell)
{
	struct kt_sock_entry *e;

	rcu_read_lock();
	kt_owner_learn(sk, 0);
	e = kt_sock_find(kt_sock_cookie(sk));
	if (e)
		atomic64_add(ret, &kt_sock_row(e)[cell]);
	rcu_read_unlock();
}

/* A datagram's payload by what the call returned. Nothing is saved on the stack. */
static __always_inline void count_call(struct sock *sk, int ret, int cell)
{
	struct kt_sock_entry *e;

	preempt_disable_notrace();
	e = kt_sock_find(kt_sock_cookie(sk));
	if (likely(kt_sock_is_owner(e))) {
		atomic64_add(ret, &kt_sock_row(e)[cell]);
		preempt_enable_notrace();
		return;
	}
	preempt_enable_notrace();
	count_new(sk, ret, cell);
}

void kt_on_sent_call(void *data, struct sock *sk, int ret, int flags)
{
	if (ret >= 0 && is_udp(sk))
		count_call(sk, ret, NET_UDP_TX);
}

void kt_on_received_call(void *data, struct sock *sk, int ret, int flags)
{
	if (ret >= 0 && !(flags & (MSG_PEEK | MSG_ERRQUEUE)) && is_udp(sk))
		count_call(sk, ret, NET_UDP_RX);
}
