// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ratio.c - how two samples compare: the ratio of their medians, and between which
 * bounds it would lie if everything were measured again.
 *
 * The bounds are percentiles over resamples (bootstrap): medians have no formula that
 * holds for durations, whose distributions have long tails and several humps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ktally.h"

enum { RESAMPLES = 2000 };

/* splitmix64: the same seed gives the same interval on every machine. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t n)
{
	return (size_t)((unsigned __int128)next(state) * n >> 64);
}

/* The k-th smallest (from 0) of a resample that drew value i `drawn[i]` times. */
static uint64_t value_at(const uint64_t *sorted, const uint32_t *drawn, size_t k)
{
	size_t i = 0, behind = drawn[0];

	while (behind <= k)
		behind += drawn[++i];
	return sorted[i];
}

static double resampled_median(const uint64_t *sorted, size_t n, uint32_t *drawn, uint64_t *state)
{
	memset(drawn, 0, n * sizeof(*drawn));
	for (size_t i = 0; i < n; i++)
		drawn[below(state, n)]++;
	return ((double)value_at(sorted, drawn, (n - 1) / 2) + (double)value_at(sorted, drawn, n / 2)) / 2;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int ktally_ratio_of(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t seed,
		    struct ktally_ratio *out)
{
	double *ratios = malloc(RESAMPLES * sizeof(*ratios));
	uint32_t *drawn = malloc((n > m ? n : m) * sizeof(*drawn) + 1);
	size_t k = 0;

	memset(out, 0, sizeof(*out));
	if (!ratios || !drawn) {
		free(ratios);
		free(drawn);
		return -ENOMEM;
	}
	for (int i = 0; n > 1 && m > 1 && i < RESAMPLES; i++) {
		double x = resampled_median(a, n, drawn, &seed), y = resampled_median(b, m, drawn, &seed);

		if (x > 0)
			ratios[k++] = y / x;
	}
	out->known = k == RESAMPLES && ktally_quantile(a, n, 0.5) > 0;
	if (out->known) {
		qsort(ratios, k, sizeof(*ratios), by_size);
		out->value = ktally_quantile(b, m, 0.5) / ktally_quantile(a, n, 0.5);
		out->low = ratios[k / 40];
		out->high = ratios[k - 1 - k / 40];
		out->chance = ktally_rank_test(a, n, b, m);
		out->differs = (out->low > 1 || out->high < 1) && out->chance < 0.05;
	}
	free(ratios);
	free(drawn);
	return 0;
}
