/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stream.h - the state of a stream, for opening.c that finds the recordings, stream.c
 * that gives the records, sums.c that adds up and warning.c that tells what is missing.
 */
#ifndef KTALLY_STREAM_H
#define KTALLY_STREAM_H

#include "error.h"
#include "queue.h"

struct ktally_stream {
	struct error error, line;
	struct crc32c crc;
	struct recording **recs;
	size_t n_recs;
	struct source **sources;
	size_t n_sources;
	struct queue **queues;
	size_t n_queues;
	struct heap heap;
	struct queue *last;		/* gave the newest record */
	struct queue *retired;		/* has no more: its buffer goes at the next call */
	bool push;
	struct recording *piped;	/* more of it comes */
	uint64_t settled;		/* push and piped: everything before is here */
	struct ktally_gap *gaps;
	size_t n_gaps, gaps_room;
	uint64_t contradictions;	/* descriptions that differ within a session */
	struct ktally_stream_info info;
};

/* source.c */
int stream_no_memory(struct ktally_stream *s);	/* -ENOMEM, and the line that says so */
void *stream_grown(void *array, size_t n);	/* room for one more pointer; NULL: no memory */
/* Made if it is not there; NULL: no memory. */
struct source *stream_source(struct ktally_stream *s, uint32_t boot, uint64_t load_id,
			     uint32_t session);
struct queue *stream_queue(struct ktally_stream *s, struct source *src, uint32_t cpu);
/* Its queue has something, and so a place in the order. 0 or -ENOMEM. */
int stream_enter(struct ktally_stream *s, struct queue *q);
/* Takes b->mem over. 0, also of one that can't be used, or -ENOMEM. */
int stream_add_block(struct ktally_stream *s, struct recording *r, uint32_t boot, const struct block *b);
int stream_describe(struct ktally_stream *s, struct source *src, struct recording *r);

/* opening.c: of the pipe all up to the next mark, or to its end. 0 or -ENOMEM */
int stream_take(struct ktally_stream *s);

#endif
