// SPDX-License-Identifier: GPL-2.0-only
/*
 * nethook.c - the table of network hooks: attached together, detached together.
 * The callbacks are in used.c, sent.c and received.c. Process context.
 */
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/netdevice.h>

#include "compat_net.h"
#include "credit.h"
#include "main.h"
#include "net.h"
#include "nethook.h"
#include "probes.h"
#include "timing.h"

DEFINE_PER_CPU(struct kt_net_odd, kt_net_odd);
DEFINE_STATIC_KEY_FALSE(kt_net_by_arrival);

KT_TIMED(kt_on_queue, struct sk_buff *skb);
KT_TIMED(kt_on_start, const struct sk_buff *skb, const struct net_device *dev);
KT_TIMED(kt_on_xmit, struct sk_buff *skb, int rc, struct net_device *dev, unsigned int len);
KT_TIMED(kt_on_receive, struct sk_buff *skb);
KT_TIMED(kt_on_tcp_read, struct sock *sk);
KT_TIMED(kt_on_state, const struct sock *sk, const int oldstate, const int newstate);
KT_TIMED(kt_on_sent_call, struct sock *sk, int ret, int flags);
KT_TIMED(kt_on_received_call, struct sock *sk, int ret, int flags);

static struct kt_probe probes[] = {
	{ "net_dev_queue", KT_CALLED(kt_on_queue), true },
	{ "net_dev_start_xmit", KT_CALLED(kt_on_start), true },
	{ "net_dev_xmit", KT_CALLED(kt_on_xmit), true },
	{ "netif_receive_skb", KT_CALLED(kt_on_receive), true, KTALLY_FEAT_NET },
	{ "tcp_rcv_space_adjust", KT_CALLED(kt_on_tcp_read) },
	{ "inet_sock_set_state", KT_CALLED(kt_on_state) },
	{ "sock_send_length", KT_CALLED(kt_on_sent_call) },
	{ "sock_recv_length", KT_CALLED(kt_on_received_call), false, KTALLY_FEAT_SOCK_LENGTH },
};

/* Attaching by name loses the types: here the compiler compares them. */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_net_dev_queue(kt_on_queue);
	check_trace_callback_type_net_dev_start_xmit(kt_on_start);
	check_trace_callback_type_net_dev_xmit(kt_on_xmit);
	check_trace_callback_type_netif_receive_skb(kt_on_receive);
	check_trace_callback_type_tcp_rcv_space_adjust(kt_on_tcp_read);
	check_trace_callback_type_inet_sock_set_state(kt_on_state);
}

int __init kt_nethook_open(void)
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
		odd = &per_cpu(kt_net_odd, cpu);
		sum->no_device += READ_ONCE(odd->no_device);
		sum->dropped += READ_ONCE(odd->dropped);
		sum->busy += READ_ONCE(odd->busy);
		sum->not_taken_back += READ_ONCE(odd->not_taken_back);
		sum->taken_up += READ_ONCE(odd->taken_up);
	}
}

#define SETTLE_LOOKS	100
#define SETTLE_US	1000

static bool has_backlog(int cpu)
{
	const struct softnet_data *sd = &per_cpu(softnet_data, cpu);

	/* Some of the stores to them are plain; who reads 0 too soon is late by a packet. */
	if (data_race(READ_ONCE(sd->input_pkt_queue.qlen)))
		return true;
	/*
	 * What left that queue is in the other one by now. The kernel stores both lengths
	 * without order, but in a softirq, whose end synchronize_rcu() waits for.
	 */
	smp_rmb();
	return data_race(READ_ONCE(sd->process_queue.qlen));
}

/*
 * lo and veth count a packet as received before it waits for its turn in a queue of
 * the CPU: in ksoftirqd, on RT in a thread that others may keep waiting. A hook
 * counts its number, then its bytes, and runs inside an RCU section. Where packets
 * never cease some are on their way at any moment: the wait has an end.
 */
void kt_net_settle(void)
{
	unsigned int looks = SETTLE_LOOKS;
	int cpu;

	for_each_online_cpu(cpu)
		for (; looks && has_backlog(cpu); looks--)
			usleep_range(SETTLE_US, 2 * SETTLE_US);
	synchronize_rcu();
}
