/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.h - what is said of series: distribution, bounds, outliers, and the spread
 * between repeats. Memory only.
 *
 * Quantiles are of type 7, as R and NumPy compute them. An outlier lies further than
 * three interquartile ranges beyond the quartiles. A tail needs values to speak of: no
 * 90th percentile from fewer than ten, no 99th from fewer than a hundred, no 99.9th from
 * fewer than a thousand. Bounds hold with 95 % confidence: of the median of one series
 * by order statistics, over repeats of the mean of their medians by Student's t.
 */
#ifndef KTALLY_FIGURES_H
#define KTALLY_FIGURES_H

#include "series.h"

#define FIGURES_FAR	3.0
enum { FIGURES_P90 = 10, FIGURES_P99 = 100, FIGURES_P999 = 1000 };

struct figures {
	const struct series *of;	/* of all repeats: the first */
	uint32_t repeat;		/* 0: all repeats together */
	uint32_t repeats;		/* of this series */
	bool part;			/* one of several repeats, which have a row together */
	bool void_;
	uint64_t *sorted;		/* stats.n of them */
	struct ktally_stats stats;
	double p90, p99, p999;		/* 0 where there are too few values */
	size_t outliers;
	bool has_bounds, has_spread;
	double low, high;
	double spread;			/* standard deviation of the repeats' medians */
};

struct figures_set {
	struct figures *at;
	size_t n;
};

/* In order of the set; the row of all repeats comes before theirs. 0 or -ENOMEM. The set must outlive it. */
int figures_make(struct figures_set *f, const struct series_set *set);
/* The medians of the repeats that hold, sorted, in steps; *n of them. NULL: no memory. */
uint64_t *figures_medians(const struct series_set *set, const struct series *like, size_t *n);
/* measure/plot.c: a picture per measure and stage into a folder. OPT_GO_ON or an exit status. */
int measure_plot(const char *folder, const struct figures_set *set);
void figures_free(struct figures_set *f);

#endif
