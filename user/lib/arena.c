// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * arena.c - memory that is only ever given back as a whole. Chunks double up to
 * a limit, so that a short recording stays small and a long one costs few calls.
 * Fresh chunks come zeroed from calloc: big ones cost nothing until touched.
 */
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define CHUNK_FIRST	((size_t)64 << 10)
#define CHUNK_MOST	((size_t)4 << 20)

struct arena_chunk {
	struct arena_chunk *before;
	size_t size;
};

static int add_chunk(struct arena *a, size_t need)
{
	size_t size = a->chunks ? a->chunks->size * 2 : CHUNK_FIRST;
	struct arena_chunk *c;

	if (size > CHUNK_MOST)
		size = CHUNK_MOST;
	if (size < need + sizeof(*c))
		size = need + sizeof(*c);
	c = calloc(1, size);
	if (!c)
		return -1;
	c->before = a->chunks;
	c->size = size;
	a->chunks = c;
	a->next = (unsigned char *)(c + 1);
	a->end = (unsigned char *)c + size;
	a->bytes += size;
	return 0;
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *p;

	n = (n + 7) & ~(size_t)7;
	if ((size_t)(a->end - a->next) < n && add_chunk(a, n))
		return NULL;
	p = a->next;
	a->next += n;
	return p;
}

void *arena_copy(struct arena *a, const void *p, size_t n)
{
	void *copy = arena_alloc(a, n + 1);

	if (copy && n)
		memcpy(copy, p, n);
	return copy;
}

void arena_free(struct arena *a)
{
	struct arena_chunk *c = a->chunks;

	while (c) {
		struct arena_chunk *before = c->before;

		free(c);
		c = before;
	}
	memset(a, 0, sizeof(*a));
}
