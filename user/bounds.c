// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bounds.c - the column that names what of a row is only a bound, as it is gathered.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "out/out.h"

const struct ktally_field bounds_field = {
	.name = "bounds", .title = "BOUNDS", .width = -10,
	.help = "which of the columns before are only bounds: name<= or name>=",
	.unit = KTALLY_TEXT, .sum = KTALLY_SAME,
};

void bounds_begin(struct bounds *b)
{
	b->n = 0;
}

/* A row that is sorted by a column is asked for it twice. */
static bool has(const struct bounds *b, const char *word, size_t len)
{
	for (size_t at = 0; at < b->n;) {
		size_t n = strcspn(b->text + at, " ");

		if (n == len && !memcmp(b->text + at, word, len))
			return true;
		at += n + 1;
	}
	return false;
}

static bool make_room(struct bounds *b, size_t need)
{
	char *text;

	if (need <= b->room)
		return true;
	text = realloc(b->text, 2 * need);
	if (!text)
		return false;
	b->text = text;
	b->room = 2 * need;
	return true;
}

__attribute__((noinline))	/* it is rare, and without it a value stays where it was put */
void bounds_add(struct bounds *b, const struct ktally_field *f, const struct ktally_value *v)
{
	char word[80];
	size_t len;

	/* At most 0 is 0. */
	if (v->type == KTALLY_V_UNKNOWN || (v->type == KTALLY_V_U64 && !v->u && !v->lower))
		return;
	len = (size_t)snprintf(word, sizeof(word), "%s%s", f->name, v->upper ? "<=" : ">=");
	if (has(b, word, len) || !make_room(b, b->n + len + 2))
		return;
	b->n += (size_t)snprintf(b->text + b->n, b->room - b->n, "%s%s", b->n ? " " : "", word);
}

struct ktally_value bounds_value(const struct bounds *b)
{
	return out_text(b->n ? b->text : "");
}

void bounds_free(struct bounds *b)
{
	free(b->text);
}
