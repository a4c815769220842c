/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - commands of two recordings side by side: the figures of both and what may be
 * said of their difference.
 */
#ifndef KTALLY_DIFF_H
#define KTALLY_DIFF_H

#include "lib/ktally.h"

enum diff_metric { DIFF_TIME, DIFF_SELF, DIFF_CPU, DIFF_PEAK };

enum diff_verdict {
	DIFF_SLOWER,		/* larger by more than the threshold, and not by chance */
	DIFF_FASTER,
	DIFF_SAME,		/* within the threshold */
	DIFF_UNSURE,		/* beyond it, but it may be chance */
	DIFF_FEW,		/* too few runs for any test */
	DIFF_NEW, DIFF_GONE,	/* in one of the recordings only */
	DIFF_VERDICTS
};

struct diff_row {
	const struct ktally_command *command[2];	/* NULL: not in that recording */
	uint64_t *values[2];		/* sorted */
	size_t n[2];
	double median[2], total[2];
	double change;			/* of the median, percent; only with has_change */
	double chance;			/* that it is nothing, among all that were tested */
	bool has_change, tested;
	enum diff_verdict verdict;
};

struct diff_options {
	enum diff_metric metric;
	double threshold;		/* percent */
	bool untested;			/* the threshold alone decides */
};

struct diff_rows {
	struct diff_row *at;
	size_t n, count[DIFF_VERDICTS];
	double total[2];		/* of commands that are in both */
};

const char *diff_word(enum diff_verdict verdict, enum diff_metric metric);
/* Worst first. 0 or -ENOMEM; the runs must outlive the rows. */
int diff_make(struct diff_rows *rows, const struct ktally_runs *a, const struct ktally_runs *b,
	      const struct diff_options *options);
void diff_free(struct diff_rows *rows);

#endif
