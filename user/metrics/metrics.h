/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics/metrics.h - figures of groups of processes as Prometheus and OpenMetrics read them:
 * one table of families, made of the columns of report and totals, for the samples of a
 * recording and of the running module alike.
 *
 * No label is a PID. Names of programs are escaped; numbers are in base units.
 */
#ifndef KTALLY_METRICS_H
#define KTALLY_METRICS_H

#include "lib/hash.h"
#include "lib/ktally.h"
#include "out/sink.h"

/* What counters said before: none of them may fall while this program runs. */
struct metrics_memory {
	struct hash said;
};
void metrics_forget(struct metrics_memory *m);

struct metrics_out {
	struct sink *sink;
	struct metrics_memory *memory;	/* NULL: nothing was said before */
	bool open;			/* OpenMetrics 1.0; else the text format of Prometheus */
	size_t n;			/* samples of a series */
	const double *times;		/* of each, seconds; NULL: none are written */
};

enum { METRICS_PARTS = 6 };

struct metrics_part {
	const char *labels;		/* "mode=\"user\"", or "" */
	const char *column;
	const char *less[2];		/* columns that are taken from it */
};

struct metrics_family {
	const char *name;		/* without prefix and _total */
	const char *unit;		/* its last word, where OpenMetrics knows one */
	const char *help;
	bool counter;
	double scale;			/* 1e-9: ns to seconds */
	struct metrics_part parts[METRICS_PARTS];
};

struct metrics_families {
	const char *prefix, *label;	/* NULL: made of the key */
	const struct metrics_family *at;
	size_t n;
};
extern const struct metrics_families metrics_own, metrics_process_exporter;

/* Groups of processes by a key. */
struct metrics_source {
	const char *key;		/* "program" */
	size_t n;
	struct ktally_str (*name)(void *of, size_t group);	/* p NULL: unknown */
	/* All samples of a column; false: it is unknown. */
	bool (*series)(void *of, size_t group, const char *column, double *samples);
	void *of;
};

/* 0 or -ENOMEM. */
int metrics_groups(const struct metrics_out *o, const struct metrics_families *families,
		   const struct metrics_source *src);

/* A family of one's own, then its samples. Names without _total. */
void metrics_begin(const struct metrics_out *o, const char *name, const char *unit, bool counter,
		   const char *help);
void metrics_value(const struct metrics_out *o, const char *name, bool counter, const char *labels,
		   double value);
/* name="text" with the text escaped, behind what is in dst; n: its room. */
void metrics_label(char *dst, size_t n, const char *name, const char *text, size_t len);
/* # EOF */
void metrics_end(const struct metrics_out *o);

#endif
