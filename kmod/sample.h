/* SPDX-License-Identifier: GPL-2.0-only */
/* sample.h - living processes, one by one, for whoever walks over them; see sample.c. */
#ifndef KTALLY_SAMPLE_H
#define KTALLY_SAMPLE_H

#include <linux/sched.h>

#include "pack.h"

#define KT_PIDS_PER_SECTION 64	/* looked at in one RCU section, by whoever walks */

/* All of these may sleep. */
struct task_struct *kt_sample_next(int *nr);
bool kt_sample(struct task_struct *leader, struct ktally_task *t);
u32 kt_sample_argv(struct task_struct *leader, char *to, u32 len);

#endif
