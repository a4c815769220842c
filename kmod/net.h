/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * net.h - network bytes per process, as the rest of the module sees them. The
 * hooks are in used.c, sent.c and received.c; netctl.c opens and closes the parts
 * in order, runs the worker and fills records.
 */
#ifndef KTALLY_NET_H
#define KTALLY_NET_H

#include <linux/ktally.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "pack.h"

/* Parameters; 0 for a table: by the machine's memory. */
struct kt_net_sizes {
	unsigned int sockets, accounts, udp, devices;
};

typedef int (kt_net_show_t)(const struct ktally_device *rec, void *ctx);

#ifdef CONFIG_INET
int kt_net_open(const struct kt_net_sizes *sizes);
void kt_net_detach(void);
void kt_net_close(void);

/* Bits for a record's `known` and `upper`: what is measured on this kernel. */
u64 kt_net_known(void);
u64 kt_net_upper(void);

/*
 * The last thread of a process ends: any context that its end is seen in, under
 * RCU. False: it moved nothing. since: what the totals have not got yet; both are
 * NULL when nobody records.
 */
bool kt_net_exit(struct task_struct *p, struct kt_net *to, struct kt_net *since);
/* A living process, for a walk: process context, may take task_lock. */
void kt_net_task(struct task_struct *leader, struct kt_net *to);
/* The same, what the totals have not got yet; false: its end has taken that. And they begin anew. */
bool kt_net_since(struct task_struct *leader, struct kt_net *to);
void kt_net_begin_anew(void);

/* Accounts there can be; 0: none is kept. */
unsigned int kt_net_accounts(void);
/* Under RCU: has it an account? Which, and a number that changes with its packets. */
bool kt_net_moves(struct task_struct *leader, unsigned int *account, u64 *moves);

/* Waits for packets that are between a device's counters and a hook's. May sleep. */
void kt_net_settle(void);
/* To all sessions: bytes that came after ends, which the worker tells a second or two later. */
void kt_net_tell_late(void);
/* A record per device, class and for the tables. */
int kt_net_walk(kt_net_show_t *show, void *ctx);
/* Packets at the hooks since load. */
void kt_net_calls(u64 *received, u64 *sent);
#else
static inline int kt_net_open(const struct kt_net_sizes *sizes) { return 0; }
static inline void kt_net_detach(void) { }
static inline void kt_net_close(void) { }
static inline u64 kt_net_known(void) { return 0; }
static inline u64 kt_net_upper(void) { return 0; }
static inline void kt_net_settle(void) { synchronize_rcu(); }
static inline void kt_net_tell_late(void) { }
static inline int kt_net_walk(kt_net_show_t *show, void *ctx) { return 0; }
static inline unsigned int kt_net_accounts(void) { return 0; }
static inline void kt_net_calls(u64 *received, u64 *sent) { }

static inline bool kt_net_moves(struct task_struct *leader, unsigned int *account, u64 *moves)
{
	return false;
}

static inline bool kt_net_exit(struct task_struct *p, struct kt_net *to, struct kt_net *since)
{
	if (to)
		memset(to, 0, sizeof(*to));
	return false;
}

static inline bool kt_net_since(struct task_struct *leader, struct kt_net *to)
{
	memset(to, 0, sizeof(*to));
	return true;
}

static inline void kt_net_begin_anew(void)
{
}

static inline void kt_net_task(struct task_struct *leader, struct kt_net *to)
{
	memset(to, 0, sizeof(*to));
}
#endif

#endif
