/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ports.h - HOT: generations of local UDP ports. What is kept about a port is good
 * as long as its generation stands: kretprobes on the slow paths that bind, connect
 * and close raise it. Without kprobes nothing may be kept.
 */
#ifndef KTALLY_PORTS_H
#define KTALLY_PORTS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Ports by namespace; a collision costs a lookup. */
#define UDP_PORTS	4096
extern atomic_t kt_ports_gen[UDP_PORTS];
extern atomic_t kt_ports_busy[UDP_PORTS];	/* changes under way: keep nothing */
extern bool kt_ports_keeping;			/* watched, and kprobes are not switched off */

static inline u32 kt_ports_at(u32 ns, u16 port)
{
	return (ns * 0x9e3779b1U + port) & (UDP_PORTS - 1);
}

static inline bool kt_ports_may_keep(u32 port)
{
	return READ_ONCE(kt_ports_keeping) && !atomic_read(&kt_ports_busy[port]);
}

/* kretprobes: attached after the packet hooks, detached before them. */
void kt_ports_watch(void);
void kt_ports_unwatch(void);

/* Are they watched, so that a socket's end is seen? */
bool kt_ports_watched(void);
/* What is kept about this local port of namespace number ns is void. */
void kt_ports_forget(u32 ns, u16 port);
/*
 * Worker, each second: kretprobes that were missed make everything void; while
 * they are disarmed (kernel.ftrace_enabled=0) nothing is kept.
 */
void kt_ports_check(void);

#endif
