/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure/measure.h - a command run again and again: the runs, their figures, what is said of
 * them, and what of the machine would spoil them; results compared.
 */
#ifndef KTALLY_MEASURE_H
#define KTALLY_MEASURE_H

#include "series.h"
#include "show.h"

enum { MEASURE_COMMANDS = 64 };

/* What is measured of each run; rows of measures[]. */
enum measure_kind {
	MEASURE_TIME, MEASURE_WALL, MEASURE_CPU, MEASURE_USER, MEASURE_SYS, MEASURE_PEAK, MEASURE_READ, MEASURE_WRITE,
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
	char *label[MEASURE_COMMANDS];		/* what people call it: its line, or the values it was made from */
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
	double others;			/* as measure_host has it */
};

/*
 * words: commands, NULL at the end, parted by --- where they are compared; scan: NAME=a,b,c.
 * OPT_GO_ON or an exit status.
 */
int measure_plan_commands(struct measure_plan *plan, char **words, bool compare, const struct opt_list *scan);
void measure_plan_free(struct measure_plan *plan);

/* Carries the plan out. OPT_GO_ON or an exit status. */
int measure_all(const struct measure_plan *plan, struct measure_result *result);

/* Runs as series: a command's runs of each measure, those of warming up left out. */
void measure_series(const struct measure_plan *plan, const struct measure_result *r, struct series_set *set);

/* ---- the machine ---- */

struct measure_host {
	char kernel[65], machine[65], governor[32], clock[32], cpu[64];
	uint32_t cpus;
	uint64_t memory, swap_used;
	double load;			/* of the last minute */
	uint64_t lost;			/* records that others' sessions missed so far */
	double others;			/* part of all CPUs that others used meanwhile; below 0: unknown */
};
void measure_host_read(struct measure_host *h);
/* Says what would spoil figures, and, afterwards, that others were at work. */
void measure_host_warn(const struct measure_host *h);
void measure_host_warn_of_others(const struct measure_host *h);
/* CPU that this program and what it ran have used until now, and that nobody has used. */
struct measure_load {
	uint64_t time, own, idle;	/* ns */
};
void measure_load_read(struct measure_load *l);
/* What others used since then, as measure_host has it. */
double measure_load_of_others(const struct measure_load *since);
/* Of CLOCK_BOOTTIME, ns: its steps, and what a reading takes. */
void measure_clock(uint64_t *resolution, uint64_t *cost);

/* ---- what is shown ---- */

/* How commands that were run ended. */
struct measure_ends {
	const char *label;
	uint64_t runs, warm_up, failed;
};

struct measure_report {
	const struct series_set *set;
	const struct measure_host *host;
	struct measure_ends ends[MEASURE_COMMANDS];
	size_t n_ends;
	uint64_t resolution, cost;	/* of CLOCK_BOOTTIME, ns */
	uint64_t seed, lost;
	bool stopped;
	const char *columns;		/* of a table */
	const char *pictures;		/* folder; NULL = none */
};
/* The usual columns of a table about so many commands; 0: about a method. */
const char *measure_columns(size_t commands);
size_t measure_commands(const struct series_set *set);
/* A figure for people, with its own unit; as --ns and --bytes want it, without. */
void measure_put_number(char *text, size_t n, const struct show *show, enum ktally_unit unit, double d);
/*
 * The words of --columns and --sort, to be asked before anything is measured: OPT_GO_ON, or the
 * exit status after a message or, for `--columns help`, the list.
 */
int measure_check(const struct show *show, const char *columns);
int measure_check_runs(const struct show *show);
/* Makes the folder of pictures if it is not there. OPT_GO_ON or an exit status. */
int measure_plot_folder(const char *folder);
/* Figures as rows, comparisons of commands with the first below. An exit status. */
int measure_show(const struct measure_report *report, struct show *show);
/* A row per run: the values themselves. */
int measure_show_runs(const struct measure_report *report, const struct measure_result *r, struct show *show);
/* Opened with rows: what stands below them. */
void measure_put_ends(struct out *o, const struct measure_report *report);
void measure_put_host(struct out *o, const struct measure_report *report);
/* "kernel=6.1.0 cpus=2 ..." */
void measure_host_text(const struct measure_report *report, char *text, size_t n);

/* ---- two results ---- */

struct measure_file {
	const char *path;
	struct series_set set;
	struct measure_host host;
	uint64_t resolution, cost, seed, lost;
	bool stopped;
};
/* Reads what --json wrote. OPT_GO_ON or an exit status. */
int measure_read(struct measure_file *f, const char *path);
void measure_file_free(struct measure_file *f);
/* `measure show A`: its figures again. An exit status. */
int measure_show_file(const char *path, const char *pictures, struct show *show);
/* `measure compare A B`: an exit status. */
int measure_compare_files(const char *a, const char *b, uint64_t seed, struct show *show);

#endif
