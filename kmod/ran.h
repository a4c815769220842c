/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ran.h - who ran since a session's last walk. Nothing is kept per process: the
 * scheduler leaves in each thread when it was last on a CPU; a session keeps the
 * time of its last walk, a sum per account of network bytes, and one bit per hash
 * of processes whose threads ended, for an ended thread leaves no trace. A bit too
 * many costs a record that tells nothing new; none is missing.
 */
#ifndef KTALLY_RAN_H
#define KTALLY_RAN_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/sched.h>

#define KT_RAN_BITS	12

struct kt_ran {
	u64 since;		/* local_clock() when the last whole walk began; 0: none yet */
	u64 begun;		/* when this one did */
	u64 *told;		/* by account: what kt_net_moves() said at its last record */
	unsigned int turn;	/* which map takes the ends of threads; the owner changes it */
	unsigned long ended[2][BITS_TO_LONGS(1 << KT_RAN_BITS)];
};

/* What a record about a process will have told, once it is written. */
struct kt_ran_net {
	u64 *told;		/* NULL: it has no account */
	u64 moves;
};

/* HOT: a thread of this process ends, others go on. Any context. */
static inline void kt_ran_thread_ended(struct kt_ran *ran, u32 tgid)
{
	unsigned long *map = ran->ended[READ_ONCE(ran->turn)];
	unsigned int bit = hash_32(tgid, KT_RAN_BITS);

	if (!test_bit(bit, map))
		set_bit(bit, map);
}

int kt_ran_begin(struct kt_ran *ran);
void kt_ran_done(struct kt_ran *ran);
void kt_ran_close(struct kt_ran *ran);

/* Under RCU, of a living leader. */
bool kt_ran(struct kt_ran *ran, struct task_struct *leader, struct kt_ran_net *net);

#endif
