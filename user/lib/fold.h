/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fold.h - the value of lives put together, each field by its own rule (enum
 * ktally_sum), from lives that come one by one.
 */
#ifndef KTALLY_FOLD_H
#define KTALLY_FOLD_H

#include "arena.h"
#include "ktally.h"

struct fold {
	struct ktally_value v;
	bool begun;
	bool gap;			/* of a life it is unknown */
	bool differs;			/* SAME: they do not agree */
};

/* Text is copied into the arena, once. 0 or -ENOMEM. */
int fold_life(struct fold *to, const struct ktally_field *f, const struct ktally_life *l,
	      struct ktally_field_ctx *c, struct arena *a);
/* Of lives that stay: nothing is copied. */
struct ktally_value fold_list(const struct ktally_field *f, const struct ktally_life *const *lives, size_t n,
			      struct ktally_field_ctx *c);
/* n: lives that were folded. */
struct ktally_value fold_value(const struct fold *from, const struct ktally_field *f, size_t n);

#endif
