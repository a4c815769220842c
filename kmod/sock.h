/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sock.h - HOT: sockets and who owns them. A socket is its cookie, never its
 * pointer. Entries are found under RCU, made and changed under a raw lock per
 * bucket, freed by the worker after a grace period. No call here sleeps. Who
 * owns them is learned in owner.c, or guessed in guess.c.
 */
#ifndef KTALLY_SOCK_H
#define KTALLY_SOCK_H

#include <linux/rculist.h>
#include <linux/sched.h>
#include <net/sock.h>

#include "acct.h"

struct kt_flow;

struct kt_sock_entry {
	struct hlist_node node;
	u64 cookie;
	struct kt_acct *acct;	/* owner's; NULL: not known yet, bytes are pending */
	u64 start;		/* owner's tag, or without an owner: the listener's cookie */
	u32 tgid;		/* owner's tag; 0: none; without an owner: a scan's candidate */
	u32 seen;		/* second of the last packet */
	u8 bucket;		/* not 0: no socket stands behind it, or SOCK_BUCKET_APART */
	u8 proto;		/* of an internet socket, else 0 */
	u16 port;		/* UDP: local port */
	u32 ns;
	unsigned long flags;	/* bits SOCK_* */
	/* bytes without an owner, in an account's layout */
	atomic64_t pend[NET_CELLS];
	u64 base[2];		/* the socket's own counters as last folded */
	struct kt_flow *flow[2];
} ____cacheline_aligned;

enum {
	SOCK_FLOWN,		/* its flow is in the table, or it needs none */
	SOCK_CHILD,		/* came through a listener */
	SOCK_OPENING,		/* no full socket seen yet */
	SOCK_CLOSED,
	SOCK_GONE,		/* unlinked: look it up again */
	SOCK_GUESSED,		/* nobody has used it yet: its owner is who holds it, or open */
	SOCK_SEEN,		/* by the scan that runs */
	SOCK_SHARED,		/* held by several processes */
	SOCK_APART,		/* nobody's, its packets are told by kind: never FLOWN */
	SOCK_TRIES,		/* two bits: scans made on behalf of its pending bytes */
};

#define SOCK_BUCKET_APART	0xff	/* of a SOCK_APART that packets come in for */

struct kt_sock_table {
	struct hlist_head *buckets;
	u32 mask;
	u32 now;		/* seconds since load */
	bool lacked_room;	/* once: there may be sockets without an entry or a flow */
};

extern struct kt_sock_table kt_socks;

static __always_inline u64 kt_sock_cookie(const struct sock *sk)
{
	return atomic64_read(&sk->sk_cookie);
}

/* Cookies are given out in sequence: their low bits spread by themselves. */
static __always_inline struct hlist_head *kt_sock_bucket(u64 cookie)
{
	return &kt_socks.buckets[(u32)cookie & kt_socks.mask];
}

/* Works for request and timewait sockets: only the common part is touched. */
static __always_inline struct kt_sock_entry *kt_sock_find(u64 cookie)
{
	struct kt_sock_entry *e;

	hlist_for_each_entry_rcu(e, kt_sock_bucket(cookie), node)
		if (likely(e->cookie == cookie))
			return e;
	return NULL;
}

/* Is the running process the last user? */
static __always_inline bool kt_sock_is_owner(const struct kt_sock_entry *e)
{
	return e && READ_ONCE(e->tgid) == current->tgid &&
	       READ_ONCE(e->start) == current->group_leader->start_boottime;
}

static __always_inline bool kt_sock_is_mine(const struct sock *sk)
{
	return kt_sock_is_owner(kt_sock_find(kt_sock_cookie(sk)));
}

static __always_inline void kt_sock_touch(struct kt_sock_entry *e)
{
	u32 now = READ_ONCE(kt_socks.now);

	if (unlikely(READ_ONCE(e->seen) != now))
		WRITE_ONCE(e->seen, now);
}

/* Where bytes of e go now. */
static __always_inline atomic64_t *kt_sock_row(struct kt_sock_entry *e)
{
	struct kt_acct *a = READ_ONCE(e->acct);

	return likely(a) ? kt_acct_row(a) : e->pend;
}

int kt_sock_open(unsigned int number);
void kt_sock_close(void);

/* Takes the bytes of sockets that found no room. */
extern struct kt_sock_entry kt_sock_overflow;

/* The entry, made if need be; segs: those sent that no hook has seen. Never NULL. */
struct kt_sock_entry *kt_sock_get(struct sock *sk, u32 segs);

/*
 * A queue may hold back all that a socket has sent so far: then it is seen only as it is
 * used or when that leaves, for netem takes the socket off a SYN-ACK, and one with a SYN
 * cookie has none. Who has a cookie was seen before.
 */
#define SOCK_HELD_BACK	16	/* segments: the first window and acknowledgements */
static inline u32 kt_sock_held_back(const struct sock *sk)
{
	return kt_sock_cookie(sk) ? 0 : SOCK_HELD_BACK;
}
/* The full socket of a request's entry appears. */
void kt_sock_opened(struct kt_sock_entry *e, struct sock *sk);
/* The local port as a lookup found it, which may be bound since the entry was made. */
void kt_sock_set_port(struct kt_sock_entry *e, u16 port);

/* Protects a bucket, and owner, base, flags of the entries in it. */
raw_spinlock_t *kt_sock_lock(u64 cookie);
/* Process context; entries may come and go meanwhile. */
void kt_sock_each(void (*look)(struct kt_sock_entry *e));

/* Worker. collect: unlinks what is idle; true if a grace period is needed. */
bool kt_sock_collect(void);
void kt_sock_recycle(void);
void kt_sock_pending(u64 *row);

struct kt_sock_numbers {
	u32 used;
	u64 full, evicted, learned;
};

void kt_sock_numbers(struct kt_sock_numbers *to);

#endif
