// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * container.c - heads of a recording's file and blocks: made, checked, searched.
 * Memory to memory; whatever is checked here may be damaged or hostile.
 */
#include <string.h>

#include "container.h"

#define BLOCK_MAGIC	0x4b4c424bU	/* "KBLK" */

/* Like PNG's: a high bit and a newline, so that a mangled transfer shows. */
static const unsigned char file_magic[8] = { 0x8a, 'K', 'T', 'A', 'L', 'L', 'Y', '\n' };

#define HEAD_SUMMED	offsetof(struct container_head, crc)
#define BLOCK_SUMMED	offsetof(struct block_head, crc)

_Static_assert(sizeof(struct container_head) == 32, "frozen");
_Static_assert(sizeof(struct block_head) == 80, "frozen in version 1");

void container_head_make(struct container_head *h, const struct crc32c *crc, uint64_t file_id)
{
	memset(h, 0, sizeof(*h));
	memcpy(h->magic, file_magic, sizeof(file_magic));
	h->order = CONTAINER_ORDER;
	h->version = CONTAINER_VERSION;
	h->word = 8 * sizeof(long);
	h->file_id = file_id;
	h->crc = crc32c(crc, h, HEAD_SUMMED);
}

bool container_head_ours(const struct container_head *h)
{
	return !memcmp(h->magic, file_magic, sizeof(file_magic));
}

enum container_verdict container_head_check(const struct container_head *h, size_t n,
					    const struct crc32c *crc)
{
	bool swapped;
	uint32_t sum;

	if (memcmp(h->magic, file_magic, n < sizeof(file_magic) ? n : sizeof(file_magic)) || !n)
		return CONTAINER_FOREIGN;
	if (n < sizeof(*h))
		return CONTAINER_DAMAGED;
	swapped = h->order == __builtin_bswap32(CONTAINER_ORDER);
	sum = crc32c(crc, h, HEAD_SUMMED);
	if (sum != (swapped ? __builtin_bswap32(h->crc) : h->crc))
		return CONTAINER_DAMAGED;
	if (swapped)
		return CONTAINER_ORDER_DIFFERS;
	if (h->version > CONTAINER_VERSION)
		return CONTAINER_NEWER;
	if (h->word != 8 * sizeof(long))
		return CONTAINER_WORD_DIFFERS;
	return CONTAINER_OK;
}

void block_seal(struct block_head *h, const struct crc32c *crc, const void *payload, uint32_t n)
{
	h->codec = CODEC_NONE;
	h->raw_length = n;
	block_seal_packed(h, crc, payload, n);
}

void block_seal_packed(struct block_head *h, const struct crc32c *crc, const void *payload,
		       uint32_t n)
{
	h->magic = BLOCK_MAGIC;
	h->length = n;
	h->payload_crc = crc32c(crc, payload, n);
	h->crc = crc32c(crc, h, BLOCK_SUMMED);
}

/* What a packed payload takes in memory is bounded by what it takes in the file. */
static bool lengths_agree(const struct block_head *h)
{
	if (h->codec != CODEC_ZSTD)
		return h->length <= CONTAINER_BLOCK_MAX;
	return h->raw_length <= CONTAINER_PACKED_MAX && h->length < h->raw_length &&
	       h->raw_length <= (uint64_t)h->length * CONTAINER_RATIO_MAX;
}

bool block_valid(const struct block_head *h, const struct crc32c *crc, uint64_t file_id)
{
	return h->magic == BLOCK_MAGIC && lengths_agree(h) && h->cpu < CONTAINER_CPUS &&
	       (!file_id || h->file_id == file_id) && h->crc == crc32c(crc, h, BLOCK_SUMMED);
}

size_t block_search(const unsigned char *buf, size_t n)
{
	const uint32_t magic = BLOCK_MAGIC;
	const unsigned char *p = memmem(buf, n, &magic, sizeof(magic));

	return p ? (size_t)(p - buf) : n;
}
