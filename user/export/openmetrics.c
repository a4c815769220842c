// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * openmetrics.c - a recording as series over time, for promtool to back-fill: the
 * families of `ktally metrics`, a sample each step by the wall clock, and one at the end.
 *
 * A counter rises evenly over each life, so it ends with what all processes used. What
 * is known only of those that ended (exits, lifetimes, peaks) rises when they end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "spans.h"
#include "metrics/metrics.h"

#define STEP_NS		15000000000ULL
enum { SAMPLES_MAX = 1 << 20 };	/* of a family's part */

struct family_group {
	struct ktally_str name;
	const struct ktally_life *const *lives;
	size_t n;
	double cpu;			/* for the order */
};

struct series {
	struct export *ex;
	struct spans spans;
	int64_t *at;			/* the steps, ns since zero */
	double *times;
	size_t n;
	struct family_group *groups;
	size_t n_groups;
	const struct ktally_life **others;	/* of groups beyond the limit */
};

static const enum ktally_key keys[] = {
	[EXPORT_BY_PROGRAM] = KTALLY_BY_PROGRAM, [EXPORT_BY_USER] = KTALLY_BY_USER,
	[EXPORT_BY_CGROUP] = KTALLY_BY_CGROUP, [EXPORT_BY_UNIT] = KTALLY_BY_UNIT,
	[EXPORT_BY_CONTAINER] = KTALLY_BY_CONTAINER,
};

/* ---- steps ---- */

static int make_steps(struct series *s)
{
	const struct export_options *options = s->ex->options;
	uint64_t step = options->step.set && options->step.ns ? options->step.ns : STEP_NS, span;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < s->ex->n; i++) {
		first = s->spans.of[i].from < first ? s->spans.of[i].from : first;
		last = s->spans.of[i].to > last ? s->spans.of[i].to : last;
	}
	span = (uint64_t)last - (uint64_t)first;
	if (span / step >= SAMPLES_MAX / s->n_groups)
		return say_error(WRONG_USE, "export: %zu groups and a sample so often are more than %d; give a longer --step",
				 s->n_groups, SAMPLES_MAX);
	s->n = (size_t)(span / step) + 2;
	s->at = calloc(s->n, sizeof(*s->at));
	s->times = calloc(s->n, sizeof(*s->times));
	if (!s->at || !s->times)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < s->n; i++) {
		s->at[i] = i + 1 < s->n ? first + (int64_t)(i * step) : last;
		s->times[i] = 1e-3 * floor(1e-6 * (double)(s->at[i] + s->spans.zero));
	}
	/* Behind the last step, and of another millisecond: nothing has two values at one time. */
	if (s->times[s->n - 1] <= s->times[s->n - 2]) {
		s->at[s->n - 2] = last;
		s->n--;
	}
	return OPT_GO_ON;
}

/* ---- groups ---- */

static double sum_of(struct series *s, const struct ktally_life *const *lives, size_t n, const char *column)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct ktally_value v = export_value(s->ex, export_row(lives[i]), column);

		sum += v.type == KTALLY_V_U64 ? (double)v.u : 0;
	}
	return sum;
}

static int by_cpu(const void *a, const void *b)
{
	const struct family_group *x = a, *y = b;

	return (x->cpu < y->cpu) - (x->cpu > y->cpu);
}

/* The smallest ones become one group. */
static int fold(struct series *s, size_t most)
{
	struct family_group *rest = &s->groups[most];
	size_t n = 0;
	char count[32];

	if (s->n_groups <= most)
		return OPT_GO_ON;
	for (size_t i = most; i < s->n_groups; i++)
		n += s->groups[i].n;
	s->others = calloc(n + 1, sizeof(*s->others));
	if (!s->others)
		return say_error(FAILED, "out of memory");
	n = 0;
	for (size_t i = most; i < s->n_groups; i++) {
		memcpy(&s->others[n], s->groups[i].lives, s->groups[i].n * sizeof(*s->others));
		n += s->groups[i].n;
	}
	say("%s groups beyond --groups are one, (others)", say_count(count, s->n_groups - most));
	*rest = (struct family_group){ .name = { "(others)", 8 }, .lives = s->others, .n = n };
	s->n_groups = most + 1;
	return OPT_GO_ON;
}

static int make_groups(struct series *s, const struct ktally_groups *groups)
{
	size_t n = ktally_groups_count(groups), most = s->ex->options->groups;

	s->groups = calloc(n + 2, sizeof(*s->groups));
	if (!s->groups)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const struct ktally_group *g = ktally_groups_at(groups, i);
		struct family_group *to = &s->groups[s->n_groups++];

		to->name = ktally_group_name(g);
		to->n = ktally_group_lives(g, &to->lives);
		to->cpu = sum_of(s, to->lives, to->n, "cpu_ns");
	}
	qsort(s->groups, n, sizeof(*s->groups), by_cpu);
	return fold(s, most < n ? most : n);
}

