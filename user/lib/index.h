/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * index.h - the heads of a recording's blocks in one place, so that it is opened by a
 * few reads instead of one a block. Every INDEX_EVERY blocks and at the end the heads so
 * far are written as a block of their own; it names the one before, the summary the last.
 * A file without it, or with a damaged one, is searched block by block.
 */
#ifndef KTALLY_INDEX_H
#define KTALLY_INDEX_H

#include "container.h"
#include "input.h"

#define INDEX_EVERY	4096		/* blocks; bounds what writer and reader hold */
#define INDEX_LEAST	64		/* blocks of a file for which an index pays */

struct index_head {
	uint64_t before;		/* where the index before this one begins; 0 = none */
	uint64_t entries;
};

struct index_entry {
	uint64_t at;			/* where its block begins */
	struct block_head head;		/* a copy: it proves itself */
};

/* The part that is not written yet, or all that was read. */
struct index {
	struct index_head head;
	struct index_entry *entry;
	size_t room;
};

/* -ENOMEM */
int index_add(struct index *x, uint64_t at, const struct block_head *h);
/* The whole payload, valid until the next change; NULL: no memory. */
void *index_payload(const struct index *x, uint32_t *n);
/* It was written there: the next one begins. */
void index_written(struct index *x, uint64_t at);

/*
 * All blocks of a finished file from the index whose newest part begins at `last`:
 * true if they lie end to end up to `end`, so that nothing can be between them.
 */
bool index_read(struct index *x, struct input *in, const struct crc32c *crc,
		uint64_t file_id, uint64_t last, uint64_t end);
void index_free(struct index *x);

#endif
