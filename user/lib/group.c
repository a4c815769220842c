// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * group.c - lives put together by any key, and the values of what was put together
 * (fold.c): of lives that are there, or of lives that were added and are gone since.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "getter.h"
#include "label.h"
#include "table.h"

struct ktally_group {
	struct ktally_str key, name;	/* key: what makes it this group */
	const struct ktally_groups *of;
	const struct ktally_life **lives;
	struct fold *folds;		/* in place of lives: a value per field of `of` */
	size_t n, room;			/* n: lives */
	uint32_t first_boot, first_tgid; /* of the life that was first, for groups of folds */
	uint64_t first_start;
};

struct ktally_groups {
	struct arena arena;
	struct table by_key;
	struct ktally_group **groups;
	size_t n, room;
	struct ktally_field_ctx *ctx;
	enum ktally_key key;
	const struct ktally_field *const *fields;	/* that lives are folded by; NULL: they are listed */
	size_t n_fields;
};

/* ---- making groups ---- */

static int keep(struct ktally_groups *g, struct ktally_str *s)
{
	if (!s->p)
		return 0;
	s->p = arena_copy(&g->arena, s->p, s->len);
	return s->p ? 0 : -ENOMEM;
}

static void *grown(void *array, size_t *room, size_t n, size_t size)
{
	size_t more = *room ? 2 * *room : 8;
	void *p;

	if (n < *room)
		return array;
	p = realloc(array, more * size);
	if (p)
		*room = more;
	return p;
}

static struct ktally_group *new_group(struct ktally_groups *g, const struct label *lb, uint64_t hash)
{
	struct ktally_group *gr = arena_alloc(&g->arena, sizeof(*gr));
	void *p = gr ? grown(g->groups, &g->room, g->n, sizeof(*g->groups)) : NULL;

	if (!p)
		return NULL;
	g->groups = p;
	g->groups[g->n++] = gr;
	gr->of = g;
	gr->key = lb->key;
	gr->name = lb->name;
	if (keep(g, &gr->key) || keep(g, &gr->name) || table_add(&g->by_key, hash, gr))
		return NULL;
	return gr;
}

static struct ktally_group *group_of(struct ktally_groups *g, const struct label *lb)
{
	uint64_t hash = label_hash(lb);
	size_t at = hash;
	struct ktally_group *gr;

	while ((gr = table_find(&g->by_key, hash, &at)))
		if (label_is(lb, &gr->key))
			return gr;
	return new_group(g, lb, hash);
}

static bool is_before(const struct ktally_life *l, const struct ktally_group *gr)
{
	if (l->boot != gr->first_boot)
		return l->boot < gr->first_boot;
	return l->start != gr->first_start ? l->start < gr->first_start : l->tgid < gr->first_tgid;
}

static int fold_in(struct ktally_groups *g, struct ktally_group *gr, const struct ktally_life *l)
{
	if (!gr->folds)
		gr->folds = arena_alloc(&g->arena, (g->n_fields + 1) * sizeof(*gr->folds));
	if (!gr->folds)
		return -ENOMEM;
	if (!gr->n || is_before(l, gr)) {
		gr->first_boot = l->boot;
		gr->first_tgid = l->tgid;
		gr->first_start = l->start;
	}
	for (size_t i = 0; i < g->n_fields; i++)
		if (fold_life(&gr->folds[i], g->fields[i], l, g->ctx, &g->arena))
			return -ENOMEM;
	gr->n++;
	return 0;
}

static int list_in(struct ktally_group *gr, const struct ktally_life *l)
{
	void *p = grown(gr->lives, &gr->room, gr->n, sizeof(*gr->lives));

	if (!p)
		return -ENOMEM;
	gr->lives = p;
	gr->lives[gr->n++] = l;
	return 0;
}

int ktally_groups_add(struct ktally_groups *g, const struct ktally_life *l)
{
	struct label lb = { .key = { NULL, 0 } };
	struct ktally_group *gr;

	label_life(&lb, g->key, l, g->ctx);
	gr = group_of(g, &lb);
	if (!gr)
		return -ENOMEM;
	return g->fields ? fold_in(g, gr, l) : list_in(gr, l);
}

