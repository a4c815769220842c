// SPDX-License-Identifier: GPL-2.0-only
/*
 * task.c - HOT: facts out of task_struct, signal_struct and mm_struct; the only
 * file that knows them, but for what a walk reads (sample.c). Only reads. Called
 * under RCU from probes: takes no lock that a writer may hold and never sleeps.
 *
 * What data_race() or __no_kcsan stands at, its owner or the clock's interrupt changes
 * by plain stores meanwhile: a figure is as old as its reading, as in /proc.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "task.h"

#define THREADS_MAX	1024		/* walked at an end; more are flagged */
#define SLICE_MAX	(100 * NSEC_PER_MSEC)	/* a longer one is a clock's lie */
#define TRIES		3

#define BIT_OF(field)	BIT_ULL(KTALLY_U_##field)

#define KNOWN_ALWAYS							\
	(BIT_OF(UTIME) | BIT_OF(STIME) | BIT_OF(RUNTIME) |		\
	 BIT_OF(NVCSW) | BIT_OF(NIVCSW) | BIT_OF(MINFLT) | BIT_OF(MAJFLT) | BIT_OF(MAXRSS))
#define KNOWN_IO_CALLS							\
	(BIT_OF(RCHAR) | BIT_OF(WCHAR) | BIT_OF(SYSCR) | BIT_OF(SYSCW))
#define KNOWN_IO_BYTES							\
	(BIT_OF(READ_BYTES) | BIT_OF(WRITE_BYTES) | BIT_OF(CANCELLED_WRITE_BYTES))
#define KNOWN_MEMORY							\
	(BIT_OF(RSS) | BIT_OF(PEAK_RSS) | BIT_OF(VM) | BIT_OF(PEAK_VM) | BIT_OF(SWAP))

#define KNOWN_TOTALS							\
	(KNOWN_ALWAYS | (KT_HAS_IO_CALLS ? KNOWN_IO_CALLS : 0) |	\
	 (KT_HAS_IO_BYTES ? KNOWN_IO_BYTES : 0) |			\
	 (KT_HAS_RUN_DELAY ? BIT_OF(RUN_DELAY) : 0))

/* Bits of what is measured of every process. */
u64 kt_task_known(void)
{
	return (KNOWN_TOTALS | KNOWN_MEMORY) & ~BIT_OF(RUN_DELAY);
}

void kt_task_life(const struct task_struct *p, struct kt_life *life)
{
	life->tgid = p->tgid;
	life->image = (u32)READ_ONCE(p->self_exec_id);
	life->start = p->group_leader->start_boottime;
}

static void parent_of(struct task_struct *leader, struct kt_owner *o)
{
	struct task_struct *parent;

	o->ppid = 0;
	o->parent_start = 0;
	/* A released task's parent pointer leads nowhere. */
	if (!data_race(pid_alive(leader)))
		return;
	parent = rcu_dereference(leader->real_parent);
	o->ppid = parent->tgid;
	o->parent_start = parent->group_leader->start_boottime;
}

/* The name, NUL ended; what an older, longer one left behind it is wiped. */
static void comm_of(const struct task_struct *leader, char *to)
{
	unsigned int i;

	(void)data_race(memcpy(to, leader->comm, KTALLY_COMM_LEN));
	to[KTALLY_COMM_LEN - 1] = 0;
	for (i = strlen(to); i < KTALLY_COMM_LEN; i++)
		to[i] = 0;
}

/* Its release empties the place: read once, and what is there lasts as long as RCU. */
static struct pid *pid_of(const struct task_struct *leader, enum pid_type type)
{
	return data_race(READ_ONCE(leader->signal->pids[type]));
}

/* All but netns, which needs more than RCU: see kt_netns(). */
void kt_task_owner(struct task_struct *leader, struct kt_owner *o)
{
	const struct cred *cred = __task_cred(leader);
	struct pid *pid = pid_of(leader, PIDTYPE_TGID);

	parent_of(leader, o);
	o->nspid = 0;
	o->pidns = 0;
	if (pid) {
		o->nspid = pid->numbers[pid->level].nr;
		o->pidns = pid->numbers[pid->level].ns->ns.inum;
	}
	o->cgroup = kt_cgroup_id(leader);
	o->netns = 0;
	o->uid = __kuid_val(cred->uid);
	o->gid = __kgid_val(cred->gid);
	o->sid = pid_nr(pid_of(leader, PIDTYPE_SID));
	o->pgrp = pid_nr(pid_of(leader, PIDTYPE_PGID));
	comm_of(leader, o->comm);
}

