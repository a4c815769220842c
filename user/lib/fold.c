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

static int keep(struct fold *to, const struct ktally_value *v, struct arena *a)
{
	to->v = *v;
	if (v->type != KTALLY_V_TEXT || !v->t.p)
		return 0;
	if (v->t.len <= sizeof(to->small))
		to->v.t.p = memcpy(to->small, v->t.p, v->t.len);
	else if (a)
		to->v.t.p = arena_copy(a, v->t.p, v->t.len);
	return to->v.t.p ? 0 : -ENOMEM;
}

static bool same_value(const struct ktally_value *a, const struct ktally_value *b)
{
	if (a->type != b->type || a->type == KTALLY_V_UNKNOWN)
		return false;
	if (a->type != KTALLY_V_TEXT)
		return a->u == b->u;
	return a->t.len == b->t.len && !memcmp(a->t.p, b->t.p, a->t.len);
}

/* The value of one of them: of the first, the last, or of any while all agree. */
static int fold_one(struct fold *to, const struct ktally_field *f, const struct ktally_life *l,
		    const struct ktally_value *v, struct arena *a)
{
	bool takes = !to->begun || (f->sum == KTALLY_FIRST && l->start < to->start) ||
		     (f->sum == KTALLY_LAST && l->start >= to->start);

	if (takes) {
		to->start = l->start;
		return keep(to, v, a);
	}
	to->differs |= f->sum == KTALLY_SAME && !same_value(&to->v, v);
	return 0;
}

int fold_life(struct fold *to, const struct ktally_field *f, const struct ktally_life *l,
	      struct ktally_field_ctx *c, struct arena *a)
{
	struct ktally_value v;
	int ret = 0;

	if (to->differs)
		return 0;
	v = ktally_field_value(f, l, c);
	if (f->sum <= KTALLY_BOUND)
		fold_number(to, f->sum, &v);
	else
		ret = fold_one(to, f, l, &v, a);
	to->begun = true;
	return ret;
}

struct ktally_value fold_value(const struct fold *from, const struct ktally_field *f, size_t n)
{
	struct ktally_value v = from->v;

	if (from->differs)
		return unknown;
	if (f->sum > KTALLY_BOUND || v.type == KTALLY_V_UNKNOWN)
		return v;
	/* What is missing can only raise a sum or a maximum, and only lower a minimum. */
	if (from->gap && f->sum == KTALLY_MIN)
		v.upper = true;
	else if (from->gap)
		v.lower = true;
	v.upper |= f->sum == KTALLY_BOUND && n > 1;
	return v;
}
