// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * group.c - lives put together by any key, and the values of what was put together,
 * each field by its own rule. A sum in which a part is unknown is marked as a lower
 * bound; if no part is known, neither is the sum.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "ktally.h"
#include "label.h"
#include "table.h"

struct ktally_group {
	struct ktally_str key, name;	/* key: what makes it this group */
	const struct ktally_life **lives;
	size_t n, room;
};

struct ktally_groups {
	struct arena arena;
	struct table by_key;
	struct ktally_group **groups;
	size_t n, room;
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

static int put_in(struct ktally_groups *g, const struct ktally_life *l, enum ktally_key key,
		  struct ktally_field_ctx *ctx)
{
	struct label lb = { .key = { NULL, 0 } };
	struct ktally_group *gr;
	void *p;

	label_life(&lb, key, l, ctx);
	gr = group_of(g, &lb);
	p = gr ? grown(gr->lives, &gr->room, gr->n, sizeof(*gr->lives)) : NULL;
	if (!p)
		return -ENOMEM;
	gr->lives = p;
	gr->lives[gr->n++] = l;
	return 0;
}

struct ktally_groups *ktally_groups_make(struct ktally_field_ctx *ctx, enum ktally_key key,
					 bool (*want)(const struct ktally_life *l, void *arg), void *arg)
{
	struct ktally_groups *g = calloc(1, sizeof(*g));
	struct ktally_life *const *lives;
	size_t n = g ? ktally_model_lives(ctx->model, &lives) : 0;

	for (size_t i = 0; i < n; i++) {
		if (want && !want(lives[i], arg))
			continue;
		if (put_in(g, lives[i], key, ctx)) {
			ktally_groups_free(g);
			return NULL;
		}
	}
	return g;
}

struct ktally_groups *ktally_groups_of_tree(struct ktally_field_ctx *ctx, const struct ktally_life *root)
{
	struct ktally_groups *g = calloc(1, sizeof(*g));

	for (const struct ktally_life *l = root; g && l; l = ktally_life_next(l, root)) {
		if (put_in(g, l, KTALLY_BY_ALL, ctx)) {
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

static const struct ktally_value unknown;

static uint64_t add_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t add_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t add_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static struct ktally_value fold(const struct ktally_group *g, const struct ktally_field *f,
				struct ktally_field_ctx *c, uint64_t (*add)(uint64_t, uint64_t))
{
	struct ktally_value all = unknown;
	bool gap = false;

	for (size_t i = 0; i < g->n; i++) {
		struct ktally_value v = ktally_field_value(f, g->lives[i], c);

		if (v.type != KTALLY_V_U64) {
			gap = true;
			continue;
		}
		v.upper |= all.upper;
		v.lower |= all.lower;
		if (all.type == KTALLY_V_U64)
			v.u = add(all.u, v.u);
		all = v;
	}
	if (!gap || all.type == KTALLY_V_UNKNOWN)
		return all;
	/* What is missing can only raise a sum or a maximum, and only lower a minimum. */
	if (add == add_min)
		all.upper = true;
	else
		all.lower = true;
	return all;
}

static struct ktally_value bound(const struct ktally_group *g, const struct ktally_field *f,
				 struct ktally_field_ctx *c)
{
	struct ktally_value v = fold(g, f, c, add_sum);

	v.upper |= g->n > 1 && v.type != KTALLY_V_UNKNOWN;
	return v;
}

static bool same_value(const struct ktally_value *a, const struct ktally_value *b)
{
	if (a->type != b->type || a->type == KTALLY_V_UNKNOWN)
		return false;
	if (a->type != KTALLY_V_TEXT)
		return a->u == b->u;
	return a->t.len == b->t.len && !memcmp(a->t.p, b->t.p, a->t.len);
}

/* The first value may lie in the context's scratch, which the others overwrite. */
static struct ktally_value same(const struct ktally_group *g, const struct ktally_field *f,
				struct ktally_field_ctx *c)
{
	struct ktally_field_ctx first_ctx = *c;
	struct ktally_value first = ktally_field_value(f, g->lives[0], &first_ctx);

	for (size_t i = 1; i < g->n; i++) {
		struct ktally_value v = ktally_field_value(f, g->lives[i], c);

		if (!same_value(&first, &v))
			return unknown;
	}
	return ktally_field_value(f, g->lives[0], c);
}

/* One life's own value; by rules that add up, a number or nothing. */
static struct ktally_value alone(const struct ktally_group *g, const struct ktally_field *f,
				 struct ktally_field_ctx *c)
{
	struct ktally_value v = ktally_field_value(f, g->lives[0], c);

	return f->sum <= KTALLY_BOUND && v.type != KTALLY_V_U64 ? unknown : v;
}

struct ktally_value ktally_group_value(const struct ktally_group *g, const struct ktally_field *f,
				       struct ktally_field_ctx *c)
{
	if (g->n == 1)
		return alone(g, f, c);
	switch (f->sum) {
	case KTALLY_SUM:	return fold(g, f, c, add_sum);
	case KTALLY_MAX:	return fold(g, f, c, add_max);
	case KTALLY_MIN:	return fold(g, f, c, add_min);
	case KTALLY_BOUND:	return bound(g, f, c);
	case KTALLY_FIRST:	return ktally_field_value(f, g->lives[0], c);
	case KTALLY_LAST:	return ktally_field_value(f, g->lives[g->n - 1], c);
	case KTALLY_SAME:	break;
	}
	return same(g, f, c);
}
