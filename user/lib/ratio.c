// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ratio.c - how two samples compare: the ratio of their medians, and between which
 * bounds it would lie if everything were measured again.
 *
 * The bounds are percentiles over resamples (bootstrap): medians have no formula that
 * holds for durations, whose distributions have long tails and several humps.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ktally.h"

enum { RESAMPLES = 2000 };
#define LEAST_CHANCE	0.01	/* of a hundred equal pairs, about one may be called different */

/* splitmix64: the same seed gives the same interval on every machine. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
	return ((double)(next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	double far = sqrt(-2 * log(uniform(state)));

	return far * cos(2 * M_PI * uniform(state));
}

/* Gamma distribution of a shape >= 1 (Marsaglia, Tsang). */
static double gamma_of(double shape, uint64_t *state)
{
	double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = normal(state), v = 1 + c * x;

		if (v <= 0)
			continue;
		v *= v * v;
		if (log(uniform(state)) < x * x / 2 + d - d * v + d * log(v))
			return d * v;
	}
}

/* place: 0 to 1, which rounding may reach. */
static double value_at(const uint64_t *sorted, size_t n, double place)
{
	size_t i = (size_t)(place * (double)n);

	return (double)sorted[i < n ? i : n - 1];
}

/*
 * The median of a resample: its k-th smallest is value floor(n * B), with B the k-th
 * smallest of n uniform numbers, which has a beta distribution. So it is drawn at once,
 * however many values there are.
 */
static double resampled_median(const uint64_t *sorted, size_t n, uint64_t *state)
{
	size_t k = (n + 1) / 2;
	double x = gamma_of((double)k, state), y = gamma_of((double)(n - k + 1), state);
	double first = x / (x + y), second = first;

	/* Of an even number: the next one, the smallest of those left. */
	if (n % 2 == 0)
		second = 1 - (1 - first) * pow(uniform(state), 1 / (double)(n - k));
	return (value_at(sorted, n, first) + value_at(sorted, n, second)) / 2;
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
	size_t k = 0;

	memset(out, 0, sizeof(*out));
	if (!ratios)
		return -ENOMEM;
	for (int i = 0; n > 1 && m > 1 && i < RESAMPLES; i++) {
		double x = resampled_median(a, n, &seed), y = resampled_median(b, m, &seed);

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
		out->differs = (out->low > 1 || out->high < 1) && out->chance < LEAST_CHANCE;
	}
	free(ratios);
	return 0;
}
