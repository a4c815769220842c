/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record/spool.h - sub-buffers that wait in memory for a place on the disk, oldest first and
 * bounded: when there is no room the oldest goes, so that the newest are there.
 */
#ifndef KTALLY_SPOOL_H
#define KTALLY_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spooled {
	struct spooled *next;
	size_t n;
	unsigned char bytes[];
};

struct spool {
	struct spooled *first, *last;
	size_t bytes, limit;
};

static inline bool spool_empty(const struct spool *s)
{
	return !s->first;
}

/* Copies it. Records that had to go for it are added to *dropped, sub-buffers to *blocks. */
void spool_add(struct spool *s, const void *subbuf, size_t n, uint64_t *dropped, uint64_t *blocks);
/* The oldest one goes. */
void spool_pop(struct spool *s);
void spool_clear(struct spool *s);
/* Records of a sub-buffer, its header not counted. */
uint64_t spool_records(const void *subbuf, size_t n);

#endif
