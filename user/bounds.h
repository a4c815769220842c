/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bounds.h - which values of a row are only bounds, as a column of it: tables mark each,
 * other formats have no place for a mark.
 *
 * They are gathered as a row's values are asked for, so the column speaks of those
 * before it.
 */
#ifndef KTALLY_BOUNDS_H
#define KTALLY_BOUNDS_H

#include "lib/ktally.h"

struct bounds {
	char *text;		/* "life_ns>= cpu_ns<=" */
	size_t n, room;
};

extern const struct ktally_field bounds_field;

void bounds_begin(struct bounds *b);	/* another row */
void bounds_add(struct bounds *b, const struct ktally_field *f, const struct ktally_value *v);
static inline void bounds_note(struct bounds *b, const struct ktally_field *f, const struct ktally_value *v)
{
	if (v->upper || v->lower)
		bounds_add(b, f, v);
}

struct ktally_value bounds_value(const struct bounds *b);
void bounds_free(struct bounds *b);

#endif