struct sums {
	u64 utime, stime, runtime, delay, nvcsw, nivcsw, minflt, majflt;
	struct task_io_accounting io;
};

static void add_ended(struct sums *s, const struct signal_struct *sig)
{
	s->utime = sig->utime;
	s->stime = sig->stime;
	s->runtime = sig->sum_sched_runtime;
	s->delay = 0;
	s->nvcsw = sig->nvcsw;
	s->nivcsw = sig->nivcsw;
	s->minflt = sig->min_flt;
	s->majflt = sig->maj_flt;
	s->io = sig->ioac;
}

static void __no_kcsan add_thread(struct sums *s, const struct task_struct *t)
{
	struct task_io_accounting io = t->ioac;

	s->utime += t->utime;
	s->stime += t->stime;
	s->runtime += t->se.sum_exec_runtime;
	s->delay += data_race(kt_run_delay(t));
	s->nvcsw += t->nvcsw;
	s->nivcsw += t->nivcsw;
	s->minflt += t->min_flt;
	s->majflt += t->maj_flt;
	task_io_accounting_add(&s->io, &io);
}

static void add_group(struct sums *s, struct task_struct *p, struct kt_totals *t)
{
	struct task_struct *thread;

	add_ended(s, p->signal);
	t->threads = 0;
	t->many = false;
	kt_for_each_thread(p, thread) {
		if (t->threads == THREADS_MAX) {
			t->many = true;
			break;
		}
		add_thread(s, thread);
		t->threads++;
	}
}

static void fill_usage(struct kt_usage *u, const struct sums *s, const struct signal_struct *sig)
{
	*u = (struct kt_usage){
		.known = KNOWN_TOTALS,
		.utime = s->utime,
		.stime = s->stime,
		.runtime = s->runtime,
		.run_delay = s->delay,
		.nvcsw = s->nvcsw,
		.nivcsw = s->nivcsw,
		.minflt = s->minflt,
		.majflt = s->majflt,
		.rchar = KT_IO_CALL(&s->io, rchar),
		.wchar = KT_IO_CALL(&s->io, wchar),
		.syscr = KT_IO_CALL(&s->io, syscr),
		.syscw = KT_IO_CALL(&s->io, syscw),
		.read_bytes = KT_IO_BYTES(&s->io, read_bytes),
		.write_bytes = KT_IO_BYTES(&s->io, write_bytes),
		.cancelled_write_bytes = KT_IO_BYTES(&s->io, cancelled_write_bytes),
		.maxrss = (u64)data_race(sig->maxrss) << PAGE_SHIFT,
	};
}

/*
 * Everything p's threads used, ended ones included; memory stays unknown. A
 * thread that is released meanwhile moves from one side of the sum to the other
 * inside a write section of stats_lock: then the sum is taken again.
 */
void kt_task_totals(struct task_struct *p, struct kt_usage *u, struct kt_totals *t)
{
	const seqcount_t *seq = KT_STATS_SEQ(p->signal);
	struct sums s __uninitialized;
	unsigned int begin, tries = 0;

	do {
		begin = raw_read_seqcount(seq);
		add_group(&s, p, t);
		t->unstable = (begin & 1) || read_seqcount_retry(seq, begin);
	} while (t->unstable && ++tries < TRIES);
	fill_usage(u, &s, p->signal);
}

/*
 * The mm's sizes and peaks. exact: sum the counters over all CPUs, for the last
 * reading of an image; else as near as /proc shows them.
 */
void kt_task_memory(struct mm_struct *mm, struct kt_usage *u, bool exact)
{
	u64 rss = kt_mm_pages(mm, MM_FILEPAGES, exact) + kt_mm_pages(mm, MM_ANONPAGES, exact) +
		  kt_mm_pages(mm, MM_SHMEMPAGES, exact);
	u64 vm = READ_ONCE(mm->total_vm);

	u->known |= KNOWN_MEMORY;
	u->rss = rss << PAGE_SHIFT;
	u->peak_rss = max_t(u64, rss, data_race(mm->hiwater_rss)) << PAGE_SHIFT;
	u->vm = vm << PAGE_SHIFT;
	u->peak_vm = max_t(u64, vm, data_race(mm->hiwater_vm)) << PAGE_SHIFT;
	u->swap = kt_mm_pages(mm, MM_SWAPENTS, exact) << PAGE_SHIFT;
}

