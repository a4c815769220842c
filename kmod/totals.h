/* SPDX-License-Identifier: GPL-2.0-only */
/* totals.h - what all processes cost since load, by program, user and cgroup; see totals.c. */
#ifndef KTALLY_TOTALS_H
#define KTALLY_TOTALS_H

#include <linux/cgroup.h>
#include <linux/ktally.h>
#include <linux/sched.h>

#include "pack.h"
#include "sums.h"

struct kt_set;

extern unsigned int kt_totals_rows;	/* parameter; 0: no totals */

int kt_totals_open(void);
void kt_totals_close(void);

static inline bool kt_totals_on(void)
{
	return kt_totals_rows;
}

/*
 * HOT, under RCU: a process ends while set records, which may be NULL; net: what it
 * moved and no total has yet, or NULL.
 */
void kt_totals_ended(const struct kt_set *set, const struct ktally_exit *e,
		     const struct kt_net *net);
/* Under RCU: the key that p's share goes to. */
void kt_totals_key(struct task_struct *leader, struct kt_key *key);
/* Bytes that came after an end: to whoever had the key. */
void kt_totals_late(const struct kt_key *key, const struct kt_net *net);
/* Any context: a cgroup is removed, what it had is its parent's. */
void kt_totals_cgroup_gone(u64 id, u64 parent);

/* Process context. *rows: for kvfree(), t->n of them. */
int kt_totals_read(struct ktally_totals *t, struct ktally_totals_row **rows);
int kt_totals_reset(void);
u32 kt_totals_rows_max(void);

#endif
