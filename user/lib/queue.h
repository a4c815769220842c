/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * queue.h - the records of one CPU of one session, block by block in sequence, and
 * the heap that puts many queues into one order of time.
 */
#ifndef KTALLY_QUEUE_H
#define KTALLY_QUEUE_H

#include "loss.h"
#include "recording.h"
#include "wire.h"

/* A session of one load of the module on one boot. */
struct source {
	uint64_t load_id;
	uint32_t session, boot, order;	/* order: among all sources */
	const char *name;		/* of a file, for messages */
	struct ktally_wire *wire;
	bool flight;			/* what is missing before a sub-buffer was overwritten */
	bool continues;			/* nothing before its first sub-buffers is ours */
	uint64_t base[KTALLY_KINDS];	/* if so: attempts of the whole session before */
	bool has_base;
	bool ended;
	struct ktally_end end;
	bool end_has_ends;		/* an older module's has not */
	uint64_t first_time, last_time;
	struct queue **queues;		/* by CPU; NULL: none yet */
	size_t n_queues;
};

struct slot {
	struct block block;
	struct recording *rec;		/* NULL: pushed, and block.mem the sub-buffer */
};

struct queue {
	struct source *source;
	uint32_t cpu;
	struct slot *slots;
	size_t n, room, next;		/* next: the first one not loaded */
	uint64_t newest_seq;		/* of the one that was added last */
	struct slot loaded_slot;
	unsigned char *buf;		/* of the loaded block */
	size_t buf_room;
	struct ktally_cursor cursor;
	bool loaded, in_heap;
	bool damaged;			/* a block of it could not be read since the last record */
	uint64_t time;			/* of its next record: the heap's key */
	uint32_t given;			/* records of the loaded block that were given */
	struct loss loss;
};

struct heap {
	struct queue **q;
	size_t n, room;
};

int queue_add(struct queue *q, const struct slot *s);
void queue_sort(struct queue *q);		/* by sequence; what is there twice once */
bool queue_peek(struct queue *q);		/* sets time; false: nothing more */
/* Reads the next block. 1 loaded, 0 it can't be used (booked), -ENOMEM. */
int queue_load(struct queue *q, const struct crc32c *crc);
/* What the loaded block promised and did not hold. */
void queue_give_up_block(struct queue *q);
void queue_free(struct queue *q);

int heap_push(struct heap *h, struct queue *q);
void heap_sink(struct heap *h);			/* the top's time has grown */
void heap_pop(struct heap *h);

#endif
