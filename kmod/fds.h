/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fds.h - the sockets among the open files of processes: to find those older
 * than the module, and to fold TCP's own counters where a record is made.
 */
#ifndef KTALLY_FDS_H
#define KTALLY_FDS_H

#include <linux/sched.h>

/*
 * Of current, which ends: no lock, any context. What nobody else holds is its own.
 * Stops when this many sockets of its own were found; 0: when all were looked at.
 */
void kt_fds_fold_own(unsigned int sockets);
/* Of another process: process context. */
void kt_fds_fold(struct task_struct *leader);
/* Of all processes: process context, may sleep. */
void kt_fds_scan(void);

#endif
