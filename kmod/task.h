/* SPDX-License-Identifier: GPL-2.0-only */
/* task.h - facts about tasks; see task.c. */
#ifndef KTALLY_TASK_H
#define KTALLY_TASK_H

#include <linux/sched.h>

#include "pack.h"

/* What a reading of a thread group came to. */
struct kt_totals {
	u32 threads;	/* not yet released, as far as they were walked */
	bool unstable;	/* a thread was released meanwhile, again and again */
	bool many;	/* more threads than were walked */
};

u64 kt_task_known(void);

/* Of any task, under RCU. */
bool kt_task_is_process(const struct task_struct *p);
void kt_task_life(const struct task_struct *p, struct kt_life *life);
void kt_task_owner(struct task_struct *leader, struct kt_owner *owner);
void kt_task_totals(struct task_struct *p, struct kt_usage *u, struct kt_totals *t);

/* The status as wait() sees it. */
u32 kt_task_status(const struct task_struct *leader);

/* Of an mm that is held or current's. exact: sums over all CPUs. */
void kt_task_memory(struct mm_struct *mm, struct kt_usage *u, bool exact);
u32 kt_task_argv_len(const struct mm_struct *mm);

/* Of a task in its hook: a new child, a thread or process that ends. */
void kt_task_forked(struct task_struct *child, struct ktally_fork *f);
void kt_task_thread(const struct task_struct *p, struct ktally_thread_exit *t);
void kt_task_ended(struct task_struct *p, const struct kt_totals *totals, struct ktally_exit *e);

/* Of current. */
void kt_task_own_delay(struct kt_usage *u);
u64 kt_task_slice(void);
void kt_task_own_memory(struct kt_usage *u);
u32 kt_task_own_argv_len(void);
u32 kt_task_own_argv(u32 offset, char *to, u32 len);

#endif
