/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hash.h - a hash table whose entries come and go: each carries its own link, so
 * that taking one out frees nothing and moves nothing.
 */
#ifndef KTALLY_HASH_H
#define KTALLY_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_link {
	struct hash_link *next;
	uint64_t hash;
};

struct hash {
	struct hash_link **heads;
	size_t n, room;			/* room: a power of two, or 0 */
};

/* The first link of this hash behind `after` (NULL: from the beginning); NULL: none. */
struct hash_link *hash_find(const struct hash *c, uint64_t hash, const struct hash_link *after);
int hash_add(struct hash *c, uint64_t hash, struct hash_link *l);	/* 0 or -ENOMEM */
void hash_remove(struct hash *c, struct hash_link *l);	/* must be in it */
void hash_free(struct hash *c);

#define hash_entry(link, type, member)	((type *)((char *)(link) - offsetof(type, member)))

#endif
