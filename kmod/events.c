// SPDX-License-Identifier: GPL-2.0-only
/*
 * events.c - HOT: one short callback per tracepoint, and the table of them.
 * Facts are gathered first, then every session that wants the record gets it.
 *
 * Rules here: no allocation, no printk, no formatting, no lock shared between
 * CPUs. Take RCU and preemption yourself: up to 6.x probes run with preemption
 * off, from 7.x on they are fully preemptible. Nothing sleeps on any flavour.
 * Records are __uninitialized: every field is assigned below, so that the kernel
 * need not zero half a KiB of stack first; whoever adds a field sets it here.
 */
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "cgroup.h"
#include "compat.h"
#include "ends.h"
#include "events.h"
#include "main.h"
#include "net.h"
#include "peaks.h"
#include "pipes.h"
#include "probes.h"
#include "select.h"
#include "session.h"
#include "task.h"
#include "timing.h"
#include "totals.h"

char __percpu *kt_scratch;

/* --- fork --- */

static void fork_event(const struct kt_set *set, struct task_struct *child)
{
	const struct kt_who who = { .task = child };
	struct ktally_fork f __uninitialized;
	struct kt_record r = KT_RECORD(KTALLY_FORK, &f);
	unsigned long chosen;

	if (unlikely(set->selecting))
		kt_select_forked(set, child);
	chosen = kt_choose(set, KTALLY_FORK, &who);
	if (!chosen)
		return;
	kt_task_life(child, KT_LIFE(&f));
	kt_task_owner(child, KT_OWNER(&f));
	kt_task_forked(child, &f);
	kt_emit(set, chosen, &r);
}

static void count_thread(const struct kt_set *set)
{
	unsigned int i;

	for (i = 0; i < set->n; i++)
		kt_channel_thread(set->session[i]->channel);
}

/* In the parent, before the child may run. */
static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	const struct kt_set *set;

	rcu_read_lock();
	set = kt_set();
	if (set) {
		if (kt_task_is_process(child))
			fork_event(set, child);
		else
			count_thread(set);
	}
	rcu_read_unlock();
}

/* --- exit --- */

/* Snapshots would not see that its process ran: nothing of it is left. */
static void note_thread_end(const struct kt_set *set, u32 tgid)
{
	unsigned int i;

	for (i = 0; i < set->n; i++)
		kt_ran_thread_ended(&set->session[i]->ran, tgid);
}

static void emit_thread_exit(const struct kt_set *set, struct task_struct *p)
{
	struct ktally_thread_exit t __uninitialized;
	struct kt_record r = KT_RECORD(KTALLY_THREAD_EXIT, &t);
	const struct kt_who who = { .task = p };
	unsigned long chosen;

	note_thread_end(set, p->tgid);
	chosen = kt_choose(set, KTALLY_THREAD_EXIT, &who);
	if (!chosen)
		return;
	kt_task_life(p, KT_LIFE(&t));
	kt_task_thread(p, &t);
	kt_emit(set, chosen, &r);
}

/* Names and numbers are the leader's: whoever ends last may be anyone. */
static void exit_facts(struct task_struct *p, struct ktally_exit *e, u32 flags)
{
	struct kt_usage *u = KT_USAGE(e);
	struct kt_totals totals;

	kt_task_life(p, KT_LIFE(e));
	kt_task_owner(p->group_leader, KT_OWNER(e));
	kt_task_totals(p, u, &totals);
	kt_task_own_delay(u);
	u->runtime += kt_task_slice();
	if (flags & KTALLY_EXIT_FALLBACK)
		kt_peaks_bound(u);
	else
		kt_task_own_memory(u);
	kt_task_ended(p, &totals, e);
	e->flags |= flags;
	e->pipe_in = kt_pipe_at(0);
	e->pipe_out = kt_pipe_at(1);
}

/*
 * Sessions that get exits only have seen no exec: they get argv here, and run_delay
 * of threads that ended before is in no record of theirs.
 */
static noinline __cold void emit_exit_argv(const struct kt_set *set, unsigned long chosen,
					   const struct kt_record *plain,
					   const struct ktally_exit *e)
{
	struct ktally_exit own = *e;
	struct kt_record r = *plain;
	u32 len = 0;
	unsigned int i;
	char *to;

	own.known &= ~BIT_ULL(KTALLY_U_RUN_DELAY);
	own.run_delay = 0;
	own.argv_len = current->mm ? kt_task_own_argv_len() : 0;
	r.fixed = &own;
	r.strings = 1;
	preempt_disable();
	to = this_cpu_ptr(kt_scratch);
	if (own.argv_len && kt_argv)
		len = kt_task_own_argv(0, to, min_t(u32, own.argv_len, KTALLY_ARGV_INLINE));
	for (i = 0; chosen; i++, chosen >>= 1) {
		bool shown = kt_argv && current->mm && kt_shows_argv(set->session[i], own.uid);

		if (!(chosen & 1))
			continue;
		own.flags = e->flags;
		if (!shown && !(e->flags & KTALLY_EXIT_KTHREAD))
			own.flags |= KTALLY_EXIT_ARGV_HIDDEN;
		else if (len < own.argv_len)
			own.flags |= KTALLY_EXIT_ARGV_CUT;
		r.string[0] = (struct kt_bytes){
			.from = to, .len = shown ? len : 0,
			.at = offsetof(struct ktally_exit, argv),
		};
		kt_channel_write(set->session[i]->channel, &r);
	}
	preempt_enable();
}

