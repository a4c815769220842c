/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spans.h - what the formats share that draw a process as a bar on a track: from
 * when to when it lived, which figures stand beside it, and what all of them sum up to
 * over time.
 */
#ifndef KTALLY_EXPORT_SPANS_H
#define KTALLY_EXPORT_SPANS_H

#include "export.h"

struct span {
	int64_t from, to;		/* ns since zero */
};

struct spans {
	struct export *ex;
	int64_t zero;			/* REALTIME ns of the first recording's begin */
	int64_t real;			/* REALTIME - BOOTTIME of the first boot */
	struct span *of;		/* of each row; NULL in a stream: each when it is asked for */
};

/* OPT_GO_ON, or the exit status after a message. spans_free() in any case. */
int spans_make(struct spans *s, struct export *ex);
void spans_free(struct spans *s);
/* The same for processes that come one after the other. */
void spans_begin(struct spans *s, struct export *ex);
/* The part of a life that was seen. */
struct span spans_life(const struct spans *s, const struct ktally_life *l);
/* Of that the part of which costs are told: --since and --until leave out what was used before and after. */
struct span spans_spent(const struct spans *s, const struct ktally_life *l);
/* A time of this life's boot, in ns since zero. */
int64_t spans_moved(const struct spans *s, const struct ktally_life *l, uint64_t boottime);
/* From an exec to the next or to the end, within the life: bars of a track must nest. */
struct span spans_image(const struct spans *s, const struct ktally_life *l, const struct ktally_image *im);
/* When records were lost. */
int64_t spans_gap(const struct spans *s, const struct ktally_gap *gap);

/* Columns that stand beside a bar, one after the other; unknown ones and what is not shown are passed over. */
void spans_beside(struct export *ex, size_t row,
		  void (*put)(void *arg, const struct ktally_field *f, const struct ktally_value *v), void *arg);

/* Over all processes; what one used is spread evenly over that part of its life. */
struct spans_counter {
	const char *name, *unit;
	bool bytes, per_second;
	double scale;
	const char *fields[3];
};
enum { SPANS_COUNTERS = 4 };
extern const struct spans_counter spans_counters[SPANS_COUNTERS];

/* Where something changes: counter NULL: how many live. OPT_GO_ON, or the exit status after a message. */
int spans_count(const struct spans *s,
		void (*put)(void *arg, int64_t time, const struct spans_counter *counter, double value), void *arg);

#endif
