// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * arena.c - memory that is only ever given back as a whole. Chunks double up to a
 * limit, so that a short recording stays small and a long one costs few calls. Big
 * chunks are mapped and asked for in huge pages: with a page fault per four lives,
 * faults were half of the time that a model took.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"

#define CHUNK_FIRST	((size_t)64 << 10)
#define CHUNK_MOST	((size_t)16 << 20)
#define HUGE_PAGE	((size_t)2 << 20)

struct arena_chunk {
	struct arena_chunk *before;
	size_t size;
};

/* Zeroed, and aligned so that huge pages fit. */
static void *map_chunk(size_t size)
{
	unsigned char *p = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p & (HUGE_PAGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + size, HUGE_PAGE - before);
	madvise(p + before, size, MADV_HUGEPAGE);
	return p + before;
}

static bool is_mapped(size_t size)
{
	return size >= HUGE_PAGE && size % HUGE_PAGE == 0;
}

static int add_chunk(struct arena *a, size_t need)
{
	size_t size = a->chunks ? a->chunks->size * 2 : CHUNK_FIRST;
	struct arena_chunk *c;

	if (size > CHUNK_MOST)
		size = CHUNK_MOST;
	if (size < need + sizeof(*c))
		size = (need + sizeof(*c) + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	c = is_mapped(size) ? map_chunk(size) : calloc(1, size);
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

		if (is_mapped(c->size))
			munmap(c, c->size);
		else
			free(c);
		c = before;
	}
	memset(a, 0, sizeof(*a));
}
