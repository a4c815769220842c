/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table.h - a hash table of pointers: open addressing, never shrinks, nothing is
 * removed. The key is a 64-bit hash that the caller makes; equal hashes of different
 * things are told apart by the caller while it walks.
 */
#ifndef KTALLY_TABLE_H
#define KTALLY_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_entry {
	uint64_t hash;
	void *p;			/* NULL: free */
};

struct table {
	struct table_entry *entries;
	size_t n, room;			/* room: a power of two, or 0 */
};

/* Next entry of this hash at or behind *at (begin with the hash itself); NULL: none. */
void *table_find(const struct table *t, uint64_t hash, size_t *at);
int table_add(struct table *t, uint64_t hash, void *p);	/* 0 or -ENOMEM */
void table_free(struct table *t);

/* Spreads the bits of v over all 64 (the finisher of splitmix64). */
static inline uint64_t table_mix(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ULL;
	v = (v ^ v >> 27) * 0x94d049bb133111ebULL;
	return v ^ v >> 31;
}

#endif
