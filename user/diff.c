// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - two lists of commands become rows, and each row a verdict.
 *
 * What it says must hold: medians, since durations have long tails; a rank test, since
 * nobody knows how they are spread; chances raised for the number of commands that were
 * looked at, since of a hundred equal ones five would look different. It prints nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

#define CHANCE	0.05	/* below, a difference is taken for one */

static bool value_of(const struct ktally_run *run, enum diff_metric metric, uint64_t *v)
{
	struct ktally_use use;

	if (metric == DIFF_TIME || metric == DIFF_SELF) {
		*v = metric == DIFF_TIME ? run->duration : run->self;
		return true;
	}
	ktally_image_use(run->life, run->image, &use);
	*v = metric == DIFF_CPU ? use.runtime : use.peak_rss;
	return use.known >> (metric == DIFF_CPU ? KTALLY_U_RUNTIME : KTALLY_U_PEAK_RSS) & 1;
}

static int take_values(struct diff_row *row, int side, enum diff_metric metric)
{
	const struct ktally_command *c = row->command[side];
	struct ktally_stats stats;

	if (!c)
		return 0;
	row->values[side] = malloc((c->stats.n ? c->stats.n : 1) * sizeof(uint64_t));
	if (!row->values[side])
		return -ENOMEM;
	for (size_t i = 0; i < c->stats.n; i++)
		row->n[side] += value_of(&c->runs[i], metric, &row->values[side][row->n[side]]);
	ktally_sort(row->values[side], row->n[side]);
	ktally_stats_of(row->values[side], row->n[side], &stats);
	row->median[side] = stats.median;
	row->total[side] = stats.total;
	return 0;
}

static void look(struct diff_row *row)
{
	if (!row->n[0] || !row->n[1])
		return;
	row->has_change = row->median[0] > 0 || row->median[1] <= 0;
	if (row->median[0] > 0)
		row->change = 100 * (row->median[1] / row->median[0] - 1);
	row->tested = ktally_rank_least(row->n[0], row->n[1]) <= CHANCE;
	row->chance = ktally_rank_test(row->values[0], row->n[0], row->values[1], row->n[1]);
}

static int add_row(struct diff_rows *rows, const struct ktally_command *a,
		   const struct ktally_command *b, enum diff_metric metric)
{
	struct diff_row *row = &rows->at[rows->n++];

	*row = (struct diff_row){ .command = { a, b } };
	if (take_values(row, 0, metric) || take_values(row, 1, metric))
		return -ENOMEM;
	look(row);
	return 0;
}

static int compare_names(const struct ktally_str *a, const struct ktally_str *b)
{
	uint32_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->p, b->p, n) : 0;

	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static int by_name(const void *a, const void *b)
{
	const struct ktally_command *const *x = a, *const *y = b;

	return compare_names(&(*x)->name, &(*y)->name);
}

static const struct ktally_command **sorted(const struct ktally_runs *runs, size_t *n)
{
	const struct ktally_command *all, **at;

	*n = ktally_runs_commands(runs, &all);
	at = malloc((*n ? *n : 1) * sizeof(*at));
	for (size_t i = 0; at && i < *n; i++)
		at[i] = &all[i];
	if (at && *n)
		qsort(at, *n, sizeof(*at), by_name);
	return at;
}

/* As one list of names, each once. */
static int join(struct diff_rows *rows, const struct ktally_command **a, size_t n,
		const struct ktally_command **b, size_t m, enum diff_metric metric)
{
	size_t i = 0, j = 0;
	int err = 0;

	while (!err && (i < n || j < m)) {
		int c = i == n ? 1 : j == m ? -1 : compare_names(&a[i]->name, &b[j]->name);

		err = add_row(rows, c <= 0 ? a[i] : NULL, c >= 0 ? b[j] : NULL, metric);
		i += c <= 0;
		j += c >= 0;
	}
	return err;
}

/* ---- verdicts ---- */

