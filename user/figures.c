// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * figures.c - distribution, bounds and outliers of series. A void series gives none.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "lib/whole.h"

static size_t count_outliers(const struct figures *f)
{
	double far = FIGURES_FAR * (f->stats.p75 - f->stats.p25);
	size_t count = 0;

	for (size_t i = 0; i < f->stats.n; i++)
		count += (double)f->sorted[i] < f->stats.p25 - far || (double)f->sorted[i] > f->stats.p75 + far;
	return count;
}

static double tail(const struct figures *f, double q, size_t least)
{
	return f->stats.n >= least ? ktally_quantile(f->sorted, f->stats.n, q) : 0;
}

/* Of f->sorted, n values in any order. */
static void describe(struct figures *f, size_t n)
{
	ktally_sort(f->sorted, n);
	ktally_stats_of(f->sorted, n, &f->stats);
	f->p90 = tail(f, 0.9, FIGURES_P90);
	f->p99 = tail(f, 0.99, FIGURES_P99);
	f->p999 = tail(f, 0.999, FIGURES_P999);
	f->outliers = n ? count_outliers(f) : 0;
	f->has_bounds = ktally_median_bounds(f->sorted, n, &f->low, &f->high);
}

static size_t append(uint64_t *to, size_t at, const struct series *s)
{
	if (s->n)
		memcpy(to + at, s->values, s->n * sizeof(*to));
	return at + s->n;
}

static int one(struct figures *f, const struct series *s)
{
	f->of = s;
	f->repeat = s->repeat;
	f->repeats = 1;
	f->void_ = s->void_;
	f->sorted = malloc((s->n + 1) * sizeof(*f->sorted));
	if (!f->sorted)
		return -ENOMEM;
	describe(f, s->void_ ? 0 : append(f->sorted, 0, s));
	return 0;
}

static bool is_repeat(const struct series *s, const struct series *like)
{
	return series_alike(s, like) && !s->void_ && s->n;
}

uint64_t *figures_medians(const struct series_set *set, const struct series *like, size_t *n)
{
	uint64_t *medians = malloc((set->n + 1) * sizeof(*medians));
	struct figures f = { .repeat = 0 };

	*n = 0;
	for (size_t i = 0; medians && i < set->n; i++) {
		if (!is_repeat(set->at[i], like))
			continue;
		if (one(&f, set->at[i])) {
			free(medians);
			return NULL;
		}
		medians[(*n)++] = whole_of(f.stats.median);
		free(f.sorted);
	}
	if (medians)
		ktally_sort(medians, *n);
	return medians;
}

static int add_spread(struct figures *f, const struct series_set *set)
{
	size_t n;
	uint64_t *medians = figures_medians(set, f->of, &n);
	double *means = malloc((n + 1) * sizeof(*means));
	struct ktally_stats stats;

	if (!medians || !means) {
		free(medians);
		free(means);
		return -ENOMEM;
	}
	ktally_stats_of(medians, n, &stats);
	for (size_t i = 0; i < n; i++)
		means[i] = (double)medians[i];
	f->has_spread = stats.n && stats.has_sd;
	f->spread = stats.sd;
	f->has_bounds = ktally_mean_bounds(means, n, &f->low, &f->high);
	free(medians);
	free(means);
	return 0;
}

/* All repeats of a series, the void ones left out. */
static int together(struct figures *f, const struct series_set *set, size_t first)
{
	const struct series *like = set->at[first];
	size_t n = 0;

	f->of = like;
	f->void_ = true;
	for (size_t i = first; i < set->n; i++)
		if (series_alike(set->at[i], like)) {
			f->repeats++;
			n += set->at[i]->n;
		}
	f->sorted = malloc((n + 1) * sizeof(*f->sorted));
	n = 0;
	for (size_t i = first; f->sorted && i < set->n; i++)
		if (series_alike(set->at[i], like) && !set->at[i]->void_) {
			n = append(f->sorted, n, set->at[i]);
			f->void_ = false;
		}
	if (!f->sorted)
		return -ENOMEM;
	describe(f, n);
	return f->repeats > 1 ? add_spread(f, set) : 0;
}

static bool seen_before(const struct series_set *set, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (series_alike(set->at[k], set->at[i]))
			return true;
	return false;
}

static int add_repeats(struct figures_set *f, const struct series_set *set, size_t first)
{
	int err = 0;

	for (size_t i = first; !err && i < set->n; i++)
		if (series_alike(set->at[i], set->at[first])) {
			f->at[f->n].part = true;
			err = one(&f->at[f->n++], set->at[i]);
		}
	return err;
}

int figures_make(struct figures_set *f, const struct series_set *set)
{
	int err = 0;

	f->n = 0;
	f->at = calloc(2 * set->n + 1, sizeof(*f->at));
	if (!f->at || set->oom)
		return -ENOMEM;
	for (size_t i = 0; !err && i < set->n; i++) {
		if (seen_before(set, i))
			continue;
		err = together(&f->at[f->n++], set, i);
		if (!err && f->at[f->n - 1].repeats > 1)
			err = add_repeats(f, set, i);
		else
			f->at[f->n - 1].repeat = set->at[i]->repeat;
	}
	return err;
}

void figures_free(struct figures_set *f)
{
	for (size_t i = 0; f->at && i < f->n; i++)
		free(f->at[i].sorted);
	free(f->at);
	*f = (struct figures_set){ .n = 0 };
}
