// SPDX-License-Identifier: GPL-2.0-only
/*
 * owner.c - HOT, but for packets: who uses a socket, and what its own counters
 * say (owner.h). Called where a process uses its socket for the first time,
 * where a TCP socket changes its state, and where a record is made.
 */
#include <linux/tcp.h>
#include <net/tcp_states.h>

#include "guess.h"
#include "owner.h"
#include "socktype.h"

static atomic64_t learned;

/* --- the socket's own counters --- */

struct own_counters {
	u64 rx, tx;
};

static struct own_counters own_counters(const struct sock *sk)
{
	struct own_counters c = {};

	if (kt_sk_is_tcp(sk)) {
		const struct tcp_sock *tp = tcp_sk(sk);

		/* A FIN takes a number too, and is counted as a byte. */
		c.rx = tp->bytes_received - sock_flag(sk, SOCK_DONE);
		c.tx = tp->bytes_sent - tp->bytes_retrans;
	} else if (kt_sk_is_udp(sk)) {
		c.rx = kt_sk_drops(sk);
	}
	return c;
}

/*
 * Who walks files has not locked the socket, which counts on with plain stores. What was
 * read of two moments the next reading puts right: the last one is under its lock.
 */
static struct own_counters read_counters(const struct sock *sk)
{
	return data_race(own_counters(sk));
}

/*
 * Which of the socket's own counts are new to us? All, when none of its packets has passed
 * the hooks yet; otherwise it is older than the module or was evicted, and what it counted
 * so far is not ours to tell.
 */
void kt_owner_set_base(struct kt_sock_entry *e, const struct sock *sk, u32 segs)
{
	struct own_counters c = read_counters(sk);

	if (kt_sk_is_tcp(sk) && data_race(tcp_sk(sk)->segs_out) <= segs)
		return;
	e->base[0] = c.rx;
	e->base[1] = c.tx;
}

/* Where the payload of a TCP socket goes: without an owner it waits where UDP's would. */
static atomic64_t *tcp_cells(struct kt_sock_entry *e, struct kt_acct *a)
{
	return a ? &kt_acct_row(a)[NET_TCP_RX] : &e->pend[NET_UDP_RX];
}

static_assert(NET_TCP_TX - NET_TCP_RX == 1 && NET_UDP_TX - NET_UDP_RX == 1);

/* Under the entry's lock. ahead: bytes that the socket counted and a did not send. */
static void fold(struct kt_sock_entry *e, const struct sock *sk, struct kt_acct *a, u32 ahead)
{
	struct own_counters c = read_counters(sk);

	if (kt_sk_is_tcp(sk)) {
		atomic64_t *cells = tcp_cells(e, a);

		c.tx -= ahead;
		/* Disconnected by the kernel or the process: it counts anew. */
		if (!c.rx && !c.tx)
			memset(e->base, 0, sizeof(e->base));
		atomic64_add(c.rx - e->base[0], &cells[0]);
		atomic64_add(c.tx - e->base[1], &cells[1]);
	} else if (a) {
		atomic64_add((u32)(c.rx - e->base[0]), &kt_acct_row(a)[NET_DROPPED]);
	}
	e->base[0] = c.rx;
	e->base[1] = c.tx;
}

/* --- taking over --- */

/* Of an account, for what waits in one of the entry's: see tcp_cells(). */
static unsigned int cell_of(const struct kt_sock_entry *e, unsigned int i)
{
	bool tcp_payload = e->proto == IPPROTO_TCP && i >= NET_UDP_RX;

	return tcp_payload ? i - NET_UDP_RX + NET_TCP_RX : i;
}

void kt_owner_settle(struct kt_sock_entry *e, struct kt_acct *a)
{
	atomic64_t *row = kt_acct_row(a);
	unsigned int i;
	s64 v;

	for (i = 0; i < NET_CELLS; i++) {
		if (!atomic64_read(&e->pend[i]))
			continue;
		v = atomic64_xchg(&e->pend[i], 0);
		atomic64_add(v, &row[cell_of(e, i)]);
	}
}

static bool is_process(const struct kt_acct *a)
{
	return a && a->tgid;
}

/* Under the entry's lock: a takes over; returns whose reference to let go. */
static struct kt_acct *hand_over(struct kt_sock_entry *e, const struct sock *sk,
				 struct kt_acct *a, const struct task_struct *leader, u32 ahead)
{
	struct kt_acct *old = e->acct;

	if (old && old != a)
		fold(e, sk, old, ahead);
	if (is_process(old) && old != a) {
		set_bit(ACCT_SHARED, &old->flags);
		set_bit(ACCT_SHARED, &a->flags);
	}
	kt_guess_end(e);
	WRITE_ONCE(e->tgid, leader->tgid);
	WRITE_ONCE(e->start, leader->start_boottime);
	clear_bit(SOCK_OPENING, &e->flags);
	if (test_and_clear_bit(SOCK_APART, &e->flags))
		WRITE_ONCE(e->bucket, 0);
	/* Partner: READ_ONCE() in kt_sock_row(), which adds through the address it read. */
	smp_store_release(&e->acct, a);
	return old;
}

void kt_owner_set(struct kt_sock_entry *e, const struct sock *sk, struct task_struct *leader,
		  bool guess, u32 ahead)
{
	struct kt_acct *a = kt_acct_get(leader), *old;
	unsigned long flags;

	raw_spin_lock_irqsave(kt_sock_lock(e->cookie), flags);
	/* Without sk it is for who has no owner: meanwhile somebody may have used it. */
	if (test_bit(SOCK_GONE, &e->flags) || (!sk && e->acct)) {
		raw_spin_unlock_irqrestore(kt_sock_lock(e->cookie), flags);
		return kt_acct_put(a);
	}
	old = hand_over(e, sk, a, leader, ahead);
	if (guess)
		kt_guess_begin(e);
	raw_spin_unlock_irqrestore(kt_sock_lock(e->cookie), flags);
	if (old)
		kt_acct_put(old);
	kt_owner_settle(e, a);
	atomic64_inc(&learned);
}

