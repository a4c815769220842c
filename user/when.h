/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * when.h - points in time as people type them, for a recording that may span boots.
 */
#ifndef KTALLY_WHEN_H
#define KTALLY_WHEN_H

#include "lib/ktally.h"

/* "2.5", "3m" (after the beginning), "-10" (before the end), "14:05", "14:05:30.5", "2026-01-31 14:05:30", "...Z": UTC. */
bool when_like(const char *text);
/*
 * A window per boot of an open stream, to be freed; *boots of them. since, until: NULL =
 * all. A clock without a date is the last one that is not after the end (since: not after
 * until). 0, -EINVAL: since is after until, -ENOMEM.
 */
int when_windows(const struct ktally_stream *s, const char *since, const char *until,
		 struct ktally_window **windows, size_t *boots);

#endif
