/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stream.h - the state of a stream, for stream.c that gives the records and warning.c
 * that tells what is missing.
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
	uint64_t settled;		/* push: everything before is here */
	struct ktally_gap *gaps;
	size_t n_gaps, gaps_room;
	uint64_t contradictions;	/* descriptions that differ within a session */
	struct ktally_stream_info info;
};

#endif
