/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * acct.h - accounts: the bytes of one process, kept from its first socket until
 * none of its sockets can carry a byte any more. All memory is taken at load.
 * Counters are split over CPUs and added to with plain atomics from any
 * context; finding, making and freeing take a raw lock and happen only when a
 * process is first seen, at its end and in the worker.
 */
#ifndef KTALLY_ACCT_H
#define KTALLY_ACCT_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "pack.h"
#include "sums.h"

/* Classes of devices, in the order of KTALLY_NET_FIELDS. */
enum { NET_PHYS, NET_LOOP, NET_VIRT, NET_CLASSES };

/*
 * Counters per class and direction: packets as on the wire, bytes as the
 * device counts them, and what the headers of further segments add to that.
 */
enum { NET_PACKETS, NET_BYTES, NET_EXTRA, NET_KINDS };
enum { NET_RX, NET_TX, NET_DIRS };
#define NET_CELL(class, dir)	(((class) * NET_DIRS + (dir)) * NET_KINDS)

/* Places in a row of counters: the classes, then payload. */
enum {
	NET_UDP_RX = NET_CELL(NET_CLASSES, 0),
	NET_UDP_TX,
	NET_CELLS,		/* what a socket may hold back */
	NET_TCP_RX = NET_CELLS,
	NET_TCP_TX,
	NET_DROPPED,
	NET_ROW
};

#define ACCT_SHARDS	16

struct kt_acct_shard {
	atomic64_t v[NET_ROW];
} ____cacheline_aligned;

struct kt_acct {
	struct hlist_node node;
	u64 start;		/* of the process: with tgid its identity */
	u32 tgid;		/* 0: one of the fixed accounts */
	atomic_t refs;		/* sockets, and 1 for the living process */
	unsigned long flags;	/* bits ACCT_* */
	u32 dead_at;		/* second of its end */
	raw_spinlock_t lock;	/* what it has told, and at its end key and DEAD */
	struct kt_acct *next;	/* in the free list or the list of the dying */
	struct pid *pid;	/* held: who may see it */
	struct kt_key key;	/* of its ended process: where late bytes belong in the totals */
	struct kt_net told;	/* the last sums that a record and the totals have;
				 * living: as of their reset
				 */
	bool owed;		/* a session lost the last late record */
	struct kt_acct_shard shard[];
};

enum { ACCT_DEAD, ACCT_SHARED };

/* Of sockets and processes beyond the tables. */
extern struct kt_acct *kt_acct_full;

/* Of bytes that no process owns, one per kind of packet. */
struct kt_acct *kt_acct_apart(enum ktally_apart of, enum ktally_packet kind);
void kt_acct_apart_rows(u64 row[KTALLY_A_KINDS][KTALLY_P_KINDS][NET_CELLS]);

/* Where in an account this CPU's row is. Another's would be right, only slower. */
DECLARE_PER_CPU(unsigned long, kt_acct_row_at);

static __always_inline atomic64_t *kt_acct_row(struct kt_acct *a)
{
	return (void *)a + raw_cpu_read(kt_acct_row_at);
}

/* Sums that the conservation of bytes is checked with. */
struct kt_acct_totals {
	u64 process[NET_CELLS];	/* living and dead */
	u64 full[NET_CELLS];
};

int kt_acct_open(unsigned int number);
void kt_acct_close(void);

/* Under RCU. */
struct kt_acct *kt_acct_find(u32 tgid, u64 start);
/* Of a process, by its leader; with a reference. kt_acct_full: there is no room. */
struct kt_acct *kt_acct_get(struct task_struct *leader);
void kt_acct_put(struct kt_acct *a);

/* Changes with every packet that is counted for a; its place, and how many places there are. */
u64 kt_acct_moves(const struct kt_acct *a);
unsigned int kt_acct_place(const struct kt_acct *a);
unsigned int kt_acct_places(void);

void kt_acct_sum(struct kt_acct *a, struct kt_net *to);
/* since: of them, what the totals have not got yet. key: where what comes later belongs. */
void kt_acct_end(struct kt_acct *a, const struct kt_key *key, struct kt_net *to,
		 struct kt_net *since);
/* False: its end has taken them. */
bool kt_acct_since(struct kt_acct *a, struct kt_net *since);
/* The totals begin anew: what living processes moved so far is none of theirs. */
void kt_acct_begin_anew(void);
void kt_acct_totals(struct kt_acct_totals *to);

/*
 * Worker: kt_acct_collect() has late() write what came after an exit record (true:
 * no session lost it), unlinks what nothing can add to any more and tells
 * whether it did; kt_acct_recycle() comes after a grace period.
 */
typedef bool (kt_acct_late_t)(const struct kt_acct *a, const struct kt_net *sum);
bool kt_acct_collect(u32 now, kt_acct_late_t *late);
/* What is not told yet is told now: a session begins or ends. */
void kt_acct_tell(kt_acct_late_t *late);
void kt_acct_recycle(kt_acct_late_t *late);

struct kt_acct_numbers {
	u32 used;
	u64 full;		/* processes beyond the table */
	u64 late;		/* net_late records written */
};

bool kt_acct_is_short(void);
void kt_acct_numbers(struct kt_acct_numbers *to);

#endif
