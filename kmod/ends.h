/* SPDX-License-Identifier: GPL-2.0-only */
/* ends.h - which hook tells the end of a process; see ends.c. */
#ifndef KTALLY_ENDS_H
#define KTALLY_ENDS_H

#include "compat.h"
#include "probes.h"

int kt_ends_open(void);
int kt_ends_compare(void);
void kt_ends_detach(void);
void kt_ends_close(void);

u64 kt_ends_missed(void);
void kt_ends_hits(u64 *kprobe, u64 *tracepoint);

/* Probes of the tracepoints; named in the table of events.c. */
void kt_probe_exit(void *data, struct task_struct *p);
void kt_probe_exit_arg(void *data, struct task_struct *p, bool group_dead);
void kt_probe_free(void *data, struct task_struct *p);

#endif
