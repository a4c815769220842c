// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * bounds.c - between which bounds a figure of one sample lies with 95 % confidence.
 *
 * A median's come from the sample itself: how many values lie below it is a matter of
 * coin tosses, whatever their distribution. A mean's, of a few repeats, from Student's t.
 */
#include <math.h>

#include "ktally.h"

#define EACH_SIDE	0.025
#define Z		1.959963984540054	/* of the normal distribution */

enum { EXACT_MAX = 1000 };	/* beyond, 2^-n is too small, and the normal distribution as good */

/* The most k with P(fewer than k of n coins show heads) <= 0.025; 0: none. */
static size_t tosses(size_t n)
{
	double one = exp2(-(double)n), sum = one;
	size_t k = 0;

	if (n > EXACT_MAX)
		return (size_t)(((double)n - Z * sqrt((double)n)) / 2);
	while (sum <= EACH_SIDE) {
		k++;
		one *= (double)(n - k + 1) / (double)k;
		sum += one;
	}
	return k;
}

bool ktally_median_bounds(const uint64_t *sorted, size_t n, double *low, double *high)
{
	size_t k = n ? tosses(n) : 0;

	if (!k)
		return false;
	*low = (double)sorted[k - 1];
	*high = (double)sorted[n - k];
	return true;
}

static double student(size_t df)
{
	static const double table[] = {
		0, 12.70620, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814,
		2.20099, 2.17881, 2.16037, 2.14479, 2.13145, 2.11991, 2.10982, 2.10092, 2.09302, 2.08596,
	};
	double n = (double)df;

	if (df < sizeof(table) / sizeof(table[0]))
		return table[df];
	return Z + (pow(Z, 3) + Z) / (4 * n) + (5 * pow(Z, 5) + 16 * pow(Z, 3) + 3 * Z) / (96 * n * n);
}

bool ktally_mean_bounds(const double *values, size_t n, double *low, double *high)
{
	double mean = 0, squares = 0, half;

	if (n < 2)
		return false;
	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	half = student(n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
	*low = mean - half;
	*high = mean + half;
	return true;
}
