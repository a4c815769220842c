/* SPDX-License-Identifier: GPL-2.0-only */
/* select.h - selections of processes; see select.c. */
#ifndef KTALLY_SELECT_H
#define KTALLY_SELECT_H

#include <linux/ktally.h>

#include "filter.h"

struct kt_set;

/* Process context. NULL: everything is selected; an ERR_PTR. */
struct kt_select *kt_select_asked(const struct ktally_select *asked, struct pid_namespace *ns);
struct kt_select *kt_select_started(const struct ktally_start *how);
void kt_select_free(struct kt_select *sel);
/* Marks the processes there are. Before a selection is used, and once more after. */
void kt_select_mark(struct kt_select *sel);
void kt_select_record(const struct kt_select *sel, struct ktally_selection *to);

/* HOT, under RCU: in the parent, and in the new image. */
void kt_select_forked(const struct kt_set *set, struct task_struct *child);
void kt_select_execed(const struct kt_set *set, struct task_struct *p, const char *file);

#endif
