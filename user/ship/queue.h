/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.h - batches that wait for the server: each a file of the spool, or in memory
 * while the disk refuses and where there is no spool. Both are bounded; beyond that the
 * oldest go, and are counted.
 *
 * What is in the spool is what is sent, so a restart needs nothing but the names there.
 */
#ifndef KTALLY_SHIP_QUEUE_H
#define KTALLY_SHIP_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ship_batch {
	struct ship_batch *next;
	uint64_t number, rows;
	size_t n;
	unsigned char *bytes;		/* NULL: in its file */
};

struct ship_queue {
	const char *dir, *ending;	/* dir NULL: memory alone */
	int lock;
	struct ship_batch *first, *last;
	const struct ship_batch *held;	/* is being sent: stays */
	size_t batches;
	uint64_t rows, disk, memory;	/* that wait: rows, bytes */
	uint64_t cap;			/* bytes of the spool */
	uint64_t next, dropped;
	bool refuses;			/* the disk does, and it was said */
};

/* Takes what an earlier one left. ending: of the names of files, by what is in them. */
int ship_queue_open(struct ship_queue *q, const char *dir, const char *ending, uint64_t cap);
/* Takes bytes over. */
int ship_queue_add(struct ship_queue *q, unsigned char *bytes, size_t n, uint64_t rows);
/* What is in memory to the disk, if it takes it now. */
void ship_queue_write(struct ship_queue *q);
/* Its bytes, to be freed; NULL: they are gone, counted and told. */
unsigned char *ship_queue_read(struct ship_queue *q, const struct ship_batch *b);
void ship_queue_remove(struct ship_queue *q, struct ship_batch *b);
/* The first one behind all others. */
void ship_queue_turn(struct ship_queue *q);
/* Whether a source that can wait should. */
bool ship_queue_full(const struct ship_queue *q);
void ship_queue_close(struct ship_queue *q);

#endif