static int adjust(struct diff_rows *rows)
{
	double **chances = malloc((rows->n ? rows->n : 1) * sizeof(*chances));
	size_t n = 0;
	int err;

	if (!chances)
		return -ENOMEM;
	for (size_t i = 0; i < rows->n; i++)
		if (rows->at[i].tested)
			chances[n++] = &rows->at[i].chance;
	err = ktally_rank_adjust(chances, n);
	free(chances);
	return err;
}

static enum diff_verdict judge(const struct diff_row *row, const struct diff_options *o)
{
	bool beyond = row->has_change ? fabs(row->change) > o->threshold : row->median[1] > 0;

	if (!row->command[0])
		return DIFF_NEW;
	if (!row->command[1])
		return DIFF_GONE;
	if (!row->n[0] || !row->n[1] || (!o->untested && !row->tested))
		return DIFF_FEW;
	if (!beyond)
		return DIFF_SAME;
	if (!o->untested && row->chance > CHANCE)
		return DIFF_UNSURE;
	return row->median[1] > row->median[0] ? DIFF_SLOWER : DIFF_FASTER;
}

static double weight(const struct diff_row *row)
{
	return fabs(row->total[1] - row->total[0]);
}

static const struct ktally_str *name_of(const struct diff_row *row)
{
	return &row->command[!row->command[0]]->name;
}

/* What is worse first, then what weighs more. */
static int by_verdict(const void *a, const void *b)
{
	static const int place[DIFF_VERDICTS] = {
		[DIFF_SLOWER] = 0, [DIFF_FASTER] = 1, [DIFF_UNSURE] = 2, [DIFF_SAME] = 3,
		[DIFF_FEW] = 4, [DIFF_NEW] = 5, [DIFF_GONE] = 6,
	};
	const struct diff_row *x = a, *y = b;

	if (x->verdict != y->verdict)
		return place[x->verdict] - place[y->verdict];
	if (weight(x) != weight(y))
		return weight(x) < weight(y) ? 1 : -1;
	return compare_names(name_of(x), name_of(y));
}

static void decide(struct diff_rows *rows, const struct diff_options *o)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct diff_row *row = &rows->at[i];

		row->verdict = judge(row, o);
		rows->count[row->verdict]++;
		for (int side = 0; side < 2 && row->n[0] && row->n[1]; side++)
			rows->total[side] += row->total[side];
	}
	if (rows->n)
		qsort(rows->at, rows->n, sizeof(*rows->at), by_verdict);
}

const char *diff_word(enum diff_verdict verdict, enum diff_metric metric)
{
	static const char *const words[DIFF_VERDICTS] = {
		[DIFF_SLOWER] = "slower", [DIFF_FASTER] = "faster", [DIFF_SAME] = "same",
		[DIFF_UNSURE] = "unsure", [DIFF_FEW] = "few", [DIFF_NEW] = "new", [DIFF_GONE] = "gone",
	};

	if (metric == DIFF_TIME || metric == DIFF_SELF || verdict > DIFF_FASTER)
		return words[verdict];
	return verdict == DIFF_SLOWER ? "more" : "less";
}

int diff_make(struct diff_rows *rows, const struct ktally_runs *a, const struct ktally_runs *b,
	      const struct diff_options *options)
{
	const struct ktally_command **x, **y;
	size_t n, m;
	int err = -ENOMEM;

	memset(rows, 0, sizeof(*rows));
	x = sorted(a, &n);
	y = sorted(b, &m);
	rows->at = calloc(n + m + 1, sizeof(*rows->at));
	if (x && y && rows->at)
		err = join(rows, x, n, y, m, options->metric);
	if (!err)
		err = adjust(rows);
	if (!err)
		decide(rows, options);
	free(x);
	free(y);
	return err;
}

void diff_free(struct diff_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->at[i].values[0]);
		free(rows->at[i].values[1]);
	}
	free(rows->at);
}
