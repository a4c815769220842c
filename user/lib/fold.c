// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fold.c - lives put together, one by one. A sum in which a part is unknown is marked as
 * a lower bound; if no part is known, neither is the sum. Memory only.
 */
#include <errno.h>
#include <string.h>

#include "fold.h"

static const struct ktally_value unknown;

static uint64_t add(uint64_t a, uint64_t b, enum ktally_sum how)
{
	uint64_t sum;

	switch (how) {
	case KTALLY_MAX: return a > b ? a : b;
	case KTALLY_MIN: return a < b ? a : b;
	default:	 return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
	}
}

static void fold_number(struct fold *to, enum ktally_sum how, const struct ktally_value *v)
{
	if (v->type != KTALLY_V_U64) {
		to->gap = true;
		return;
	}
	if (to->v.type != KTALLY_V_U64) {
		to->v = *v;
		return;
	}
	to->v.u = add(to->v.u, v->u, how);
	to->v.upper |= v->upper;
	to->v.lower |= v->lower;
}

static bool same_value(const struct ktally_value *a, const struct ktally_value *b)
{
	if (a->type != b->type || a->type == KTALLY_V_UNKNOWN)
		return false;
	if (a->type != KTALLY_V_TEXT)
		return a->u == b->u;
	return a->t.len == b->t.len && !memcmp(a->t.p, b->t.p, a->t.len);
}

/* The value while all agree. */
static int fold_same(struct fold *to, const struct ktally_value *v, struct arena *a)
{
	if (to->begun) {
		to->differs = !same_value(&to->v, v);
		return 0;
	}
	to->v = *v;
	if (v->type != KTALLY_V_TEXT || !v->t.p)
		return 0;
	to->v.t.p = arena_copy(a, v->t.p, v->t.len);
	return to->v.t.p ? 0 : -ENOMEM;
}

int fold_life(struct fold *to, const struct ktally_field *f, const struct ktally_life *l,
	      struct ktally_field_ctx *c, struct arena *a)
{
	struct ktally_value v;
	int ret = 0;

	if (to->differs)
		return 0;
	v = ktally_field_value(f, l, c);
	if (f->sum == KTALLY_SAME)
		ret = fold_same(to, &v, a);
	else
		fold_number(to, f->sum, &v);
	to->begun = true;
	return ret;
}

struct ktally_value fold_value(const struct fold *from, const struct ktally_field *f, size_t n)
{
	struct ktally_value v = from->v;

	if (from->differs)
		return unknown;
	if (f->sum == KTALLY_SAME || v.type == KTALLY_V_UNKNOWN)
		return v;
	/* What is missing can only raise a sum or a maximum, and only lower a minimum. */
	if (from->gap && f->sum == KTALLY_MIN)
		v.upper = true;
	else if (from->gap)
		v.lower = true;
	v.upper |= f->sum == KTALLY_BOUND && n > 1;
	return v;
}

/* Only text too long for a scratch is sure to lie in the life, and not where the next one comes. */
static struct ktally_value same_of_list(const struct ktally_field *f, const struct ktally_life *const *lives,
					size_t n, struct ktally_field_ctx *c)
{
	struct ktally_value first = ktally_field_value(f, lives[0], c), v;
	char room[sizeof(c->scratch)];

	if (n == 1)
		return first;
	if (first.type == KTALLY_V_TEXT && first.t.p && first.t.len <= sizeof(room))
		first.t.p = memcpy(room, first.t.p, first.t.len);
	for (size_t i = 1; i < n; i++) {
		v = ktally_field_value(f, lives[i], c);
		if (!same_value(&first, &v))
			return unknown;
	}
	return v;
}

struct ktally_value fold_list(const struct ktally_field *f, const struct ktally_life *const *lives, size_t n,
			      struct ktally_field_ctx *c)
{
	struct fold all = { .begun = false };

	if (f->sum == KTALLY_SAME)
		return same_of_list(f, lives, n, c);
	for (size_t i = 0; i < n; i++)
		fold_life(&all, f, lives[i], c, NULL);
	return fold_value(&all, f, n);
}
