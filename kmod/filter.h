/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - HOT: which processes count for a session: what its opener may see and
 * what its reader selected. Only compares; called under RCU. Selections are made,
 * and kept up at forks and execs, in select.c.
 */
#ifndef KTALLY_FILTER_H
#define KTALLY_FILTER_H

#include <linux/bitops.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "pack.h"

/*
 * A selection, replaced as a whole. The maps have a bit per PID number. `who`: named
 * by number or name, or with TREE started by such a one; set or cleared at fork.
 * `in`: was selected once and stays so, else its end would be missing.
 */
struct kt_select {
	u32 what;			/* KTALLY_SELECT_* */
	u64 refused;			/* kinds, for all processes */
	u64 min_life;
	unsigned long *who;		/* NULL: everybody */
	unsigned long *in;		/* NULL: nothing narrows */
	u32 netns, pidns;
	u32 n_pids, n_names, n_uids, n_cgroups;
	u32 *pids, *uids;
	u64 *cgroups;
	char (*names)[KTALLY_NAME_MAX];
};

struct kt_filter {
	struct pid_namespace *visible;	/* held by the session; NULL: all are */
	struct kt_select __rcu *select;	/* NULL: everything */
};

/* What an event is about. */
struct kt_who {
	struct task_struct *task;	/* NULL: it is gone, or never was */
	struct pid *pid;		/* then; NULL: nobody */
	bool machine;			/* the machine, as task may see it: no selection applies */
};

bool kt_select_narrows(const struct kt_select *sel, struct task_struct *p);

/* Is who in ns or in a namespace below it? */
static inline bool kt_sees(struct pid_namespace *ns, const struct kt_who *who)
{
	/* Empty once it is released: read once. */
	struct pid *pid = who->task ? data_race(READ_ONCE(who->task->signal->pids[PIDTYPE_TGID])) :
				      who->pid;

	return pid && pid->level >= ns->level && pid->numbers[ns->level].ns == ns;
}

static inline bool kt_select_passes(const struct kt_select *sel, unsigned int kind,
				    const struct kt_who *who)
{
	u32 nr = who->task ? who->task->tgid : pid_nr(who->pid);

	if (sel->who && !test_bit(nr, sel->who))
		return false;
	if (sel->refused & BIT_ULL(kind))
		return false;
	if (sel->in && !test_bit(nr, sel->in) && !kt_select_narrows(sel, who->task))
		return false;
	return kind != KTALLY_EXIT || !sel->min_life ||
	       ktime_get_boottime_ns() - who->task->group_leader->start_boottime >= sel->min_life;
}

static inline bool kt_filter_passes(const struct kt_filter *f, unsigned int kind,
				    const struct kt_who *who)
{
	const struct kt_select *sel = rcu_dereference(f->select);

	if (unlikely(f->visible) && !kt_sees(f->visible, who))
		return false;
	return likely(!sel) || who->machine || kt_select_passes(sel, kind, who);
}

#endif
