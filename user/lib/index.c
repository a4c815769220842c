// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * index.c - makes and reads the index of a recording. What is read may be damaged or
 * hostile: heads prove themselves by checksum and file number, and they count only if
 * they cover the file without a hole. Never the only way to a block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "index.h"

/* ---- making ---- */

static int make_room(struct index *x, size_t n)
{
	size_t room = x->room ? x->room : INDEX_LEAST;
	struct index_entry *p;

	while (room < n)
		room *= 2;
	if (room == x->room)
		return 0;
	p = realloc(x->entry, room * sizeof(*p));
	if (!p)
		return -ENOMEM;
	x->entry = p;
	x->room = room;
	return 0;
}

int index_add(struct index *x, uint64_t at, const struct block_head *h)
{
	int ret = make_room(x, x->head.entries + 1);

	if (!ret)
		x->entry[x->head.entries++] = (struct index_entry){ .at = at, .head = *h };
	return ret;
}

void *index_payload(const struct index *x, uint32_t *n)
{
	size_t entries = x->head.entries * sizeof(*x->entry);
	char *p = malloc(sizeof(x->head) + entries);

	if (!p)
		return NULL;
	memcpy(mempcpy(p, &x->head, sizeof(x->head)), x->entry, entries);
	*n = (uint32_t)(sizeof(x->head) + entries);
	return p;
}

void index_written(struct index *x, uint64_t at)
{
	x->head.before = at;
	x->head.entries = 0;
}

void index_free(struct index *x)
{
	free(x->entry);
	memset(x, 0, sizeof(*x));
}

/* ---- reading ---- */

/* The payload of the index block at `at`, unpacked; NULL: it can't be used. */
static void *read_part(struct input *in, const struct crc32c *crc, uint64_t file_id,
		       uint64_t at, struct block_head *h)
{
	unsigned char *stored, *raw = NULL;

	if (input_read(in, at, h, sizeof(*h)) != (long)sizeof(*h) || !block_valid(h, crc, file_id) ||
	    h->type != BLOCK_INDEX || h->raw_length < sizeof(struct index_head))
		return NULL;
	stored = malloc(h->length + 1);
	if (!stored || input_read(in, at + sizeof(*h), stored, h->length) != (long)h->length ||
	    crc32c(crc, stored, h->length) != h->payload_crc)
		goto out;
	if (h->codec == CODEC_NONE)
		return stored;
	raw = malloc(h->raw_length);
	if (raw && !codec_unpack(h->codec, raw, h->raw_length, stored, h->length)) {
		free(raw);
		raw = NULL;
	}
out:
	free(stored);
	return raw;
}

/* Parts come newest first, each in its order: they are put in front. */
static bool take_part(struct index *x, const struct block_head *h, uint64_t at, const void *part,
		      uint64_t file_size)
{
	const struct index_head *head = part;
	size_t n = head->entries, had = x->head.entries;

	/* A block has a head: more entries than that have no room in the file. */
	if (n > (h->raw_length - sizeof(*head)) / sizeof(*x->entry) || head->before >= at ||
	    (had + n + 1) * sizeof(*h) > file_size || make_room(x, had + n + 1))
		return false;
	memmove(x->entry + n + 1, x->entry, had * sizeof(*x->entry));
	memcpy(x->entry, head + 1, n * sizeof(*x->entry));
	x->entry[n] = (struct index_entry){ .at = at, .head = *h };
	x->head.entries = had + n + 1;
	x->head.before = head->before;
	return true;
}

static bool covers(const struct index *x, const struct crc32c *crc, uint64_t file_id, uint64_t end)
{
	uint64_t at = sizeof(struct container_head);

	for (size_t i = 0; i < x->head.entries; i++) {
		const struct index_entry *e = &x->entry[i];

		if (e->at != at || !block_valid(&e->head, crc, file_id))
			return false;
		at += block_span(&e->head);
	}
	return at == end;
}

bool index_read(struct index *x, struct input *in, const struct crc32c *crc,
		uint64_t file_id, uint64_t last, uint64_t end)
{
	uint64_t at = last;

	do {
		struct block_head h;
		void *part = read_part(in, crc, file_id, at, &h);
		bool taken = part && take_part(x, &h, at, part, in->size);

		free(part);
		if (!taken)
			return false;
		at = x->head.before;
	} while (at);
	return covers(x, crc, file_id, end);
}
