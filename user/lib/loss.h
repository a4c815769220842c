/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * loss.h - what one CPU of one session wanted to write against what came: attempts
 * are counted by the module in every sub-buffer header, records by the reader.
 */
#ifndef KTALLY_LOSS_H
#define KTALLY_LOSS_H

#include "ktally.h"

struct loss {
	bool begun;
	uint64_t base[KTALLY_KINDS];	/* attempts before the first sub-buffer that is ours */
	uint64_t counted[KTALLY_KINDS];	/* attempts as of the newest header */
	uint64_t since[KTALLY_KINDS];	/* records that came after it */
	uint64_t came[KTALLY_KINDS];	/* records that came in all */
	uint64_t filtered_base[KTALLY_KINDS];
	uint64_t filtered[KTALLY_KINDS];
	uint64_t threads_base, threads;
	uint64_t overwritten[KTALLY_KINDS];	/* flight: of base, what had been in the ring */
	uint64_t next_seq;
	uint64_t last_time;
};

/* First header of this CPU. continues: what was attempted before belongs to another file. */
void loss_header(struct loss *l, const struct ktally_header *h, bool continues);
/* Flight: what is missing before this header was overwritten, so it is not ours. Before loss_header(). */
void loss_overwritten(struct loss *l, const struct ktally_header *h);
/* Returns how many attempts are missing just before this record (or before a header: seq = its first_seq). */
uint64_t loss_jump(struct loss *l, uint64_t seq);
void loss_record(struct loss *l, uint32_t kind, uint64_t time);
/* Attempts known of, beyond base. */
uint64_t loss_attempts(const struct loss *l, unsigned int kind);

#endif
