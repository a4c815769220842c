// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stats.c - figures over many values. Sums go through long double and the spread
 * through distances from the mean, so that nanoseconds of days keep their digits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ktally.h"

enum { MANY = 1024 };

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* By one byte; where all have the same, nothing needs to move. */
static bool sort_by_byte(const uint64_t *from, uint64_t *to, size_t n, int shift)
{
	size_t at[256] = { 0 }, begin = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i] >> shift & 255]++;
	if (at[from[0] >> shift & 255] == n)
		return false;
	for (int b = 0; b < 256; b++) {
		size_t many = at[b];

		at[b] = begin;
		begin += many;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i] >> shift & 255]++] = from[i];
	return true;
}

/* Byte by byte: millions of values take a time that depends on their number alone. */
static bool sort_by_bytes(uint64_t *values, size_t n)
{
	uint64_t *from = values, *to = malloc(n * sizeof(*to)), *other = to, *sorted;

	if (!other)
		return false;
	for (int shift = 0; shift < 64; shift += 8) {
		if (!sort_by_byte(from, to, n, shift))
			continue;
		sorted = to;
		to = from;
		from = sorted;
	}
	if (from != values)
		memcpy(values, from, n * sizeof(*values));
	free(other);
	return true;
}

void ktally_sort(uint64_t *values, size_t n)
{
	if (n > 1 && (n < MANY || !sort_by_bytes(values, n)))
		qsort(values, n, sizeof(*values), by_value);
}

double ktally_quantile(const uint64_t *sorted, size_t n, double q)
{
	double place = (n - 1) * q;
	size_t low = place;
	double part = place - low;

	if (low + 1 >= n)
		return sorted[n - 1];
	return sorted[low] + part * (double)(sorted[low + 1] - sorted[low]);
}

void ktally_stats_of(const uint64_t *sorted, size_t n, struct ktally_stats *out)
{
	long double total = 0, squares = 0, mean;

	memset(out, 0, sizeof(*out));
	out->n = n;
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		total += sorted[i];
	mean = total / n;
	for (size_t i = 0; i < n; i++)
		squares += (sorted[i] - mean) * (sorted[i] - mean);
	out->total = total;
	out->mean = mean;
	out->min = sorted[0];
	out->p25 = ktally_quantile(sorted, n, 0.25);
	out->median = ktally_quantile(sorted, n, 0.5);
	out->p75 = ktally_quantile(sorted, n, 0.75);
	out->max = sorted[n - 1];
	out->has_sd = n > 1;
	out->sd = n > 1 ? sqrtl(squares / (n - 1)) : 0;
}
