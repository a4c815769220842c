/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * container.h - how a recording lies in its file: a head, then blocks. Memory to
 * memory; file.c writes it, recording.c reads it, docs/format.md tells it.
 *
 * A block can be recognised anywhere: its head carries a checksum of its own and
 * the file's random number, so neither damage nor bytes that a process put into
 * its arguments can be taken for one.
 */
#ifndef KTALLY_CONTAINER_H
#define KTALLY_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crc32c.h"

#define CONTAINER_VERSION	1
#define CONTAINER_ORDER		0x01020304U
#define CONTAINER_BLOCK_MAX	(64U << 20)	/* payload; a longer one is damage */
#define CONTAINER_TEXT_MAX	(1U << 20)	/* of machine, descriptions and notes */
#define CONTAINER_PACKED_MAX	(1U << 20)	/* decoded length of a packed payload */
#define CONTAINER_RATIO_MAX	1000		/* and by how much it may have shrunk */
#define CONTAINER_CPUS		8192U		/* no kernel has more; a higher number is damage */

/* Frozen for every version: a reader must be able to say why it refuses. */
struct container_head {
	unsigned char magic[8];
	uint32_t order;			/* CONTAINER_ORDER in the writer's byte order */
	uint16_t version;
	uint8_t word;			/* bits of a long */
	uint8_t zero;
	uint64_t file_id;		/* random; in every block */
	uint32_t crc;			/* of the 24 bytes before */
	uint32_t zero2;
};

enum block_type {
	BLOCK_MACHINE = 1,		/* NUL-ended key=value strings */
	BLOCK_DESCRIPTIONS = 2,		/* NUL-ended descriptions */
	BLOCK_RECORDS = 3,		/* one sub-buffer */
	BLOCK_SUMMARY = 4,		/* struct block_summary; last in a file that was finished */
	BLOCK_NOTE = 5,			/* a NUL-ended name and its text */
	BLOCK_INDEX = 6,		/* struct index_head and entries: heads of the blocks before */
	BLOCK_MARK = 7,			/* empty: no record behind it is older than the head's first_time */
};

enum block_codec {
	CODEC_NONE = 0,
	CODEC_ZSTD = 1,			/* one frame; records and indexes only */
};

struct block_head {
	uint32_t magic;
	uint32_t length;		/* of the payload as it lies here; padded to 8 with zeroes */
	uint32_t raw_length;		/* of the payload once decoded */
	uint16_t type;
	uint16_t codec;
	uint64_t file_id;
	uint64_t load_id;
	uint64_t first_seq;
	uint64_t first_time, last_time;
	uint32_t cpu;
	uint32_t session;
	uint32_t records;		/* the sub-buffer's header not counted */
	uint32_t payload_crc;
	uint32_t zero;
	uint32_t crc;			/* of the head before */
};

struct block_summary {
	uint64_t blocks;		/* of records */
	uint64_t records;
	uint64_t first_time, last_time;
	uint64_t not_written;		/* blocks that the disk refused */
	uint64_t index_at;		/* where the last index begins; 0 = none */
};

/* Without an index it ends before that. */
#define SUMMARY_LEAST	offsetof(struct block_summary, index_at)

enum container_verdict {
	CONTAINER_OK,
	CONTAINER_FOREIGN,		/* no recording at all */
	CONTAINER_DAMAGED,		/* was one */
	CONTAINER_ORDER_DIFFERS,
	CONTAINER_WORD_DIFFERS,
	CONTAINER_NEWER,
};

void container_head_make(struct container_head *h, const struct crc32c *crc, uint64_t file_id);
/* It begins as every recording does, whatever it is worth. */
bool container_head_ours(const struct container_head *h);
enum container_verdict container_head_check(const struct container_head *h, size_t n,
					    const struct crc32c *crc);

/* Fills in magic, length, raw_length of a payload without codec, and both checksums. */
void block_seal(struct block_head *h, const struct crc32c *crc, const void *payload, uint32_t n);
/* The same for a packed one: raw_length and codec are the caller's. */
void block_seal_packed(struct block_head *h, const struct crc32c *crc, const void *payload,
		       uint32_t n);
/* file_id 0 = any */
bool block_valid(const struct block_head *h, const struct crc32c *crc, uint64_t file_id);
/* Offset of the first block magic in buf, n if there is none. */
size_t block_search(const unsigned char *buf, size_t n);
static inline uint64_t block_span(const struct block_head *h)
{
	return sizeof(*h) + (((uint64_t)h->length + 7) & ~7ULL);
}

#endif
