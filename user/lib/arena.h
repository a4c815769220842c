/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.h - memory that is only ever given back as a whole. The model makes its
 * lives, images and strings here, so that no record costs an allocation.
 */
#ifndef KTALLY_ARENA_H
#define KTALLY_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	unsigned char *next, *end;
	size_t bytes;			/* taken from the system */
};

void *arena_alloc(struct arena *a, size_t n);	/* zeroed, aligned to 8; NULL: no memory */
void *arena_copy(struct arena *a, const void *p, size_t n);	/* with a NUL behind it */
void arena_free(struct arena *a);

#endif