static void use(struct sock *sk, struct task_struct *leader, u32 ahead)
{
	struct kt_sock_entry *e = kt_sock_get(sk, kt_sock_held_back(sk));

	if (e != &kt_sock_overflow)
		kt_owner_set(e, sk, leader, false, ahead);
}

/*
 * Who sends in process context with the socket in hand is its user. The socket
 * lock tells that for TCP: a VPN daemon that writes to tun also transmits other
 * people's acknowledgements, but does not own their sockets. A task that is
 * ending sends what its files still hold and takes nothing from anybody.
 */
void kt_owner_learn(struct sock *sk, u32 ahead)
{
	const struct kt_sock_entry *e;

	if (current->flags & PF_KTHREAD || !sk_fullsock(sk) || kt_sk_is_kernels(sk))
		return;
	/* Others take and leave it with plain stores; a hold of current's own stands. */
	if (kt_sk_is_tcp(sk) && !data_race(READ_ONCE(sk->sk_lock.owned)))
		return;
	if (current->flags & PF_EXITING) {
		e = kt_sock_find(kt_sock_cookie(sk));
		if (e && READ_ONCE(e->acct))
			return;
	}
	use(sk, current->group_leader, ahead);
}

struct kt_acct *kt_owner_of(const struct kt_sock_entry *e)
{
	struct kt_acct *a = READ_ONCE(e->acct);
	const struct kt_sock_entry *listener;

	if (a || !test_bit(SOCK_CHILD, &e->flags))
		return a;
	listener = kt_sock_find(e->start);
	return listener ? READ_ONCE(listener->acct) : NULL;
}

void kt_owner_fold(struct sock *sk)
{
	struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));
	unsigned long flags;

	if (!e || !sk_fullsock(sk) || !(kt_sk_is_tcp(sk) || kt_sk_is_udp(sk)))
		return;
	raw_spin_lock_irqsave(kt_sock_lock(e->cookie), flags);
	if (e->acct && !test_bit(SOCK_GONE, &e->flags))
		fold(e, sk, e->acct, 0);
	raw_spin_unlock_irqrestore(kt_sock_lock(e->cookie), flags);
}

/*
 * For the last time. A connection that its peer reset, in a softirq, before anybody used
 * it may still be accepted and read: until then, or until its entry goes, its payload
 * waits. What a process closes itself nobody reads any more.
 */
static void fold_rest(struct kt_sock_entry *e, const struct sock *sk)
{
	unsigned long flags;

	if (!sk_fullsock(sk) || !(kt_sk_is_tcp(sk) || kt_sk_is_udp(sk)))
		return;
	raw_spin_lock_irqsave(kt_sock_lock(e->cookie), flags);
	if (!test_bit(SOCK_GONE, &e->flags))
		fold(e, sk, in_task() && !(current->flags & PF_KTHREAD) ? kt_owner_of(e) : e->acct, 0);
	raw_spin_unlock_irqrestore(kt_sock_lock(e->cookie), flags);
}

static void close_entry(struct sock *sk)
{
	struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));

	if (!e)
		return;
	fold_rest(e, sk);
	set_bit(SOCK_CLOSED, &e->flags);
	kt_sock_touch(e);
}

/* The same socket connects, perhaps once more: its counters begin again. */
static void reopen(struct sock *sk)
{
	struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));
	unsigned long flags;

	if (!e)
		return;
	raw_spin_lock_irqsave(kt_sock_lock(e->cookie), flags);
	/* Once it is gone, the worker's list of such entries goes through base[0]. */
	if (!test_bit(SOCK_GONE, &e->flags)) {
		e->base[0] = 0;
		e->base[1] = 0;
		clear_bit(SOCK_CLOSED, &e->flags);
		clear_bit(SOCK_FLOWN, &e->flags);
	}
	raw_spin_unlock_irqrestore(kt_sock_lock(e->cookie), flags);
}

void kt_owner_state(struct sock *sk, int newstate)
{
	const struct kt_sock_entry *e;

	switch (newstate) {
	case TCP_CLOSE:
		return close_entry(sk);
	case TCP_SYN_SENT:
		reopen(sk);
		fallthrough;
	case TCP_LISTEN:
		if (in_task())
			kt_owner_learn(sk, 0);
		return;
	default:
		e = kt_sock_find(kt_sock_cookie(sk));
		if (in_task() && (!e || !READ_ONCE(e->acct)))
			kt_owner_learn(sk, 0);
		/* Who closes it may have ended when the peer has answered. */
		if (newstate == TCP_FIN_WAIT1 || newstate == TCP_LAST_ACK)
			kt_owner_fold(sk);
	}
}

/* Who closes it last is its owner, if nobody has used it. */
void kt_owner_unbound(struct sock *sk)
{
	const struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));

	if (e && !READ_ONCE(e->acct) && in_task())
		kt_owner_learn(sk, 0);
	close_entry(sk);
}

/* Its process found no room: the next use asks again. */
void kt_owner_let_go(struct kt_sock_entry *e)
{
	unsigned long flags;

	raw_spin_lock_irqsave(kt_sock_lock(e->cookie), flags);
	if (e->acct == kt_acct_full) {
		WRITE_ONCE(e->tgid, 0);
		WRITE_ONCE(e->start, 0);
	}
	raw_spin_unlock_irqrestore(kt_sock_lock(e->cookie), flags);
}

u64 kt_owner_learned(void)
{
	return atomic64_read(&learned);
}
