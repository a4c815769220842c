/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * recording.h - one container: where its blocks are, what is known of its machine,
 * what is missing. Of files heads only are read; payloads are when their turn comes.
 */
#ifndef KTALLY_RECORDING_H
#define KTALLY_RECORDING_H

#include "container.h"
#include "error.h"
#include "input.h"
#include "ktally.h"

/* A block of records, not read yet. */
struct block {
	uint64_t at;			/* of its payload in the file */
	unsigned char *mem;		/* its payload, of what can't be read again; NULL: it is in the file */
	uint64_t first_seq, first_time, last_time, load_id;
	uint32_t length;		/* bytes there are: fewer than the head says when cut */
	uint32_t raw_length;		/* once unpacked */
	uint32_t records;		/* that the head promises */
	uint32_t payload_crc;
	uint32_t cpu, session;
	uint16_t codec;
	bool cut;
};

enum { RECORDING_NOTES = 8 };

/* Text that somebody put beside the records; name begins its memory. */
struct note {
	char *name;
	const char *text;
	size_t len;
};

struct recording {
	struct input in;
	const char *name;		/* for messages */
	uint64_t file_id;
	uint64_t at;			/* what comes next */
	struct block *blocks;		/* that were found, and not given away */
	size_t n_blocks, given, room;	/* n_blocks: found in all */
	size_t sources;			/* sessions that they are of */
	uint64_t settled;		/* by the last mark */
	unsigned char *packed;		/* of the block that is being read */
	size_t packed_room;
	char *descriptions;		/* NUL-ended texts */
	size_t descriptions_len;
	bool described;			/* they were given to a session */
	struct note notes[RECORDING_NOTES];
	size_t n_notes;
	char boot_id[40], host[65], release[65], machine[65], command[256];
	uint64_t boottime, realtime, root_tgid, root_start;
	uint64_t base[KTALLY_KINDS];
	bool continues, flight, has_machine;
	bool has_summary;
	struct block_summary summary;
	/* what is wrong with it */
	bool head_damaged;
	uint64_t cut_at;		/* 0 = whole */
	uint64_t behind;		/* bytes after the summary */
	uint64_t damaged_at;		/* first place */
	uint64_t damaged_places;
	uint64_t missing_blocks, missing_records;	/* known to be missing */
	uint64_t skipped_blocks;	/* of an unknown codec */
	uint16_t skipped_codec;
};

/* Takes over r->in, and looks at the head. 0, or -EINVAL, -EPROTO, ... with a line. */
int recording_open(struct recording *r, const struct crc32c *crc, struct error *e);
/* All blocks into r->blocks, those of a pipe with their payloads. -ENOMEM */
int recording_scan(struct recording *r, const struct crc32c *crc);
/* Or what comes next: *b with its payload if it is a pipe, or r->settled is news, or it is over; -ENOMEM. */
enum { RECORDING_END, RECORDING_BLOCK, RECORDING_MARK };
int recording_next(struct recording *r, const struct crc32c *crc, struct block *b);
/* Reads and checks a payload. Bytes, or -EBADMSG when it is damaged (booked here), -ENOMEM. */
long recording_read(struct recording *r, const struct block *b, const struct crc32c *crc,
		    unsigned char **buf, size_t *room);
void recording_damage(struct recording *r, uint64_t at, uint64_t blocks, uint64_t records);
void recording_close(struct recording *r);

#endif
