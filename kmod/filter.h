/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - HOT: which processes count for a session: what its reader asked
 * for and what its opener may see. Only compares; called under RCU.
 */
#ifndef KTALLY_FILTER_H
#define KTALLY_FILTER_H

#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "compat.h"
#include "pack.h"

/* Beside KTALLY_FILTER_*: the opener sees its own PID namespace only. */
#define KT_FILTER_VISIBLE	BIT(31)

struct kt_filter {
	u32 what;			/* KTALLY_FILTER_*, KT_FILTER_VISIBLE; 0: everything */
	u32 uid;
	u32 pidns;
	u32 netns;
	u64 cgroup;			/* this one and those below */
	struct pid_namespace *visible;	/* held by the session */
};

/* The process an event is about. */
struct kt_who {
	struct task_struct *task;	/* NULL: it is gone, or never was */
	struct pid *pid;		/* then; NULL: about the machine */
	const struct kt_owner *owner;	/* NULL: unknown, only visibility is tested */
};

/* Is who in ns or in a namespace below it? */
static inline bool kt_sees(struct pid_namespace *ns, const struct kt_who *who)
{
	struct pid *pid = who->task ? task_tgid(who->task) : who->pid;

	return pid && pid->level >= ns->level && pid->numbers[ns->level].ns == ns;
}

static inline bool kt_filter_asked(const struct kt_filter *f, const struct kt_who *who)
{
	const struct kt_owner *o = who->owner;

	if ((f->what & KTALLY_FILTER_UID) && o->uid != f->uid)
		return false;
	if ((f->what & KTALLY_FILTER_PIDNS) && o->pidns != f->pidns)
		return false;
	if ((f->what & KTALLY_FILTER_NETNS) && o->netns != f->netns)
		return false;
	return !(f->what & KTALLY_FILTER_CGROUP) || kt_in_cgroup(who->task, f->cgroup);
}

static inline bool kt_filter_passes(const struct kt_filter *f, const struct kt_who *who)
{
	if (likely(!f->what))
		return true;
	if ((f->what & KT_FILTER_VISIBLE) && !kt_sees(f->visible, who))
		return false;
	return !who->owner || kt_filter_asked(f, who);
}

#endif
