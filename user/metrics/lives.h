/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lives.h - how long processes lived and which signals ended them: what only the
 * records of their ends tell. A session of exit records, open as long as metrics are.
 */
#ifndef KTALLY_METRICS_LIVES_H
#define KTALLY_METRICS_LIVES_H

#include "metrics.h"
#include "session.h"

struct lives_of;

struct metrics_lives {
	struct session session;
	struct ktally_stream *stream;
	struct lives_of *programs;
	size_t n, most;			/* programs with series of their own, and the others' */
	uint64_t signals[65];		/* lives that each one ended; 0: beyond them */
};

/* OPT_GO_ON, or the exit status after a message. metrics_lives_close() in any case. */
int metrics_lives_open(struct metrics_lives *l, size_t most);
/* Takes what is finished: for when its descriptor is readable. */
int metrics_lives_drain(struct metrics_lives *l);
/* Everything until now, then its families. */
int metrics_lives_put(struct metrics_lives *l, const struct metrics_out *o);
int metrics_lives_fd(const struct metrics_lives *l);
void metrics_lives_close(struct metrics_lives *l);

#endif
