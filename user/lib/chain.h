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

/* Up to the chosen end. 0 or -ENOMEM. */
int chain_make(struct chain *c, const struct boot *b);
void chain_free(struct chain *c);

#endif
