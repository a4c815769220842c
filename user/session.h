/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - a live session from its first record to its last: opened, walked,
 * drained, ended. What happens to the bytes is the caller's take().
 *
 * Functions say what went wrong themselves and return OPT_GO_ON or an exit
 * status. They handle no signals: the caller's `hurry` is asked between pieces
 * and ends the work at once.
 */
#ifndef KTALLY_SESSION_H
#define KTALLY_SESSION_H

#include "lib/ktally.h"
#include "opt.h"

struct session {
	struct ktally_live *live;
	/* Takes one sub-buffer: 0, or the exit status after its own message. */
	int (*take)(void *arg, const void *subbuf, size_t n);
	bool (*hurry)(void *arg);	/* NULL = never */
	void *arg;
	bool keep;			/* flight: leave all in the kernel's buffers for now */
	bool no_snapshot;		/* an older module: only walks over all */
};

int session_open(struct session *s, const struct ktally_live_options *options);
/* A whole walk over the living processes, drained as it goes. */
int session_walk(struct session *s, enum ktally_purpose purpose);
/*
 * A look at the living, drained as it goes: at all of them, or at those who ran since
 * the last one. Where the module is older, everybody is looked at: *all says so.
 */
int session_look(struct session *s, bool *all);
/* Everything that is finished now. */
int session_drain(struct session *s);
/* Finishes the sub-buffers that hold records and drains them. */
int session_flush(struct session *s);
/*
 * Everything older than *before has been drained. Busy CPUs may need more than one try; if
 * so many are not enough *before is 0, as it is while all is left in the kernel.
 */
enum { SESSION_TRIES = 8 };
int session_settle(struct session *s, unsigned int tries, uint64_t *before);
/* Flush, closing walk, flush, `end`, and the rest of the bytes. */
int session_end(struct session *s);
/* Records lost so far, all kinds. */
uint64_t session_lost(const struct session *s);
/* The same of all that are open, others' too; without a module nothing. */
uint64_t session_all_lost(void);
void session_close(struct session *s);

/* CLOCK_BOOTTIME now, ns. */
uint64_t session_now(void);
/* From now until then in ms for poll(), rounded up, and `most` at most. */
int session_ms(uint64_t now, uint64_t then, int most);

#endif
