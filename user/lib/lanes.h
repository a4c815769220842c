/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lanes.h - where the bars of a chart of processes lie: each below its parent's, and
 * processes that were not there at the same time share a lane, so that a script of a
 * thousand commands takes two. Memory to memory.
 */
#ifndef KTALLY_LANES_H
#define KTALLY_LANES_H

#include "boot.h"

struct lane_bar {
	const struct ktally_life *life;
	struct lane_bar *parent;	/* NULL: on top */
	uint64_t from, to;
	uint32_t lane;
	uint32_t height;		/* lanes that it and what is below it take */
	uint64_t extent;		/* until when they are taken */
	uint32_t first, n;		/* children, see lanes.c */
};

struct lanes {
	struct lane_bar *bars;		/* parents before their children */
	size_t n;
	uint32_t lanes;
};

enum lanes_who { LANES_PROCESSES, LANES_KERNEL };

struct lanes_options {
	enum lanes_who who;
	uint64_t until;			/* bars end here at the latest; what begins later is left out */
	/* Until when a bar's lane is to be left free for its label, at least; NULL: its end. */
	uint64_t (*room)(const struct lane_bar *bar, void *arg);
	void *arg;
};

/* 0 or -ENOMEM. */
int lanes_make(struct lanes *l, const struct boot *b, const struct lanes_options *o);
void lanes_free(struct lanes *l);

#endif
