// SPDX-License-Identifier: GPL-2.0-only
/*
 * netproc.c - HOT: a process's network bytes for its records: at its end in any
 * context that ends are seen in, and for a walk in process context. A process
 * without sockets costs one lookup.
 */
#include "acct.h"
#include "fds.h"
#include "guess.h"
#include "main.h"
#include "net.h"
#include "netproc.h"
#include "totals.h"

bool kt_net_is_open __read_mostly;

u64 kt_net_known(void)
{
	if (!kt_net_is_open)
		return 0;
	return BIT_ULL(KTALLY_U_NET) | BIT_ULL(KTALLY_U_TCP_PAYLOAD) |
	       BIT_ULL(KTALLY_U_UDP_PAYLOAD);
}

/* Counted by arrival, UDP that the process never took is in it. */
u64 kt_net_upper(void)
{
	return !kt_net_is_open || READ_ONCE(kt_features) & KTALLY_FEAT_SOCK_LENGTH ? 0 :
		BIT_ULL(KTALLY_U_UDP_PAYLOAD);
}

static struct kt_acct *acct_of(const struct task_struct *leader)
{
	return kt_acct_find(leader->tgid, leader->start_boottime);
}

/* Of a living process, which holds a reference itself. */
static unsigned int count_sockets(const struct kt_acct *a)
{
	return a ? max(atomic_read(&a->refs) - 1, 0) : 0;
}

static noinline bool end_with_sockets(struct task_struct *leader, struct kt_net *to,
				      struct kt_net *since)
{
	unsigned int sockets = count_sockets(acct_of(leader));
	bool guesses = kt_guess_any();
	struct kt_net unused[2];
	struct kt_acct *a;
	struct kt_key key;

	if (sockets || guesses)
		kt_fds_fold_own(guesses ? 0 : sockets);
	a = acct_of(leader);
	if (a) {
		kt_totals_key(leader, &key);
		kt_acct_end(a, &key, to ?: &unused[0], since ?: &unused[1]);
	} else if (to) {
		memset(to, 0, sizeof(*to));
	}
	return a;
}

/* Under RCU. */
bool kt_net_exit(struct task_struct *p, struct kt_net *to, struct kt_net *since)
{
	struct task_struct *leader = p->group_leader;

	if (kt_net_is_open && unlikely(kt_guess_any() || acct_of(leader)))
		return end_with_sockets(leader, to, since);
	if (to)
		memset(to, 0, sizeof(*to));
	return false;
}

/* Its open sockets are asked first: what they count themselves is in no account yet. */
static bool sum_of(struct task_struct *leader, struct kt_net *to, bool since)
{
	struct kt_acct *a;
	bool fold, lives = true;

	memset(to, 0, sizeof(*to));
	if (!kt_net_is_open)
		return true;
	rcu_read_lock();
	fold = count_sockets(acct_of(leader));
	rcu_read_unlock();
	if (fold)
		kt_fds_fold(leader);
	rcu_read_lock();
	a = acct_of(leader);
	if (a && since)
		lives = kt_acct_since(a, to);
	else if (a)
		kt_acct_sum(a, to);
	rcu_read_unlock();
	return lives;
}

void kt_net_task(struct task_struct *leader, struct kt_net *to)
{
	sum_of(leader, to, false);
}

bool kt_net_since(struct task_struct *leader, struct kt_net *to)
{
	return sum_of(leader, to, true);
}

void kt_net_begin_anew(void)
{
	if (kt_net_is_open)
		kt_acct_begin_anew();
}

unsigned int kt_net_accounts(void)
{
	return kt_net_is_open ? kt_acct_places() : 0;
}

bool kt_net_moves(struct task_struct *leader, unsigned int *account, u64 *moves)
{
	const struct kt_acct *a = kt_acct_find(leader->tgid, leader->start_boottime);

	if (!a)
		return false;
	*account = kt_acct_place(a);
	*moves = kt_acct_moves(a);
	return true;
}
