/* SPDX-License-Identifier: GPL-2.0-only */
/* nethook.h - the network hooks, and what they count on the side; see nethook.c. */
#ifndef KTALLY_NETHOOK_H
#define KTALLY_NETHOOK_H

#include <linux/percpu.h>
#include <linux/types.h>

struct net_device;
struct sk_buff;
struct sock;

/* Where processes use their sockets: used.c. */
void kt_on_queue(void *data, struct sk_buff *skb);
void kt_on_tcp_read(void *data, struct sock *sk);
void kt_on_state(void *data, const struct sock *sk, const int oldstate, const int newstate);
void kt_on_sent_call(void *data, struct sock *sk, int ret, int flags);
void kt_on_received_call(void *data, struct sock *sk, int ret, int flags);
/* Packets handed to drivers: sent.c. */
void kt_on_start(void *data, const struct sk_buff *skb, const struct net_device *dev);
void kt_on_xmit(void *data, struct sk_buff *skb, int rc, struct net_device *dev,
		unsigned int len);
/* Packets that come in: received.c. */
void kt_on_receive(void *data, struct sk_buff *skb);

/* What should not happen, or not often. */
struct kt_net_odd {
	u64 no_device;		/* packets on a device without a slot */
	u64 dropped;		/* taken back: the driver dropped it */
	u64 busy;		/* taken back: it will be sent again */
	u64 not_taken_back;	/* not found any more */
	u64 taken_up;		/* credited in hindsight */
};

DECLARE_PER_CPU(struct kt_net_odd, kt_net_odd);

#define count_odd(what)	this_cpu_inc(kt_net_odd.what)

int kt_nethook_open(void);
void kt_nethook_close(void);
void kt_nethook_odd(struct kt_net_odd *sum);

#endif
