/* SPDX-License-Identifier: GPL-2.0-only */
/* events.h - the callbacks of the tracepoints; see events.c. */
#ifndef KTALLY_EVENTS_H
#define KTALLY_EVENTS_H

#include <linux/ktally.h>
#include <linux/sched.h>

struct linux_binprm;

#define KT_ARGS_PIECE	3072	/* bytes of argv per args record */

/* Where argv is copied to, once per CPU; used with preemption off. */
extern char __percpu *kt_scratch;

int kt_events_open(void);
void kt_events_detach(void);
void kt_events_close(void);

void kt_event_end(struct task_struct *p, bool group_dead, u32 flags);

/* Probes of execs: execs.c. */
void kt_probe_exec(void *data, struct task_struct *p, pid_t old_tid, struct linux_binprm *bprm);
void kt_probe_prepare_exec(void *data, struct task_struct *p, struct linux_binprm *bprm);

#endif
