// SPDX-License-Identifier: GPL-2.0-only
/*
 * ports.c - watches local UDP ports (ports.h): kretprobes on what binds, connects
 * and closes, preemption off, never on the way of a packet.
 */
#include <linux/in.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <net/inet_sock.h>

#include "compat_net.h"
#include "guess.h"
#include "netdev.h"
#include "owner.h"
#include "ports.h"

atomic_t kt_ports_gen[UDP_PORTS];
atomic_t kt_ports_busy[UDP_PORTS];
bool kt_ports_keeping;

static bool watching;

/* After what changed there; partner: atomic_read_acquire() before the table is asked, udp.c. */
static void make_void(u32 at)
{
	(void)atomic_inc_return_release(&kt_ports_gen[at]);
}

void kt_ports_forget(u32 ns, u16 port)
{
	make_void(kt_ports_at(ns, port));
}

bool kt_ports_watched(void)
{
	return READ_ONCE(watching);
}

struct call {
	struct sock *sk;
	u32 port;
};

static u16 port_of(const struct sock *sk)
{
	return inet_sk(sk)->inet_num;
}

static void begin_change(struct call *c, struct sock *sk, u16 port)
{
	c->sk = sk;
	c->port = kt_ports_at(kt_netdev_ns(sock_net(sk)), port);
	atomic_inc(&kt_ports_busy[c->port]);
}

static void end_change(struct call *c)
{
	make_void(c->port);
	/* Void before it may be kept again; partner: the same acquire. */
	smp_mb__before_atomic();
	atomic_dec(&kt_ports_busy[c->port]);
}

static int on_change(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct sock *sk = (struct sock *)kt_argument(regs, 0);

	begin_change((struct call *)ri->data, sk, port_of(sk));
	return 0;
}

static int on_changed(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *c = (struct call *)ri->data;

	end_change(c);
	kt_ports_forget(kt_netdev_ns(sock_net(c->sk)), port_of(c->sk));
	return 0;
}

/* The port asked for is an argument; 0 lets the kernel choose. */
static int on_bind(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	begin_change((struct call *)ri->data, (struct sock *)kt_argument(regs, 0),
		     kt_argument(regs, 1));
	return 0;
}

/* A socket that only receives shall have an owner too. */
static int on_bound(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *c = (struct call *)ri->data;

	on_changed(ri, regs);
	if (!regs_return_value(regs) && in_task()) {
		rcu_read_lock();
		kt_guess_bound(c->sk);
		rcu_read_unlock();
	}
	return 0;
}

static int on_unbind(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct sock *sk = (struct sock *)kt_argument(regs, 0);

	rcu_read_lock();
	kt_owner_unbound(sk);
	rcu_read_unlock();
	return on_change(ri, regs);
}

/*
 * Kprobes can be switched off behind our back, and then nothing tells that a
 * port changed. One of them stands on a function that the worker calls; the
 * compiler does not know that, hence READ_ONCE().
 */
static unsigned long beats;

static noinline void udp_heartbeat(void)
{
	barrier();
}

static int on_beat(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	WRITE_ONCE(beats, beats + 1);
	return 0;
}

#define WATCH(symbol, entry, ret)					\
	{ .kp.symbol_name = symbol, .entry_handler = entry, .handler = ret, \
	  .data_size = sizeof(struct call), .maxactive = 64 }
static struct kretprobe watches[] = {
	WATCH("udp_lib_get_port", on_bind, on_bound),
	WATCH("udp_lib_rehash", on_change, on_changed),
	WATCH("udp_lib_unhash", on_unbind, on_changed),
	WATCH("__ip4_datagram_connect", on_change, on_changed),
	WATCH("__udp_disconnect", on_change, on_changed),
	WATCH("reuseport_attach_prog", on_change, on_changed),
	WATCH("reuseport_detach_prog", on_change, on_changed),
#if IS_ENABLED(CONFIG_IPV6)
	WATCH("__ip6_datagram_connect", on_change, on_changed),
#endif
	{ .kp.addr = (kprobe_opcode_t *)udp_heartbeat, .handler = on_beat, .maxactive = 1 },
};

static unsigned long missed[ARRAY_SIZE(watches)];

/* The first n: one grace period for all. */
static void unwatch(unsigned int n)
{
	struct kretprobe *all[ARRAY_SIZE(watches)];
	unsigned int i;

	for (i = 0; i < n; i++) {
		all[i] = &watches[i];
		kt_probe_disable(&watches[i].kp);
	}
	unregister_kretprobes(all, n);
}

/* All or none. */
static int __init watch(void)
{
	unsigned int i;
	int err;

	if (!KT_PROBES_SEE_ARGUMENTS)
		return -EOPNOTSUPP;
	for (i = 0; i < ARRAY_SIZE(watches); i++) {
		err = register_kretprobe(&watches[i]);
		if (err) {
			unwatch(i);
			return err;
		}
	}
	return 0;
}

void __init kt_ports_watch(void)
{
	int err = watch();

	if (err) {
		pr_info("ktally: UDP ports are not watched (kretprobes: %d): each datagram is looked up\n",
			err);
		return;
	}
	WRITE_ONCE(watching, true);
	WRITE_ONCE(kt_ports_keeping, true);
}

void kt_ports_unwatch(void)
{
	if (!watching)
		return;
	WRITE_ONCE(kt_ports_keeping, false);
	WRITE_ONCE(watching, false);
	unwatch(ARRAY_SIZE(watches));
}

static bool missed_any(void)
{
	bool any = false;
	unsigned long n;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(watches); i++) {
		/* Counted by plain increments; what comes now the next look finds. */
		n = data_race(READ_ONCE(watches[i].nmissed)) +
		    data_race(READ_ONCE(watches[i].kp.nmissed));
		any |= n != missed[i];
		missed[i] = n;
	}
	return any;
}

static bool is_armed(void)
{
	unsigned long before = READ_ONCE(beats);

	udp_heartbeat();
	return READ_ONCE(beats) != before;
}

static void void_all(void)
{
	unsigned int i;

	for (i = 0; i < UDP_PORTS; i++)
		make_void(i);
}

void kt_ports_check(void)
{
	bool armed;

	if (!watching)
		return;
	armed = is_armed();
	WRITE_ONCE(kt_ports_keeping, armed);
	/*
	 * Nothing is kept while disarmed, but what was kept before must go. Once a
	 * minute everything goes: no probe tells of changed addresses.
	 */
	if (missed_any() || !armed || kt_socks.now % 64 == 0)
		void_all();
}