/* --- a task in its hook --- */

bool kt_task_is_process(const struct task_struct *p)
{
	return p->pid == p->tgid;
}

void kt_task_forked(struct task_struct *child, struct ktally_fork *f)
{
	f->netns = kt_netns(child);
	f->parent_image = (u32)READ_ONCE(rcu_dereference(child->real_parent)->self_exec_id);
	f->flags = 0;
	if (child->mm && child->mm == current->mm)
		f->flags |= KTALLY_FORK_VM;
	if (child->flags & PF_KTHREAD)
		f->flags |= KTALLY_FORK_KTHREAD;
}

/* p is current. */
void kt_task_thread(const struct task_struct *p, struct ktally_thread_exit *t)
{
	t->tid = p->pid;
	t->exit_code = p->exit_code & 0xffff;
	t->thread_start = p->start_boottime;
	t->utime = data_race(p->utime);
	t->stime = data_race(p->stime);
	t->runtime = data_race(p->se.sum_exec_runtime) + kt_task_slice();
	t->run_delay = kt_run_delay(p);
	comm_of(p, t->comm);
}

/* The status as wait() sees it: the group's, or on 5.10 the leader's own. */
u32 kt_task_status(const struct task_struct *leader)
{
	const struct signal_struct *sig = leader->signal;
	int code = sig->flags & SIGNAL_GROUP_EXIT ? sig->group_exit_code : leader->exit_code;

	return code & 0xffff;
}

/* p is current, the last of its process. */
void kt_task_ended(struct task_struct *p, const struct kt_totals *totals, struct ktally_exit *e)
{
	e->netns = kt_netns(p);
	e->status = kt_task_status(p->group_leader);
	e->tid = p->pid;
	e->threads = totals->threads;
	e->argv_len = 0;
	e->argv = 0;
	e->flags = 0;
	if (totals->unstable)
		e->flags |= KTALLY_EXIT_UNSTABLE;
	if (totals->many)
		e->flags |= KTALLY_EXIT_MANY;
	if (data_race(tsk_is_oom_victim(p)))
		e->flags |= KTALLY_EXIT_OOM;
	if (p->flags & PF_KTHREAD)
		e->flags |= KTALLY_EXIT_KTHREAD;
	if (data_race(p->group_leader->flags) & PF_FORKNOEXEC)
		e->flags |= KTALLY_EXIT_NOEXEC;
}

/* --- current --- */

/* Of run_delay only current's own: the others' threads wrote theirs themselves. */
void kt_task_own_delay(struct kt_usage *u)
{
	u->run_delay = kt_run_delay(current);
}

/* What current has run since the scheduler last looked, ns. */
u64 kt_task_slice(void)
{
	s64 slice;

	if (!KT_HAS_SLICE)
		return 0;
	preempt_disable();
	slice = local_clock() - data_race(current->se.exec_start);
	preempt_enable();
	return clamp_t(s64, slice, 0, SLICE_MAX);
}

/* Exact sums; a kernel thread has no memory, even when it borrowed some. */
void kt_task_own_memory(struct kt_usage *u)
{
	if (current->mm && !(current->flags & PF_KTHREAD))
		kt_task_memory(current->mm, u, true);
}

/* Of the mm's argument block; nonsense of a process's own making is 0. */
u32 kt_task_argv_len(const struct mm_struct *mm)
{
	unsigned long start = data_race(READ_ONCE(mm->arg_start));
	unsigned long end = data_race(READ_ONCE(mm->arg_end));

	return end > start ? min_t(unsigned long, end - start, U32_MAX) : 0;
}

u32 kt_task_own_argv_len(void)
{
	return kt_task_argv_len(current->mm);
}

/* Copies without sleeping, page by page; returns how much could be read. */
u32 kt_task_own_argv(u32 offset, char *to, u32 len)
{
	unsigned long at = data_race(READ_ONCE(current->mm->arg_start)) + offset;
	u32 done = 0, n;

	while (done < len) {
		n = min_t(u32, len - done, PAGE_SIZE - offset_in_page(at + done));
		if (copy_from_user_nofault(to + done, (void __user *)(at + done), n))
			break;
		done += n;
	}
	return done;
}
