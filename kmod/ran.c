// SPDX-License-Identifier: GPL-2.0-only
/*
 * ran.c - who ran since a session's last walk (ran.h). A process ran if one of its
 * threads is on a CPU, waits for one, or was accounted by the scheduler since that
 * walk began; if one of its threads ended since; or if a packet was counted for it.
 * Only reads what others own. Walks call it in process context, under RCU.
 */
#include <linux/mm.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>

#include "compat.h"
#include "net.h"
#include "ran.h"

#define THREADS_MAX	4096			/* of more, some will have run */
#define MARGIN		(2 * TICK_NSEC)		/* by which the clocks of CPUs may differ */

/*
 * A walk begins. What ends from here on is noted in the other map, so that it is
 * looked at by the next walk, however early this one came by.
 */
int kt_ran_begin(struct kt_ran *ran)
{
	unsigned int next = !ran->turn;

	if (!ran->told && kt_net_accounts())
		ran->told = kvcalloc(kt_net_accounts(), sizeof(*ran->told), GFP_KERNEL);
	if (!ran->told && kt_net_accounts())
		return -ENOMEM;
	bitmap_zero(ran->ended[next], 1 << KT_RAN_BITS);
	/* Empty before anybody notes in it; partner: the address in kt_ran_thread_ended(). */
	smp_store_release(&ran->turn, next);
	ran->begun = local_clock();
	return 0;
}

/* Everybody was looked at and every record was written. */
void kt_ran_done(struct kt_ran *ran)
{
	ran->since = ran->begun > MARGIN ? ran->begun - MARGIN : 1;
}

void kt_ran_close(struct kt_ran *ran)
{
	kvfree(ran->told);
}

/*
 * exec_start is when the scheduler last put running time down to t: also the moment
 * it left its CPU. Moving to another CPU may clear it: then t is about to run, or was
 * moved asleep (6.12 and later leave sleepers queued for a while) and may have run.
 */
static bool thread_ran(const struct task_struct *t, u64 since)
{
	/* The scheduler's plain stores: one that comes now is news for the next walk. */
	u64 last = data_race(READ_ONCE(t->se.exec_start));

	return kt_runnable(t) || !last || last + kt_clock_lag(task_cpu(t)) >= since;
}

/* Its last moments will be told by none of its own traces: look once more. */
static bool is_ending(const struct task_struct *t)
{
	/* Plain stores of its own; who begins to end just now has run. */
	return data_race(READ_ONCE(t->flags)) & PF_EXITING &&
	       data_race(READ_ONCE(t->exit_state)) != EXIT_ZOMBIE;
}

static bool threads_ran(struct kt_ran *ran, struct task_struct *leader)
{
	struct task_struct *t;
	unsigned int n = 0;
	bool found = false;

	kt_for_each_thread(leader, t) {
		if (unlikely(is_ending(t))) {
			kt_ran_thread_ended(ran, leader->tgid);
			return true;
		}
		found |= thread_ran(t, ran->since) || ++n > THREADS_MAX;
	}
	return found;
}

static bool thread_ended(const struct kt_ran *ran, u32 tgid)
{
	unsigned int bit = hash_32(tgid, KT_RAN_BITS);

	return test_bit(bit, ran->ended[0]) || test_bit(bit, ran->ended[1]);
}

/* net: to be given to its account when the record has been written. */
bool kt_ran(struct kt_ran *ran, struct task_struct *leader, struct kt_ran_net *net)
{
	unsigned int account;
	bool moved = false;

	net->told = NULL;
	if (ran->told && kt_net_moves(leader, &account, &net->moves)) {
		net->told = &ran->told[account];
		moved = *net->told != net->moves;
	}
	return moved || thread_ended(ran, leader->tgid) || threads_ran(ran, leader);
}
