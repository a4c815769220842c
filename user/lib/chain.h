/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chain.h - what the end of a boot waited for: the stretches of time, one after the
 * other without a hole, in which the one process or unit ran that the next thing had
 * to wait for. Their lengths add up to the time from the kernel's start to the end.
 */
#ifndef KTALLY_CHAIN_H
#define KTALLY_CHAIN_H

#include "boot.h"

enum chain_kind {
	CHAIN_KERNEL,		/* before the module's load: nothing was seen */
	CHAIN_PROCESS,		/* this process itself: no child of it was waited for */
	CHAIN_UNIT,		/* systemd, on the way to this unit */
};

struct chain_link {
	enum chain_kind kind;
	const struct ktally_life *life;	/* PROCESS */
	const struct unit *unit;	/* UNIT; PROCESS: the unit it made ready, or NULL */
	uint64_t from, to;
};

struct chain {
	struct chain_link *links;	/* in order of time */
	size_t n, room;
};

/* One link, or neighbours that are each too short, under their nearest common ancestor. */
struct chain_row {
	const struct chain_link *link;	/* the first */
	const struct ktally_life *life;
	uint64_t from, to;
	size_t links;
};

/* Joins what is shorter than `least`; rows has room for c->n. How many there are. */
size_t chain_fold(const struct chain *c, uint64_t least, struct chain_row *rows);
/* Up to the chosen end. 0 or -ENOMEM. */
int chain_make(struct chain *c, const struct boot *b);
void chain_free(struct chain *c);

#endif
