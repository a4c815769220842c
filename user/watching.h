/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watching.h - a live view's way from the module to figures: a session, its records
 * in one order, a watch, and refreshes at given times. stat and top stand on it.
 *
 * Functions say what went wrong themselves and return OPT_GO_ON or an exit status.
 * They handle no signals: a descriptor that becomes readable ends a wait.
 */
#ifndef KTALLY_WATCHING_H
#define KTALLY_WATCHING_H

#include "lib/ktally.h"
#include "names.h"
#include "opt.h"
#include "session.h"

/* The records that a watch is made of. */
#define WATCHING_KINDS							\
	(1ULL << KTALLY_FORK | 1ULL << KTALLY_EXEC | 1ULL << KTALLY_EXIT | \
	 1ULL << KTALLY_TASK | 1ULL << KTALLY_NET_LATE | 1ULL << KTALLY_CGROUP)

struct watching {
	struct session session;
	struct ktally_stream *stream;
	struct ktally_watch *watch;
	struct ktally_field_ctx ctx;	/* for the field table: of this watch */
	struct names names;
	uint64_t begin;			/* CLOCK_BOOTTIME of the opening walk */
	uint64_t lost;			/* records, all kinds, as of the last refresh */
	uint64_t looked_at_all;		/* when */
	/* Called for each record once the watch has it; OPT_GO_ON, or what ends the view. */
	int (*see)(void *arg, const struct ktally_event *ev);
	void *see_arg;
	bool stop;			/* of see(): it has seen enough */
};

/* How a view of single records goes on by itself. */
struct watching_run {
	uint64_t delay;			/* records are taken so late at most, ns */
	struct opt_time duration;	/* not set: for ever */
	int signals;			/* of child_signals(): one that asks for it ends it */
	bool (*flush)(void *arg);	/* what was seen appears; false: it can't any more */
	void *flush_arg;
};
#define WATCHING_DELAY_NS	100000000ULL	/* where nobody said another */

/* Opens a session and walks once; options->ctx is set here. */
int watching_open(struct watching *v, struct ktally_watch_options *options,
		  const struct ktally_live_options *live);
/* Takes records until `deadline` (CLOCK_BOOTTIME) or until fd can be read. */
int watching_wait(struct watching *v, uint64_t deadline, int fd);
/* Looks at who ran, and cuts the interval: its figures are in the watch. */
int watching_refresh(struct watching *v);
/* Everything written until now is in the watch (and was seen) afterwards; nobody is looked at. */
int watching_pump(struct watching *v);
/* Cuts the interval where it is: processes that ended are let go. */
int watching_forget(struct watching *v);
/* Goes on with all that until time or somebody ends it. */
int watching_run(struct watching *v, const struct watching_run *run);
/* Says that records were lost, if some were. */
bool watching_say_lost(const struct watching *v);
void watching_close(struct watching *v);

/* REALTIME - BOOTTIME now, ns. */
int64_t watching_real(void);

#endif
