/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runs.h - every run of a command. Part of <ktally.h>. */
#ifndef KTALLY_LIB_RUNS_H
#define KTALLY_LIB_RUNS_H

#include "field.h"
#include "stats.h"

/*
 * How often and how long commands ran. A run is one executed image, from its exec to
 * the next exec of the same process or to its end; runs of one name are a command.
 */
enum ktally_run_key {
	KTALLY_RUN_SCRIPT,	/* ktally_image_script() */
	KTALLY_RUN_PROGRAM,	/* ktally_image_program() */
	KTALLY_RUN_CALLED,	/* ktally_image_called() */
	KTALLY_RUN_PATH,	/* the file as it was called */
	KTALLY_RUN_COMMAND,	/* all arguments, NUL-separated */
	KTALLY_RUN_COMM,	/* the kernel's name */
	KTALLY_RUN_USER,
};

struct ktally_runs_options {
	enum ktally_run_key key;
	bool fold;		/* ktally_fold() */
	bool forks;		/* also processes that executed nothing, as their parent's program */
	bool (*want)(const struct ktally_life *l, void *arg);	/* NULL = all */
	void *arg;
	struct ktally_field_ctx *ctx;	/* must outlive the runs */
};

struct ktally_run {
	const struct ktally_life *life;
	uint32_t image;			/* of it, by place */
	bool whole;			/* seen from its beginning to its end */
	bool last;			/* no other exec came after it */
	bool failed;			/* it ended the process with a status other than 0 */
	bool judged;			/* whether it failed is known */
	uint64_t duration, self;	/* whole: ns; of it, with none of its children running */
	struct ktally_str name;
};

/* A command's figures are of its whole runs. */
struct ktally_command {
	struct ktally_str name;		/* p NULL = unknown */
	const struct ktally_run *runs;	/* whole ones first, by duration */
	size_t n;
	struct ktally_stats stats;	/* of the durations; stats.n = whole runs */
	uint64_t self, failed;
	uint64_t judged;		/* whole runs of which is known whether they failed */
	struct ktally_use use;		/* added up; peaks: the highest. known: of one run at least */
	uint64_t partly;		/* bits of what is not known of every run */
	struct ktally_value network[2];	/* wire bytes received, sent, as ktally_run_network() */
};

struct ktally_runs;

struct ktally_runs *ktally_runs_make(const struct ktally_runs_options *options);	/* NULL: no memory */
/* Command by command, in order of their names. */
size_t ktally_runs_at(const struct ktally_runs *r, const struct ktally_run **runs);
size_t ktally_runs_commands(const struct ktally_runs *r, const struct ktally_command **commands);
/* Runs that are in no figures: begun before the recording, or not ended in it. */
void ktally_runs_partial(const struct ktally_runs *r, size_t *older, size_t *open);
void ktally_runs_free(struct ktally_runs *r);
const struct ktally_image *ktally_run_image(const struct ktally_run *run);
/* Wire bytes; unknown if the process executed something else too, for packets are counted per process. */
struct ktally_value ktally_run_network(const struct ktally_run *run, bool tx, struct ktally_field_ctx *ctx);

/*
 * Copies n bytes to dst with numbers as N and names of temporary files as *, so that
 * texts that differ in them alone become equal. Returns the length, n at most.
 */
size_t ktally_fold(char *dst, const char *src, size_t n);

#endif
