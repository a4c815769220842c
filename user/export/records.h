/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records.h - the records of what is exported, read once more from the files, for
 * formats that are traces. What a record may not tell without --args is decided here.
 */
#ifndef KTALLY_EXPORT_RECORDS_H
#define KTALLY_EXPORT_RECORDS_H

#include "export.h"

/* What the records have in common, known after a first look at all of them. */
struct survey {
	uint64_t records;			/* that are meant */
	uint64_t present[KTALLY_KINDS];		/* fields that every record of a kind has; 0: no record */
	char *descriptions[KTALLY_KINDS];	/* as they came; NULL: no record */
	uint64_t lost;				/* records */
	uint32_t cpus;				/* above the highest number */
	uint64_t first, last;			/* moved times */
};

struct records {
	struct export *ex;
	struct ktally_stream *stream;
	struct ktally_life **by_identity;	/* those that are meant */
	size_t n_gaps;
	uint64_t told;				/* records lost up to here */
	uint64_t last_gap;
};

/* A record that is meant. */
struct record {
	struct ktally_event ev;
	uint64_t time;				/* moved to the clock of the first boot */
	const struct ktally_str *argv;		/* a command line within it; NULL: none */
	uint64_t lost;				/* before it, on its CPU */
	bool meant;				/* false: only `lost` is of interest */
};

/* Reads everything: OPT_GO_ON, or the exit status after a message. survey_free() in any case. */
int survey_make(struct survey *s, struct export *ex);
void survey_free(struct survey *s);

int records_open(struct records *r, struct export *ex);
/* 1: a record, or only a loss; 0: the end; else the exit status after a message, negated. */
int records_next(struct records *r, struct record *rec);
/* Losses that no record stands behind. */
uint64_t records_rest(const struct records *r);
void records_close(struct records *r);

/* What the kernel itself traces of it, in the words of its events. */
enum records_sched { SCHED_NONE, SCHED_FORK, SCHED_EXEC, SCHED_EXIT };
struct sched {
	enum records_sched what;
	uint32_t tid;				/* fork: the child; exec: the process; exit: the thread */
	uint32_t other;				/* fork: the parent's thread; exec: the thread before */
	uint32_t ppid;				/* fork: the parent */
	char comm[KTALLY_COMM_LEN];
	struct ktally_str filename;
};
struct sched records_sched(const struct ktally_event *ev);
enum { SCHED_PRIO_UNKNOWN = -1 };	/* priorities are not recorded */

#endif