/* Those of the chosen that want argv. */
static unsigned long with_argv(const struct kt_set *set, unsigned long chosen)
{
	const struct kt_select *sel;
	unsigned long with = 0;
	unsigned int i;

	for (i = 0; i < set->n; i++) {
		sel = rcu_dereference(set->session[i]->filter.select);
		if (sel && (sel->what & KTALLY_SELECT_EXITS))
			with |= chosen & BIT(i);
	}
	return with;
}

static void emit_exit(const struct kt_set *set, unsigned long chosen, const struct ktally_exit *e)
{
	const struct kt_record r = KT_RECORD(KTALLY_EXIT, e);
	unsigned long with = 0;

	if (unlikely(set->exit_argv))
		with = with_argv(set, chosen);
	if (unlikely(with))
		emit_exit_argv(set, with, &r, e);
	kt_emit(set, chosen & ~with, &r);
}

static void process_end(const struct kt_set *set, struct task_struct *p, u32 flags)
{
	const struct kt_who who = { .task = p };
	unsigned long chosen = set ? kt_choose(set, KTALLY_EXIT, &who) : 0;
	struct ktally_exit e __uninitialized;
	struct kt_net since __uninitialized;
	bool moved;

	if (!chosen && !kt_totals_on()) {
		kt_net_exit(p, NULL, NULL);
		return;
	}
	exit_facts(p, &e, flags);
	moved = kt_net_exit(p, KT_NET(&e), &since);
	e.known |= kt_net_known();
	e.upper |= kt_net_upper();
	kt_totals_ended(set, &e, moved ? &since : NULL);
	if (chosen)
		emit_exit(set, chosen, &e);
}

/* current = p ends, and with it its process or not; ends.c knows. */
void kt_event_end(struct task_struct *p, bool group_dead, u32 flags)
{
	const struct kt_set *set;

	rcu_read_lock();
	set = kt_set();
	if (group_dead)
		process_end(set, p, flags);
	else if (set)
		emit_thread_exit(set, p);
	rcu_read_unlock();
}

/* --- the table --- */

#define BY_EXIT(way)	\
	__builtin_choose_expr(KT_EXIT_HAS_GROUP_DEAD, kt_probe_exit_arg##way, kt_probe_exit##way)
#define EXIT_CALLBACK	BY_EXIT()

KT_TIMED(probe_fork, struct task_struct *parent, struct task_struct *child);
KT_TIMED(kt_probe_exec, struct task_struct *p, pid_t old_tid, struct linux_binprm *bprm);
KT_TIMED(kt_probe_exit, struct task_struct *p);
KT_TIMED(kt_probe_exit_arg, struct task_struct *p, bool group_dead);
KT_TIMED(kt_probe_free, struct task_struct *p);
KT_TIMED(kt_probe_prepare_exec, struct task_struct *p, struct linux_binprm *bprm);
#ifdef CONFIG_CGROUPS
KT_TIMED(kt_probe_cgroup_mkdir, struct cgroup *cgrp, const char *path);
KT_TIMED(kt_probe_cgroup_rename, struct cgroup *cgrp, const char *path);
KT_TIMED(kt_probe_cgroup_rmdir, struct cgroup *cgrp, const char *path);
#endif

static struct kt_probe probes[] = {
	{ "sched_process_fork", KT_CALLED(probe_fork), true },
	{ "sched_process_exec", KT_CALLED(kt_probe_exec), true },
	{ "sched_process_exit", EXIT_CALLBACK, BY_EXIT(_begins), BY_EXIT(_ended), true },
	{ KT_EXIT_HAS_GROUP_DEAD ? NULL : "sched_process_free", KT_CALLED(kt_probe_free) },
	{ "sched_prepare_exec", KT_CALLED(kt_probe_prepare_exec), false, KTALLY_FEAT_PREPARE_EXEC },
	KT_CGROUP_PROBES
};

/* Attaching by name loses the types: here the compiler compares them. */
static void __maybe_unused check_types(void)
{
	kt_prepare_exec_t *prepare = kt_probe_prepare_exec;

	(void)prepare;
	check_trace_callback_type_sched_process_fork(probe_fork);
	check_trace_callback_type_sched_process_exec(kt_probe_exec);
	check_trace_callback_type_sched_process_exit(EXIT_CALLBACK);
	check_trace_callback_type_sched_process_free(kt_probe_free);
}

int __init kt_events_open(void)
{
	int err;

	kt_scratch = __alloc_percpu(KT_ARGS_PIECE, 8);
	if (!kt_scratch)
		return -ENOMEM;
	err = kt_probes_open(probes, ARRAY_SIZE(probes));
	if (err)
		free_percpu(kt_scratch);
	return err;
}

void kt_events_detach(void)
{
	kt_probes_close(probes, ARRAY_SIZE(probes));
}

void kt_events_close(void)
{
	kt_events_detach();
	free_percpu(kt_scratch);
}
