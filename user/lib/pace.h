/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pace.h - how busy the machine was over time, and when nothing happened.
 *
 * Records say what a program used in all, not when: each program's CPU time and bytes
 * are spread evenly over its run. So sums are exact and every slice is an estimate, the
 * better the shorter the programs are.
 */
#ifndef KTALLY_PACE_H
#define KTALLY_PACE_H

#include "boot.h"

enum pace_what { PACE_CPU, PACE_DELAY, PACE_READ, PACE_WRITE, PACE_ALIVE, PACE_KINDS };

struct pace_edge {
	uint64_t time;
	double rate[PACE_KINDS];	/* change, per ns */
};

struct pace {
	struct pace_edge *edges;	/* by time */
	size_t n;
};

/* A place that only moves forward. */
struct pace_cursor {
	const struct pace *pace;
	size_t next;
	uint64_t time;
	double rate[PACE_KINDS];
};

/* Kernel threads are in it: they use CPUs, too. 0 or -ENOMEM. */
int pace_make(struct pace *p, const struct boot *b);
void pace_begin(struct pace_cursor *c, const struct pace *p);
/* Sums from the cursor's time to this one; of ALIVE the processes x ns. */
void pace_advance(struct pace_cursor *c, uint64_t to, double sum[PACE_KINDS]);
void pace_free(struct pace *p);

enum gap_end { GAP_FORK, GAP_EXEC, GAP_EXIT, GAP_OVER };

/* A stretch in which no process began, executed or ended, and CPUs were idle. */
struct gap {
	uint64_t from, to;
	double cpu;			/* CPU time within, estimated, ns */
	enum gap_end ended;		/* by what */
	const struct ktally_life *life;	/* whose; NULL for OVER */
};

struct gaps {
	struct gap *all;		/* in order of time */
	size_t n;
};

/* Between load and end: at least `least` ns long, with at most `share` of one CPU in use. */
int gaps_find(struct gaps *g, const struct boot *b, const struct pace *p, uint64_t least,
	      double share);
void gaps_free(struct gaps *g);

#endif
