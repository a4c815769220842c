/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.h - a command run again and again: the runs, their figures, what is said of
 * them, and what of the machine would spoil them.
 */
#ifndef KTALLY_MEASURE_H
#define KTALLY_MEASURE_H

#include "lib/ktally.h"
#include "show.h"

enum { MEASURE_COMMANDS = 16 };

/* What is measured of each run; rows of measures[]. */
enum measure_kind {
	MEASURE_TIME, MEASURE_CPU, MEASURE_USER, MEASURE_SYS, MEASURE_PEAK, MEASURE_READ, MEASURE_WRITE,
	MEASURE_RX, MEASURE_TX, MEASURE_LOOP_RX, MEASURE_LOOP_TX, MEASURE_MINFLT, MEASURE_MAJFLT,
	MEASURE_NVCSW, MEASURE_NIVCSW, MEASURE_PROCESSES, MEASURES
};

struct measure_kind_row {
	const char *name, *field;	/* field: of the library, over all processes of the run */
	enum ktally_unit unit;
	bool always;			/* a table has it even if it is 0 throughout */
};
extern const struct measure_kind_row measures[MEASURES];

struct measure_run {
	uint32_t command;		/* which of them */
	bool warm_up;
	uint32_t pid;
	uint64_t from, to;		/* CLOCK_BOOTTIME around fork and wait */
	int wait_status;
	uint64_t known;			/* bit per measure */
	uint64_t v[MEASURES];
};

struct measure_plan {
	char **command[MEASURE_COMMANDS];	/* argv of each, NULL at its end */
	size_t n_commands;
	uint64_t warm_up;		/* runs of each */
	uint64_t runs;			/* of each; 0: ten at least, and for `at_least` */
	uint64_t at_least;		/* ns */
	const char *prepare, *conclude;	/* shell lines around each run; NULL = none */
	bool show_output;
	uint64_t buffer_kb;
};

struct measure_result {
	struct measure_run *run;	/* in order of time */
	size_t n, room;
	uint64_t lost;			/* records: figures are void */
	bool stopped;			/* by a person, before the plan was through */
	uint64_t resolution, cost;	/* of CLOCK_BOOTTIME, ns */
};

/* Carries the plan out. OPT_GO_ON or an exit status. */
int measure_all(const struct measure_plan *plan, struct measure_result *result);

/* Values of one measure of one command, sorted; *n of them. NULL: no memory or none known. */
uint64_t *measure_values(const struct measure_result *r, size_t command, enum measure_kind kind, size_t *n);

struct measure_look {
	bool each;			/* a row per run instead of per measure */
	uint64_t seed;
	struct show *show;
};
int measure_show(const struct measure_plan *plan, const struct measure_result *r,
		 const struct measure_look *look);
/* A comparison of command i with the first, as a sentence; -ENOMEM, or 0. */
int measure_compare(const struct measure_result *r, size_t i, enum measure_kind kind, uint64_t seed,
		    struct ktally_ratio *ratio);

/* ---- the machine ---- */

struct measure_host {
	char kernel[65], machine[65], governor[32], clock[32], cpu[64];
	uint32_t cpus;
	uint64_t memory, swap_used;
	double load;			/* of the last minute */
};
void measure_host_read(struct measure_host *h);
/* Says what would spoil figures. */
void measure_host_warn(const struct measure_host *h);

#endif
