/* SPDX-License-Identifier: GPL-2.0-only */
/* events.h - the callbacks of the tracepoints; see events.c. */
#ifndef KTALLY_EVENTS_H
#define KTALLY_EVENTS_H

#include <linux/ktally.h>
#include <linux/sched.h>

int kt_events_open(void);
void kt_events_detach(void);
void kt_events_close(void);

void kt_event_end(struct task_struct *p, bool group_dead, u32 flags);

#endif
