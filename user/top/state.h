/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - what is going on in `ktally top`: cmd-top.c has its words, its clock
 * and its end, top/keys.c changes what is shown.
 */
#ifndef KTALLY_TOP_STATE_H
#define KTALLY_TOP_STATE_H

#include "interval.h"
#include "sel.h"
#include "top.h"
#include "watching.h"

enum { TOP_FOOT = 256, TOP_SHORTEST_NS = 100000000 };

struct top_args {
	int key;			/* of the program view */
	int sort;
	int color;
	bool batch, tree, groups, per_machine, io;
	int class;
	uint64_t limit;
	struct sel sel;
};

struct top {
	struct top_args *args;
	struct interval every;
	struct sel_match *match;
	struct watching view;
	struct top_view shown;
	struct top_rows rows;
	struct top_summary summary;
	int signals, events;		/* events: signals and keys */
	size_t first;
	char foot[TOP_FOOT], note[TOP_FOOT];
	bool stop, paused, typing, help, refresh, screen;
	uint64_t refreshes;
};

void top_press(struct top *t, int key);
/* Writes the view to a file in the current folder, and says so in the foot. */
void top_save(struct top *t);

#endif
