/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sums.h - a bounded table of sums by program, user and cgroup. A place is claimed
 * by cmpxchg and added to by atomics, from any context and by any CPU at once; what
 * finds no place goes to a row for all others. The same key may have two rows after
 * one was given back: whoever reads adds them up.
 */
#ifndef KTALLY_SUMS_H
#define KTALLY_SUMS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/ktally.h>
#include <linux/types.h>

#include "pack.h"

struct kt_key {
	char program[KTALLY_COMM_LEN];
	u64 cgroup;
	u32 uid;
	u32 set;		/* 1; an account's is 0 until it is known */
};

/* The numbers of struct ktally_totals_row, by their place behind `processes`. */
#define KT_SUM_FIRST	offsetof(struct ktally_totals_row, processes)
#define KT_SUMS		((sizeof(struct ktally_totals_row) - KT_SUM_FIRST) / sizeof(u64))
#define KT_SUM(field)	((offsetof(struct ktally_totals_row, field) - KT_SUM_FIRST) / sizeof(u64))

#define KT_SUM_USES	14	/* utime to cancelled_write_bytes */
#define KT_SUM_NETS	23	/* net_phys to rx_dropped */

/* What one process, or a delta of it, comes to. */
struct kt_share {
	u64 use[KT_SUM_USES];
	u64 peak_rss, rss, life;
	bool failed;
	const struct kt_net *net;	/* NULL: none */
};

struct kt_sum {
	atomic64_t hash;	/* 0: free, KT_SUM_LEAVING, else the key's */
	struct kt_key key;	/* valid once `named` is 1 */
	int named;
	bool gone;		/* its cgroup was removed: it goes to the heir's row */
	atomic64_t begun;	/* processes whose adding has begun; v[0]: that has ended */
	atomic64_t v[KT_SUMS];
} ____cacheline_aligned;

#define KT_SUM_LEAVING	1	/* being moved: no key has it */

struct kt_sums {
	u32 n;			/* rows, a power of two; one more, the last, is for the others */
	u64 *cgroup;		/* of each row, or its heir; apart, to be looked through fast */
	struct kt_sum row[];
};

struct kt_sums *kt_sums_new(u32 n);
void kt_sums_free(struct kt_sums *t);

/* HOT */
struct kt_sum *kt_sums_of(struct kt_sums *t, const struct kt_key *key);
void kt_sum_add(struct kt_sum *s, const struct kt_share *share);
void kt_sum_add_net(struct kt_sum *s, const struct kt_net *net);

/* Any context, one at a time: a cgroup is removed. True if it had a row: it is `gone`. */
bool kt_sums_bequeath(struct kt_sums *t, u64 cgroup, u64 heir);
/* Everything of s goes to its key's row in t. Nobody else may add to s. */
void kt_sum_move(struct kt_sum *s, struct kt_sums *t, const struct kt_key *key);
void kt_sum_clear(struct kt_sums *t, struct kt_sum *s);
/* Copies a row as it was at one moment; false: there is nothing in it. */
bool kt_sum_read(const struct kt_sums *t, struct kt_sum *s, struct ktally_totals_row *to);

static inline bool kt_sum_is_other(const struct kt_sums *t, const struct kt_sum *s)
{
	return s == &t->row[t->n];
}

#endif
