/* SPDX-License-Identifier: GPL-2.0-only */
/* session.h - open sessions and the way of a record into them; see session.c. */
#ifndef KTALLY_SESSION_H
#define KTALLY_SESSION_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>

#include "channel.h"
#include "filter.h"
#include "ran.h"

/* Written at the start and by the owner, never refused by a session's mask. */
#define KT_KINDS_ALWAYS							\
	(BIT_ULL(KTALLY_HEADER) | BIT_ULL(KTALLY_FORMAT) | BIT_ULL(KTALLY_INFO) | \
	 BIT_ULL(KTALLY_WALK_BEGIN) | BIT_ULL(KTALLY_WALK_END) | BIT_ULL(KTALLY_END) | \
	 BIT_ULL(KTALLY_SELECTION))

/* Who opened the device: decides what a session may see. */
struct kt_opener {
	u32 tgid;
	u32 uid;
	bool all_argv;			/* other users' argv too */
	struct pid_namespace *pidns;	/* held */
};

/*
 * What ended while a session recorded, counted with the totals: what its records and
 * its losses must add up to. Only added to.
 */
struct kt_ended {
	atomic64_t processes, runtime, net[6];
};

enum kt_session_state { KT_RUNNING, KT_STOPPED, KT_ENDED };

struct kt_session {
	struct kref ref;		/* the device's file and one per CPU's */
	struct kt_channel *channel;
	u64 kinds;			/* mask */
	struct kt_filter filter;
	struct kt_opener opener;	/* its tgid: under sessions_lock */
	bool boot;			/* under sessions_lock: began at load, not taken over yet */
	u32 number;
	u32 buffer_kb;			/* counted against max_kb */
	u64 started;
	u64 missed_before;		/* ends the kprobe missed before the session began */
	struct kt_ended ended;

	/* One call of its owner at a time; protects what follows. */
	struct mutex lock;
	enum kt_session_state state;
	u32 walk;			/* number of the walk that goes on, or was last */
	u64 walk_tasks;
	u64 walk_lost;
	u64 walk_idle;
	struct cgroup *walk_cgroup;	/* held: the last one written */
	struct kt_ran ran;		/* the hook of ends notes threads in it */

	wait_queue_head_t announce;	/* a CPU came up */
	unsigned int cpus_told;		/* what the owner knows */
};

/* The sessions that record now: replaced as a whole, read under RCU. */
struct kt_set {
	unsigned int n;
	bool selecting;			/* one of them records selected processes only */
	bool exit_argv;			/* one of them wants argv at the end */
	struct kt_session *session[KTALLY_SESSIONS];
};

extern struct kt_set __rcu *kt_recording;

/* NULL while nobody records, and then an event costs this test. */
static inline const struct kt_set *kt_set(void)
{
	return rcu_dereference(kt_recording);
}

static inline bool kt_wants(const struct kt_session *s, unsigned int kind,
			    const struct kt_who *who)
{
	if (likely((s->kinds & BIT_ULL(kind)) && kt_filter_passes(&s->filter, kind, who)))
		return true;
	kt_channel_refuse(s->channel, kind);
	return false;
}

/*
 * Which sessions want a record of this kind, a bit each: asked before any fact is
 * gathered. Refusals are counted here.
 */
static inline unsigned long kt_choose(const struct kt_set *set, unsigned int kind,
				      const struct kt_who *who)
{
	unsigned long chosen = 0;
	unsigned int i;

	for (i = 0; i < set->n; i++)
		if (kt_wants(set->session[i], kind, who))
			chosen |= BIT(i);
	return chosen;
}

/* May s record the arguments of a process of this user? */
static inline bool kt_shows_argv(const struct kt_session *s, u32 uid)
{
	return s->opener.all_argv || s->opener.uid == uid;
}

/* Into those that kt_choose() told. */
void kt_emit(const struct kt_set *set, unsigned long chosen, const struct kt_record *r);

/* Off the hot path; these take RCU themselves. Into all that want it; false: one lost it. */
bool kt_emit_to_all(const struct kt_record *r, const struct kt_who *who);
bool kt_session_wants(const struct kt_session *s, unsigned int kind, const struct kt_who *who);

/* sel, NULL for everything, is the session's from then on if there is one. */
int kt_session_start(const struct kt_opener *opener, const struct ktally_start *how,
		     struct kt_select *sel, struct kt_session **made);
int kt_session_adopt(const struct kt_opener *opener, struct kt_session **adopted);
void kt_session_give_back(struct kt_session *s);
void kt_session_get(struct kt_session *s);
void kt_session_put(struct kt_session *s);
void kt_session_select(struct kt_session *s, struct kt_select *sel);
int kt_session_end(struct kt_session *s);
void kt_session_abandon(struct kt_session *s);
void kt_sessions_attempts(u64 sum[KTALLY_KINDS]);
void kt_sessions_status(const struct kt_opener *asks, struct ktally_session_status *st,
			struct ktally_counts *sum);

int kt_session_boot(void);
int kt_sessions_open(void);
void kt_sessions_close(void);

#endif