static struct ktally_groups *open_groups(struct ktally_field_ctx *ctx, enum ktally_key key)
{
	struct ktally_groups *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->ctx = ctx;
	g->key = key;
	return g;
}

struct ktally_groups *ktally_groups_fold(struct ktally_field_ctx *ctx, enum ktally_key key,
					 const struct ktally_field *const *fields, size_t n)
{
	struct ktally_groups *g = open_groups(ctx, key);

	if (!g)
		return NULL;
	g->fields = fields;
	g->n_fields = n;
	return g;
}

static int by_first(const void *a, const void *b)
{
	const struct ktally_group *x = *(struct ktally_group *const *)a;
	const struct ktally_group *y = *(struct ktally_group *const *)b;
	const struct ktally_life first = { .boot = x->first_boot, .start = x->first_start,
					   .tgid = x->first_tgid };

	return is_before(&first, y) ? -1 : 1;
}

int ktally_groups_add_rest(struct ktally_groups *g,
			   bool (*want)(const struct ktally_life *l, void *arg), void *arg)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(g->ctx->model, &lives);

	for (size_t i = 0; i < n; i++)
		if ((!want || want(lives[i], arg)) && ktally_groups_add(g, lives[i]))
			return -ENOMEM;
	if (g->fields && g->n > 1)
		qsort(g->groups, g->n, sizeof(*g->groups), by_first);
	return 0;
}

struct ktally_groups *ktally_groups_make(struct ktally_field_ctx *ctx, enum ktally_key key,
					 bool (*want)(const struct ktally_life *l, void *arg), void *arg)
{
	struct ktally_groups *g = open_groups(ctx, key);

	if (g && ktally_groups_add_rest(g, want, arg)) {
		ktally_groups_free(g);
		return NULL;
	}
	return g;
}

struct ktally_groups *ktally_groups_of_tree(struct ktally_field_ctx *ctx, const struct ktally_life *root)
{
	struct ktally_groups *g = open_groups(ctx, KTALLY_BY_ALL);

	for (const struct ktally_life *l = root; g && l; l = ktally_life_next(l, root)) {
		if (ktally_groups_add(g, l)) {
			ktally_groups_free(g);
			return NULL;
		}
	}
	return g;
}

void ktally_groups_free(struct ktally_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		free(g->groups[i]->lives);
	free(g->groups);
	table_free(&g->by_key);
	arena_free(&g->arena);
	free(g);
}

size_t ktally_groups_count(const struct ktally_groups *g)
{
	return g->n;
}

const struct ktally_group *ktally_groups_at(const struct ktally_groups *g, size_t i)
{
	return g->groups[i];
}

struct ktally_str ktally_group_name(const struct ktally_group *g)
{
	return g->name;
}

size_t ktally_group_lives(const struct ktally_group *g, const struct ktally_life *const **lives)
{
	*lives = g->lives;
	return g->n;
}

/* ---- values ---- */

/* The table's rows may be copied, but not what tells their getters what to get. */
static bool same_field(const struct ktally_field *a, const struct ktally_field *b)
{
	return a->get == b->get && a->arg == b->arg && a->sum == b->sum;
}

/* Losses that were found out later than a life was looked at. */
static bool has_lost(const struct ktally_field *f, const struct ktally_field_ctx *c)
{
	return (f->get == get_run_delay || f->get == get_threads_ended) && c->info &&
	       c->info->lost[KTALLY_THREAD_EXIT];
}

static struct ktally_value value_of_folds(const struct ktally_group *g, const struct ktally_field *f,
					  const struct ktally_field_ctx *c)
{
	const struct ktally_groups *all = g->of;
	struct ktally_value v;
	size_t i = 0;

	while (i < all->n_fields && !same_field(all->fields[i], f))
		i++;
	v = i < all->n_fields ? fold_value(&g->folds[i], f, g->n) : unknown;
	v.lower |= v.type != KTALLY_V_UNKNOWN && has_lost(f, c);
	return v;
}

struct ktally_value ktally_group_value(const struct ktally_group *g, const struct ktally_field *f,
				       struct ktally_field_ctx *c)
{
	return g->folds ? value_of_folds(g, f, c) : fold_list(f, g->lives, g->n, c);
}