/* ---- samples ---- */

/* First step at or behind a time; n: there is none. */
static size_t step_at(const struct series *s, int64_t time)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->at[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Evenly over the life; from its end on all of it, by add_up(). */
static void spread(const struct series *s, struct span span, double v, double *samples, double *whole)
{
	size_t end = step_at(s, span.to);

	for (size_t i = step_at(s, span.from); i < end; i++)
		samples[i] += v * (double)(s->at[i] - span.from) / (double)(span.to - span.from);
	if (end < s->n)
		whole[end] += v;
}

/* Columns are whole ns, bytes and counts. */
static void add_up(const struct series *s, double *samples, const double *whole)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		sum += whole[i];
		samples[i] = floor(samples[i] + sum);
	}
}

enum rise { EVENLY, AT_END, LIVING, HIGHEST, NEVER };

static enum rise rise_of(const char *column)
{
	static const struct { const char *column; enum rise rise; } rises[] = {
		{ "count", AT_END }, { "failed", AT_END }, { "life_ns", AT_END }, { "alive", LIVING },
		{ "peak_rss_bytes", HIGHEST }, { "rss_bytes", NEVER },
	};

	for (size_t i = 0; i < sizeof(rises) / sizeof(rises[0]); i++)
		if (!strcmp(rises[i].column, column))
			return rises[i].rise;
	return EVENLY;
}

/* One life; false: it does not know. */
static bool add_life(struct series *s, const struct ktally_life *l, const char *column, double *samples, double *whole)
{
	enum rise rise = rise_of(column);
	struct span span = s->spans.of[export_row(l)];
	size_t end = step_at(s, span.to);
	struct ktally_value v;

	if (rise == LIVING) {
		for (size_t i = step_at(s, span.from); i < (l->state == KTALLY_RUNNING ? s->n : end); i++)
			samples[i]++;
		return true;
	}
	if (rise != EVENLY && l->state != KTALLY_ENDED)
		return false;
	v = export_value(s->ex, export_row(l), column);
	if (v.type != KTALLY_V_U64)
		return false;
	if (rise == HIGHEST)
		for (size_t i = end; i < s->n; i++)
			samples[i] = samples[i] > (double)v.u ? samples[i] : (double)v.u;
	else if (rise == AT_END && end < s->n)
		whole[end] += (double)v.u;
	else if (rise == EVENLY)
		spread(s, spans_spent(&s->spans, l), (double)v.u, samples, whole);
	return true;
}

static bool series(void *of, size_t group, const char *column, double *samples)
{
	struct series *s = of;
	const struct family_group *g = &s->groups[group];
	double *whole = rise_of(column) == NEVER ? NULL : calloc(s->n, sizeof(*whole));
	bool known = false;

	if (!whole)
		return false;
	memset(samples, 0, s->n * sizeof(*samples));
	for (size_t i = 0; i < g->n; i++)
		known |= add_life(s, g->lives[i], column, samples, whole);
	add_up(s, samples, whole);
	free(whole);
	return known;
}

static struct ktally_str name(void *of, size_t group)
{
	return ((struct series *)of)->groups[group].name;
}

static int put_all(struct series *s)
{
	const struct metrics_out o = { .sink = s->ex->sink, .open = true, .n = s->n, .times = s->times };
	const struct metrics_source src = {
		.key = ktally_key_name(keys[s->ex->options->by]), .n = s->n_groups, .name = name, .series = series, .of = s,
	};

	if (metrics_groups(&o, &metrics_own, &src))
		return say_error(FAILED, "out of memory");
	metrics_end(&o);
	return OPT_GO_ON;
}

int export_openmetrics(struct export *ex)
{
	struct series s = { .ex = ex };
	struct ktally_groups *groups;
	int status = spans_make(&s.spans, ex);

	groups = ktally_groups_make(&ex->reading->ctx, keys[ex->options->by], sel_want, ex->match);
	if (status == OPT_GO_ON)
		status = groups ? make_groups(&s, groups) : say_error(FAILED, "out of memory");
	if (status == OPT_GO_ON)
		status = make_steps(&s);
	if (status == OPT_GO_ON)
		status = export_open(ex);
	if (status == OPT_GO_ON)
		status = put_all(&s);
	ktally_groups_free(groups);
	spans_free(&s.spans);
	free(s.at);
	free(s.times);
	free(s.groups);
	free(s.others);
	return status;
}
