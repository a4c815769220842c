// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * groups.c - the module's totals by program, user, cgroup, unit or container.
 *
 * Series are bounded: a group gets its own when there is room, the one with most CPU
 * first, and keeps it; all others are "(others)".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/place.h"
#include "groups.h"
#include "names.h"

#define OTHERS	"(others)"

const char *const metrics_key_names[METRICS_KEYS] = { "program", "user", "cgroup", "unit", "container" };

struct source {
	const struct ktally_totals *t;
	struct sums sums;		/* their cgroup is the group's name */
};

/* ---- names ---- */

static struct ktally_str name_of(enum metrics_key key, const struct sum *s, struct names *names, char text[32])
{
	const char *name = NULL;

	if (s->row.flags & KTALLY_TOTALS_OTHER)
		return (struct ktally_str){ OTHERS, strlen(OTHERS) };
	switch (key) {
	case BY_PROGRAM:
		return (struct ktally_str){ s->row.program, (uint32_t)strnlen(s->row.program, sizeof(s->row.program)) };
	case BY_UNIT:
		return place_unit(s->cgroup);
	case BY_CONTAINER:
		return place_container(s->cgroup);
	case BY_USER:
		name = names_user(s->row.uid, names);
		if (!name)
			snprintf(text, 32, "%u", s->row.uid);
		break;
	default:
		name = s->cgroup;
	}
	if (!name)
		name = text;
	return (struct ktally_str){ name, (uint32_t)strlen(name) };
}

static int add(struct source *src, struct ktally_str name, const struct sum *s)
{
	struct sum row = *s;
	char *text = strndup(name.p, name.len);
	int err = text ? 0 : -ENOMEM;

	row.row.flags &= ~KTALLY_TOTALS_OTHER;
	if (!err)
		err = totals_add(&src->sums, text, &row);
	free(text);
	return err;
}

static int gather(struct source *src, enum metrics_key key, const struct totals_now *now)
{
	struct names names = { 0 };
	char text[32];
	int err = 0;

	for (size_t i = 0; i < now->sums.n && !err; i++)
		err = add(src, name_of(key, &now->sums.at[i], &names, text), &now->sums.at[i]);
	if (!err)
		sums_merge(&src->sums, totals_by_cgroup);
	return err;
}

/* ---- the bound ---- */

static bool has_series(const struct metrics_groups *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->names[i], name))
			return true;
	return !strcmp(name, OTHERS);
}

static int by_cpu(const void *of, const void *with)
{
	const struct sum *a = of, *b = with;

	return (a->row.runtime < b->row.runtime) - (a->row.runtime > b->row.runtime);
}

static int admit(struct metrics_groups *g, const char *name)
{
	if (!g->names)
		g->names = calloc(g->most + 1, sizeof(*g->names));
	if (!g->names)
		return -ENOMEM;
	g->names[g->n] = strdup(name);
	return g->names[g->n] ? (g->n++, 0) : -ENOMEM;
}

static int bound(struct metrics_groups *g, struct source *src)
{
	int err = 0;

	if (src->sums.n)
		qsort(src->sums.at, src->sums.n, sizeof(*src->sums.at), by_cpu);
	for (size_t i = 0; i < src->sums.n && !err; i++) {
		struct sum *s = &src->sums.at[i];

		if (has_series(g, s->cgroup))
			continue;
		if (g->n < g->most) {
			err = admit(g, s->cgroup);
			continue;
		}
		free(s->cgroup);
		s->cgroup = strdup(OTHERS);
		err = s->cgroup ? 0 : -ENOMEM;
	}
	if (!err)
		sums_merge(&src->sums, totals_by_cgroup);
	return err;
}

/* ---- as a source ---- */

static struct ktally_str name(void *of, size_t group)
{
	const char *text = ((struct source *)of)->sums.at[group].cgroup;

	return (struct ktally_str){ text, (uint32_t)strlen(text) };
}

static bool series(void *of, size_t group, const char *column, double *samples)
{
	const struct source *src = of;
	const struct ktally_field *f = totals_column(column);
	struct ktally_value v = { .type = KTALLY_V_UNKNOWN };

	if (f)
		v = totals_value(src->t, &src->sums.at[group], f);
	samples[0] = v.type == KTALLY_V_U64 ? (double)v.u : 0;
	return v.type == KTALLY_V_U64;
}

int metrics_groups_put(struct metrics_groups *g, const struct metrics_out *o,
		       const struct metrics_families *families, const struct totals_now *now)
{
	struct source src = { .t = &now->t };
	struct metrics_source as = { .key = metrics_key_names[g->key], .name = name, .series = series, .of = &src };
	int err = gather(&src, g->key, now);

	if (!err)
		err = bound(g, &src);
	as.n = src.sums.n;
	if (!err)
		err = metrics_groups(o, families, &as);
	sums_free(&src.sums);
	return err ? say_error(FAILED, "out of memory") : OPT_GO_ON;
}

void metrics_groups_free(struct metrics_groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->names[i]);
	free(g->names);
}
