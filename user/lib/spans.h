/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spans.h - the most that processes which ended in an interval can have held at the
 * same time, from when each lived and its peak, in bounded memory.
 */
#ifndef KTALLY_SPANS_H
#define KTALLY_SPANS_H

#include <stdint.h>

#define SPANS_MOST	64

struct span {
	uint64_t from, to;		/* it lived from `from` until just before `to` */
	uint64_t peak;
	uint32_t count;			/* processes in it */
};

struct spans {
	unsigned int n;
	struct span at[SPANS_MOST];
};

void spans_add(struct spans *s, uint64_t from, uint64_t to, uint64_t peak);
/* Never less than the true sum; count: processes at that time. */
uint64_t spans_most(const struct spans *s, uint32_t *count);

#endif
