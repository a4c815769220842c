// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rank.c - are the values of one sample larger than those of another? The rank-sum test
 * (Mann, Whitney, Wilcoxon): it asks nothing of how durations are spread, which have
 * long tails. Exact for small samples without ties, else by the normal distribution
 * with corrections for ties and continuity. Memory only.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ktally.h"

#define EXACT_MAX	50	/* beyond, the normal distribution is as good */

/*
 * Twice the number of pairs (a, b) with a < b, equal ones counting half; and the sum of
 * t^3 - t over groups of t equal values. Both samples are sorted.
 */
static double pairs_below(const uint64_t *a, size_t n, const uint64_t *b, size_t m, double *ties)
{
	size_t i = 0, j = 0;
	double twice = 0;

	*ties = 0;
	while (i < n || j < m) {
		uint64_t v = i < n && (j == m || a[i] <= b[j]) ? a[i] : b[j];
		size_t in_a = 0, in_b = 0;
		double t;

		while (i + in_a < n && a[i + in_a] == v)
			in_a++;
		while (j + in_b < m && b[j + in_b] == v)
			in_b++;
		twice += (double)in_b * (2.0 * (double)i + (double)in_a);
		t = (double)(in_a + in_b);
		*ties += t * t * t - t;
		i += in_a;
		j += in_b;
	}
	return twice;
}

/*
 * Ways to mix two samples so that u pairs lie one way round, for u from 0 to most: the
 * coefficients of the product of (1 - q^(m + k)) / (1 - q^k) over k = 1 ... n.
 */
static double *ways_of(size_t n, size_t m, size_t most)
{
	double *ways = calloc(most + 1, sizeof(*ways));

	if (!ways)
		return NULL;
	ways[0] = 1;
	for (size_t k = 1; k <= n; k++) {
		for (size_t u = most + 1; u-- > m + k;)
			ways[u] -= ways[u - m - k];
		for (size_t u = k; u <= most; u++)
			ways[u] += ways[u - k];
	}
	return ways;
}

/* All ways to mix them: n + m over n. */
static double mixtures(size_t n, size_t m)
{
	double ways = 1;

	for (size_t k = 1; k <= n; k++)
		ways *= (double)(m + k) / (double)k;
	return ways;
}

/* The distribution is symmetric, and the lower end of it is exact in doubles. */
static double exact(size_t n, size_t m, double u)
{
	size_t most = (size_t)fmin(u, (double)(n * m) - u);
	double *ways = ways_of(n, m, most), low = 0;

	if (!ways)
		return 1;
	for (size_t i = 0; i <= most; i++)
		low += ways[i];
	free(ways);
	return fmin(1, 2 * low / mixtures(n, m));
}

static double normal(size_t n, size_t m, double u, double ties)
{
	double all = (double)(n + m), pairs = (double)n * (double)m, z;
	double variance = pairs / 12 * (all + 1 - ties / (all * (all - 1)));

	if (variance <= 0)
		return 1;
	z = fabs(u - pairs / 2) - 0.5;
	return z <= 0 ? 1 : erfc(z / sqrt(2 * variance));
}

double ktally_rank_test(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
	double ties, u;

	if (!n || !m)
		return 1;
	u = pairs_below(a, n, b, m, &ties) / 2;
	if (!ties && n <= EXACT_MAX && m <= EXACT_MAX)
		return exact(n, m, u);
	return normal(n, m, u, ties);
}

/* All of the one below all of the other, or above. */
double ktally_rank_least(size_t n, size_t m)
{
	return n && m ? fmin(1, 2 / mixtures(n, m)) : 1;
}

static int by_p(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return x < y ? -1 : x > y;
}

int ktally_rank_adjust(double *const *p, size_t n)
{
	double **sorted = malloc((n ? n : 1) * sizeof(*sorted)), least = 0;

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, p, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_p);
	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, *sorted[i] * (double)(n - i)));
		*sorted[i] = least;
	}
	free(sorted);
	return 0;
}
