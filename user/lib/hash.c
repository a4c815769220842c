// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hash.c - a hash table whose entries come and go. At most one entry per place on
 * average; it grows and never shrinks.
 */
#include <errno.h>
#include <stdlib.h>

#include "hash.h"

struct hash_link *hash_find(const struct hash *c, uint64_t hash, const struct hash_link *after)
{
	struct hash_link *l;

	if (!c->room)
		return NULL;
	l = after ? after->next : c->heads[hash & (c->room - 1)];
	while (l && l->hash != hash)
		l = l->next;
	return l;
}

static void put(struct hash *c, struct hash_link *l)
{
	struct hash_link **head = &c->heads[l->hash & (c->room - 1)];

	l->next = *head;
	*head = l;
}

static int grow(struct hash *c)
{
	struct hash bigger = { .n = c->n, .room = c->room ? 2 * c->room : 256 };

	bigger.heads = calloc(bigger.room, sizeof(struct hash_link *));
	if (!bigger.heads)
		return -ENOMEM;
	for (size_t i = 0; i < c->room; i++) {
		struct hash_link *l = c->heads[i];

		while (l) {
			struct hash_link *next = l->next;

			put(&bigger, l);
			l = next;
		}
	}
	free(c->heads);
	*c = bigger;
	return 0;
}

int hash_add(struct hash *c, uint64_t hash, struct hash_link *l)
{
	if (c->n >= c->room && grow(c))
		return -ENOMEM;
	l->hash = hash;
	put(c, l);
	c->n++;
	return 0;
}

void hash_remove(struct hash *c, struct hash_link *l)
{
	struct hash_link **at = &c->heads[l->hash & (c->room - 1)];

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	c->n--;
}

void hash_free(struct hash *c)
{
	free(c->heads);
	*c = (struct hash){ 0 };
}
