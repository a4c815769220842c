// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample.c - what a walk reads of a living process (sample.h). Process context: takes
 * task_lock() and may sleep, but for what stands under RCU.
 */
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "sample.h"
#include "task.h"

/* From PID *nr on, held; NULL: there is none. Process context; the caller reschedules. */
struct task_struct *kt_sample_next(int *nr)
{
	struct task_struct *p;
	unsigned int looked;
	struct pid *pid;

	for (;;) {
		rcu_read_lock();
		for (looked = 0, p = NULL; looked < KT_PIDS_PER_SECTION && !p; looked++, (*nr)++) {
			pid = idr_get_next(&init_pid_ns.idr, nr);
			if (!pid)
				break;
			p = pid_task(pid, PIDTYPE_TGID);
			if (p)
				get_task_struct(p);
		}
		rcu_read_unlock();
		if (p || !pid)
			return p;
		cond_resched();
	}
}

/* From whichever thread still has it: a leader may have ended before the others. */
static void sample_locked(struct task_struct *leader, struct ktally_task *t)
{
	struct task_struct *thread;
	bool found = false;

	kt_for_each_thread(leader, thread) {
		task_lock(thread);
		if (!t->netns)
			t->netns = kt_netns(thread);
		if (thread->mm && !(data_race(thread->flags) & PF_KTHREAD)) {
			kt_task_memory(thread->mm, KT_USAGE(t), false);
			t->argv_len = kt_task_argv_len(thread->mm);
			found = true;
		}
		task_unlock(thread);
		if (found)
			break;
	}
}

static u32 sample_flags(const struct task_struct *leader, const struct kt_totals *totals)
{
	u32 flags = 0;

	/* Its own, by plain stores. */
	if (data_race(leader->flags) & PF_KTHREAD)
		flags |= KTALLY_TASK_KTHREAD;
	if (data_race(leader->flags) & PF_FORKNOEXEC)
		flags |= KTALLY_TASK_NOEXEC;
	if (totals->unstable)
		flags |= KTALLY_TASK_UNSTABLE;
	return flags;
}

/* False: it was released meanwhile, and so its exit record exists. */
bool kt_sample(struct task_struct *leader, struct ktally_task *t)
{
	struct kt_totals totals;
	bool alive;

	memset(t, 0, sizeof(*t));
	rcu_read_lock();
	alive = data_race(pid_alive(leader));
	if (alive) {
		t->sampled = ktime_get_boottime_ns();
		kt_task_life(leader, KT_LIFE(t));
		kt_task_owner(leader, KT_OWNER(t));
		kt_task_totals(leader, KT_USAGE(t), &totals);
		sample_locked(leader, t);
		t->state = data_race(task_state_to_char(leader));
		t->threads = totals.threads;
		t->live = atomic_read(&leader->signal->live);
		t->flags = sample_flags(leader, &totals);
		/* The status was there before; partner: tasklist_lock in exit_notify(). */
		if (!t->live && data_race(smp_load_acquire(&leader->exit_state)) == EXIT_ZOMBIE) {
			t->flags |= KTALLY_TASK_ZOMBIE;
			t->status = kt_task_status(leader);
		}
	}
	rcu_read_unlock();
	return alive;
}

/*
 * As it stands in memory now, at most len bytes; returns how much could be read. The
 * process may have become another since it was sampled: no more is read than its
 * arguments of now take, for behind them lies its environment.
 */
u32 kt_sample_argv(struct task_struct *leader, char *to, u32 len)
{
	unsigned long start = 0;
	struct mm_struct *mm;
	int n = 0;

	task_lock(leader);
	mm = leader->mm;
	if (mm) {
		mmgrab(mm);
		start = data_race(READ_ONCE(mm->arg_start));
		len = min(len, kt_task_argv_len(mm));
	}
	task_unlock(leader);
	if (!mm)
		return 0;
	if (len)
		n = access_process_vm(leader, start, to, len, KT_GUP_FLAGS);
	/*
	 * After an exec it was another image's memory, perhaps of a setuid program.
	 * While it is held, no later image can have its address.
	 */
	if (data_race(READ_ONCE(leader->mm)) != mm)
		n = 0;
	mmdrop(mm);
	return max(n, 0);
}
