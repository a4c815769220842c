/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stats.h - figures of many values. Part of <ktally.h>. */
#ifndef KTALLY_LIB_STATS_H
#define KTALLY_LIB_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ktally_stats {
	size_t n;			/* 0: nothing else is set */
	double total, mean, min, p25, median, p75, max;
	double sd;			/* of the sample */
	bool has_sd;			/* n >= 2 */
};
void ktally_stats_of(const uint64_t *sorted, size_t n, struct ktally_stats *out);
double ktally_quantile(const uint64_t *sorted, size_t n, double q);	/* type 7, as R and NumPy; n >= 1, q within 0..1 */
void ktally_sort(uint64_t *values, size_t n);

/*
 * Do two samples, both sorted, differ in where they lie? The chance of such a difference
 * between samples of the same source, two-sided (Mann, Whitney); 1: no sign of one.
 */
double ktally_rank_test(const uint64_t *a, size_t n, const uint64_t *b, size_t m);
/* The least that samples of these sizes can reach: whether a test can tell anything. */
double ktally_rank_least(size_t n, size_t m);
/* Raises n chances to what each is worth when so many were looked at (Holm). 0 or -ENOMEM. */
int ktally_rank_adjust(double *const *p, size_t n);

/* Two samples, both sorted, side by side. */
struct ktally_ratio {
	bool known;			/* two values each at least, and not of 0 */
	double value;			/* median of b / median of a */
	double low, high;		/* holds it with 95 % confidence (bootstrap of 2,000) */
	double chance;			/* ktally_rank_test() */
	bool differs;			/* the interval leaves out 1, and chance < 0.01 */
};
/* The same seed gives the same interval. 0 or -ENOMEM. */
int ktally_ratio_of(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t seed,
		    struct ktally_ratio *out);
/* Between which bounds a median lies with 95 % confidence, by order statistics. False: too few values. */
bool ktally_median_bounds(const uint64_t *sorted, size_t n, double *low, double *high);
/* The same of a mean, by Student's t: for few values of means, as repeats give them. */
bool ktally_mean_bounds(const double *values, size_t n, double *low, double *high);

#endif
