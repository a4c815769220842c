// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * table.c - a hash table of pointers with open addressing. At most half full, so that
 * a search ends after one or two places.
 */
#include <errno.h>
#include <stdlib.h>

#include "table.h"

void *table_find(const struct table *t, uint64_t hash, size_t *at)
{
	size_t i = *at;

	if (!t->room)
		return NULL;
	for (;; i++) {
		const struct table_entry *e = &t->entries[i & (t->room - 1)];

		if (!e->p)
			return NULL;
		if (e->hash == hash) {
			*at = i + 1;
			return e->p;
		}
	}
}

static void place(struct table *t, uint64_t hash, void *p)
{
	size_t i = hash;

	while (t->entries[i & (t->room - 1)].p)
		i++;
	t->entries[i & (t->room - 1)] = (struct table_entry){ hash, p };
}

static int grow(struct table *t)
{
	struct table bigger = { .n = t->n, .room = t->room ? t->room * 2 : 256 };

	bigger.entries = calloc(bigger.room, sizeof(*bigger.entries));
	if (!bigger.entries)
		return -ENOMEM;
	for (size_t i = 0; i < t->room; i++)
		if (t->entries[i].p)
			place(&bigger, t->entries[i].hash, t->entries[i].p);
	free(t->entries);
	*t = bigger;
	return 0;
}

int table_add(struct table *t, uint64_t hash, void *p)
{
	if (2 * (t->n + 1) > t->room && grow(t))
		return -ENOMEM;
	place(t, hash, p);
	t->n++;
	return 0;
}

void table_free(struct table *t)
{
	free(t->entries);
	*t = (struct table){ 0 };
}
