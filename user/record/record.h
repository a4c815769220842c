/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record/record.h - a recorder: what was asked for, for cmd-record.c that runs it,
 * record/file.c that puts what comes into files, and record/flight.c that waits.
 *
 * Functions say what went wrong themselves and return OPT_GO_ON or an exit status.
 */
#ifndef KTALLY_RECORD_H
#define KTALLY_RECORD_H

#include <signal.h>
#include <sys/types.h>

#include "child.h"
#include "rotate.h"
#include "sel.h"
#include "select.h"
#include "service.h"
#include "session.h"
#include "spool.h"

struct record {
	struct sel sel;
	const char *path;
	struct opt_time duration, timeout;
	uint64_t buffer_kb;
	uint64_t level;			/* of zstd */
	struct rotate rotate;
	struct opt_time sample;
	struct opt_list triggers, secrets;
	bool boot, force, exits, daemon, flight;
};

struct recorder {
	const struct record *args;
	char *const *command;		/* NULL = whole machine or a process */
	char **shown;			/* the same without secrets, for the head of the file */
	struct session session;
	struct ktally_live_options live;
	struct sel_match *match;
	struct selection selection;
	uint32_t own;			/* PID of ours, from which CMD's tree is recorded */
	struct child child;
	sigset_t old_mask;
	int signals;			/* signalfd */
	bool stop, now, rotate, timed_out;
	struct flight *flight;		/* record/flight.c; NULL: everything is written as it comes */
	uint64_t begin, next_flush, next_sample, lost;
	struct service_losses losses;

	/* record/file.c */
	struct ktally_file *file;
	dev_t dev;			/* of it, for rotation */
	ino_t ino;
	uint64_t file_begin, bytes, records;	/* of finished files */
	uint64_t next_rotate;		/* not to be tried earlier: the disk refused */
	struct spool spool;		/* while the disk refuses */
	bool hold;			/* everything to memory first: its source is overwritten meanwhile */
	uint64_t dropped, dropped_blocks;	/* records and sub-buffers it had no room for, in all */
	uint64_t dropped_before;	/* of them, when the disk began to refuse */
};

static inline bool record_to_stdout(const struct recorder *r)
{
	return r->args->path[0] == '-' && !r->args->path[1];
}

/* record/select.c: from the options to the session's; before it is opened. */
int record_select(struct recorder *r);

/* The first file. An earlier one is moved away first. */
int record_create(struct recorder *r);
/* session.take: to the file, or to memory while the disk refuses. */
int record_take(void *recorder, const void *subbuf, size_t n);
/* What waits in memory, as far as the disk takes it. */
int record_write_on(struct recorder *r);
/* Everything older than that has been taken, and the file says so unless some waits for the disk. */
int record_mark(struct recorder *r, uint64_t before);
/* All that is there, by way of memory: as fast as it can be read. */
int record_gather(struct recorder *r);
/* Begins the next file; later, while the disk refuses. */
int record_rotate(struct recorder *r, uint64_t now);
/* The last file. wanted: false after a failure that was told: then nothing more is said, and it is FAILED. */
int record_finish(struct recorder *r, bool wanted);
/* The message of a failed call of the file's. */
int record_file_failed(const struct recorder *r, int err);
/* --- record/flight.c: the newest is kept in the kernel until something happens --- */

/* What is to happen, from the options: OPT_GO_ON, or WRONG_USE after its message. */
int flight_prepare(struct recorder *r);
/* Before the session: nothing is recorded that could not trigger. */
int flight_watch(struct recorder *r);
/* The session has begun: from now on its buffers are left alone. */
int flight_begin(struct recorder *r);
/* Looks whether it has happened; then r->stop. */
int flight_look(struct recorder *r);
/* Saves what is there into a file of its own, and goes on. */
int flight_snapshot(struct recorder *r, uint64_t now);
/* The recording ends: reads what is there, if it is wanted. *wanted: it is. */
int flight_end(struct recorder *r, bool *wanted);
/* Nothing has happened: no file is left. */
int flight_discard(struct recorder *r, int status);
void flight_close(struct recorder *r);

/* Lost so far: by the kernel for want of room, and in memory. */
uint64_t record_lost(const struct recorder *r);

#endif
