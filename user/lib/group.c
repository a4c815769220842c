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

/* Bytes that identify a group and the name people read; p NULL = unknown. */
struct label {
	struct ktally_str key, name;
	char key_bytes[32];
	char name_bytes[64];
};

static struct ktally_str from_field(const char *name, const struct ktally_life *l,
				    struct ktally_field_ctx *c)
{
	struct ktally_value v = ktally_field_value(ktally_field_find(name), l, c);

	return v.type == KTALLY_V_TEXT ? v.t : (struct ktally_str){ NULL, 0 };
}

static void label_number(struct label *lb, uint64_t key)
{
	int n = snprintf(lb->name_bytes, sizeof(lb->name_bytes), "%llu", (unsigned long long)key);

	lb->name = lb->key = (struct ktally_str){ lb->name_bytes, n };
}

static void label_life(struct label *lb, uint32_t tgid, uint64_t start, uint32_t boot)
{
	memcpy(lb->key_bytes, &tgid, 4);
	memcpy(lb->key_bytes + 4, &boot, 4);
	memcpy(lb->key_bytes + 8, &start, 8);
	label_number(lb, tgid);
	lb->key = (struct ktally_str){ lb->key_bytes, 16 };
}

static void by_process(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	(void)c;
	label_life(lb, l->tgid, l->start, l->boot);
}

static void by_program(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = lb->name = from_field("program", l, c);
}

/* Without a command line, as kernel threads are: by name. */
static void by_command(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = from_field("argv", l, c);
	if (!lb->key.len)
		lb->key = from_field("program", l, c);
	lb->name = lb->key;
}

static void by_user(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	if (!(l->present >> KTALLY_HAS_uid & 1))
		return;
	memcpy(lb->key_bytes, &l->owner.uid, 4);
	lb->key = (struct ktally_str){ lb->key_bytes, 4 };
	lb->name = from_field("user", l, c);
}

static void by_cgroup(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = lb->name = from_field("cgroup", l, c);
	if (!lb->key.p && l->present >> KTALLY_HAS_cgroup & 1 && l->owner.cgroup)
		label_number(lb, l->owner.cgroup);
}

static void by_unit(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = lb->name = from_field("unit", l, c);
}

static void by_container(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = lb->name = from_field("container", l, c);
}

static void by_netns(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	(void)c;
	if (l->present >> KTALLY_HAS_netns & 1 && l->owner.netns)
		label_number(lb, l->owner.netns);
}

static void by_parent(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	struct ktally_str name;

	if (!l->birth_time)
		return;
	label_life(lb, l->ppid, l->parent_start, l->boot);
	name = l->parent ? from_field("program", l->parent, c) : lb->name;
	lb->name = name.len ? name : lb->name;
}

static void by_all(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	(void)l, (void)c;
	lb->key = lb->name = (struct ktally_str){ "total", 5 };
}

static const struct {
	const char *name;
	void (*label)(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c);
} keys[KTALLY_KEYS] = {
	[KTALLY_BY_PROCESS]	= { "process", by_process },
	[KTALLY_BY_PROGRAM]	= { "program", by_program },
	[KTALLY_BY_COMMAND]	= { "command", by_command },
	[KTALLY_BY_USER]	= { "user", by_user },
	[KTALLY_BY_CGROUP]	= { "cgroup", by_cgroup },
	[KTALLY_BY_UNIT]	= { "unit", by_unit },
	[KTALLY_BY_CONTAINER]	= { "container", by_container },
	[KTALLY_BY_NETNS]	= { "netns", by_netns },
	[KTALLY_BY_PARENT]	= { "parent", by_parent },
	[KTALLY_BY_ALL]		= { "all", by_all },
};

int ktally_key_find(const char *name)
{
	for (int i = 0; i < KTALLY_KEYS; i++)
		if (!strcmp(keys[i].name, name))
			return i;
	return -ENOENT;
}

const char *ktally_key_name(enum ktally_key key)
{
	return keys[key].name;
}

/* ---- making groups ---- */

static uint64_t hash_key(const struct ktally_str *s)
{
	uint64_t h = s->p ? 14695981039346656037ULL : 1;

	for (uint32_t i = 0; i < s->len; i++)
		h = (h ^ (unsigned char)s->p[i]) * 1099511628211ULL;
	return table_mix(h);
}

static bool same_key(const struct ktally_str *a, const struct ktally_str *b)
{
	return !a->p == !b->p && a->len == b->len && (!a->len || !memcmp(a->p, b->p, a->len));
}

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
	uint64_t hash = hash_key(&lb->key);
	size_t at = hash;
	struct ktally_group *gr;

	while ((gr = table_find(&g->by_key, hash, &at)))
		if (same_key(&gr->key, &lb->key))
			return gr;
	return new_group(g, lb, hash);
}

static int put_in(struct ktally_groups *g, const struct ktally_life *l, enum ktally_key key,
		  struct ktally_field_ctx *ctx)
{
	struct label lb = { .key = { NULL, 0 } };
	struct ktally_group *gr;
	void *p;

	keys[key].label(&lb, l, ctx);
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

struct ktally_value ktally_group_value(const struct ktally_group *g, const struct ktally_field *f,
				       struct ktally_field_ctx *c)
{
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
