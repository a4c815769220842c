/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* device.h - what the module is asked without a session: its state, sums, cost; and marks. Part of <ktally.h>. */
#ifndef KTALLY_LIB_DEVICE_H
#define KTALLY_LIB_DEVICE_H

#include <stddef.h>
#include <linux/ktally.h>

/* Without a session; on failure `error` receives one line. device NULL = /dev/ktally. */
int ktally_status_read(struct ktally_status *st, const char *device, char *error, size_t n);
/*
 * The kernel's own sums: *rows gets what free() takes, t->n of them; t says the rest. Rows
 * of one key may come more than once: exited, alive; they add up.
 */
int ktally_totals_read(struct ktally_totals *t, struct ktally_totals_row **rows, const char *device,
		       char *error, size_t n);
int ktally_totals_reset(const char *device, char *error, size_t n);
/* What the module did since load. -EPERM: not from within a PID namespace; -ENOTTY: an older module. */
int ktally_work_read(struct ktally_work *w, const char *device, char *error, size_t n);
/*
 * How long the module's hooks take: they are timed until the descriptor that begin returns
 * is closed. -EPERM: root only; -EBUSY: somebody else has them timed.
 */
int ktally_timing_begin(struct ktally_timing *t, const char *device, char *error, size_t n);
/* What came so far: hooks gets t->n of them, room at most. 0 or -errno. */
int ktally_timing_read(int fd, struct ktally_timing *t, struct ktally_hook_time *hooks, size_t room);
int ktally_mark(const char *device, const char *text, size_t len, char *error, size_t n);

#endif
