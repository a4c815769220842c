// SPDX-License-Identifier: GPL-2.0-only
/*
 * guess.c - owners of sockets that nobody has used yet (guess.h): who alone holds
 * one among its open files is taken for its user, until somebody uses it.
 */
#include <linux/pid_namespace.h>
#include <net/tcp_states.h>

#include "flow.h"
#include "guess.h"
#include "owner.h"
#include "socktype.h"

#define TRIES_MAX	3

atomic_t kt_guesses;
static atomic_t open_guesses;		/* of them without an owner */
static bool scan_wanted;		/* the worker's */

/* Under the entry's lock, as all that changes a guess. */
void kt_guess_begin(struct kt_sock_entry *e)
{
	if (test_and_set_bit(SOCK_GUESSED, &e->flags))
		return;
	atomic_inc(&kt_guesses);
	if (!e->acct)
		atomic_inc(&open_guesses);
}

void kt_guess_end(struct kt_sock_entry *e)
{
	if (!test_and_clear_bit(SOCK_GUESSED, &e->flags))
		return;
	atomic_dec(&kt_guesses);
	if (!e->acct)
		atomic_dec(&open_guesses);
}

bool kt_guess_any_open(void)
{
	return atomic_read(&open_guesses);
}

static bool is_connected(const struct sock *sk)
{
	return kt_sk_is_tcp(sk) && sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_LISTEN;
}

static bool is_owned(const struct kt_sock_entry *e, const struct task_struct *leader)
{
	return READ_ONCE(e->acct) && READ_ONCE(e->tgid) == leader->tgid &&
	       READ_ONCE(e->start) == leader->start_boottime;
}

/*
 * Under the entry's lock. Only the one scan at a time writes the candidate, its start
 * inverted: a candidate is no owner and must not be taken for one by kt_sock_is_mine().
 */
static void add_candidate(struct kt_sock_entry *e, const struct task_struct *leader)
{
	if (!test_and_set_bit(SOCK_SEEN, &e->flags)) {
		clear_bit(SOCK_SHARED, &e->flags);
		WRITE_ONCE(e->tgid, leader->tgid);
		WRITE_ONCE(e->start, ~leader->start_boottime);
	} else if (e->tgid != leader->tgid || e->start != ~leader->start_boottime) {
		set_bit(SOCK_SHARED, &e->flags);
	}
}

/* A child keeps its listener where candidates are, whose it is if nobody uses it. */
static void guess(struct kt_sock_entry *e, const struct task_struct *found)
{
	raw_spinlock_t *lock = kt_sock_lock(e->cookie);
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	if (!e->acct && !test_bit(SOCK_GONE, &e->flags)) {
		kt_guess_begin(e);
		if (found && !test_bit(SOCK_CHILD, &e->flags))
			add_candidate(e, found);
	}
	raw_spin_unlock_irqrestore(lock, flags);
}

void kt_guess_bound(struct sock *sk)
{
	struct kt_sock_entry *e;

	if (current->flags & PF_KTHREAD || kt_sk_is_kernels(sk))
		return;
	e = kt_sock_get(sk, 0);
	if (e != &kt_sock_overflow)
		guess(e, NULL);
}

void kt_guess_received(struct kt_sock_entry *e)
{
	if (e != &kt_sock_overflow && !test_bit(SOCK_GUESSED, &e->flags) &&
	    !test_bit(SOCK_APART, &e->flags))
		guess(e, NULL);
}

void kt_guess_last_holder(struct sock *sk)
{
	struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));

	if (e && test_bit(SOCK_GUESSED, &e->flags) && !is_owned(e, current->group_leader))
		kt_owner_set(e, sk, current->group_leader, true, 0);
}

void kt_guess_found(struct sock *sk, struct task_struct *leader)
{
	struct kt_sock_entry *e;
	struct kt_flow_key key;

	if (!sk_fullsock(sk) || kt_sk_is_kernels(sk) ||
	    !(kt_sk_is_inet(sk) || sk->sk_family == AF_PACKET))
		return;
	e = kt_sock_get(sk, 0);
	if (e == &kt_sock_overflow)
		return;
	if (is_connected(sk)) {
		kt_flow_own_key(sk, e->ns, &key);
		kt_flow_add(e, &key);
	}
	guess(e, leader);
}

/* Under RCU. An owner may take its place meanwhile: kt_owner_set() asks once more. */
static struct task_struct *candidate(const struct kt_sock_entry *e)
{
	struct task_struct *p = pid_task(find_pid_ns(READ_ONCE(e->tgid), &init_pid_ns),
					 PIDTYPE_TGID);

	return p && p->start_boottime == ~READ_ONCE(e->start) ? p : NULL;
}

static void decide(struct kt_sock_entry *e)
{
	struct task_struct *p = candidate(e);

	if (!READ_ONCE(e->acct) && p && !test_bit(SOCK_SHARED, &e->flags))
		kt_owner_set(e, NULL, p, true, 0);
}

static void look_at(struct kt_sock_entry *e)
{
	if (!test_and_clear_bit(SOCK_SEEN, &e->flags))
		return;
	rcu_read_lock();
	decide(e);
	rcu_read_unlock();
}

void kt_guess_scanned(void)
{
	kt_sock_each(look_at);
}

void kt_guess_ask(struct kt_sock_entry *e)
{
	unsigned long tries = READ_ONCE(e->flags) >> SOCK_TRIES;

	if (test_bit(SOCK_CHILD, &e->flags) || tries >= TRIES_MAX)
		return;
	set_mask_bits(&e->flags, ~0UL << SOCK_TRIES, (tries + 1) << SOCK_TRIES);
	scan_wanted = true;
}

bool kt_guess_wants_scan(void)
{
	bool wanted = scan_wanted;

	scan_wanted = false;
	return wanted;
}
