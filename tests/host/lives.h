/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lives.h - a recording with its opening and closing walk, and what happens in between. */
#ifndef KTALLY_TEST_LIVES_H
#define KTALLY_TEST_LIVES_H

#include "test.h"

#define BEGIN \
	"0.5 walk_begin walk=1 purpose=opening\n" \
	"0.5 task pid=1 start=0.001 image=1 comm=init argv=/sbin/init walk=1 runtime=5ms utime=5ms stime=0\n" \
	"0.5 walk_end walk=1 purpose=opening tasks=1\n"
#define CLOSE \
	"9.0 walk_begin walk=2 purpose=closing\n" \
	"9.0 task pid=1 walk=2 runtime=9ms utime=4ms stime=4ms\n" \
	"9.0 walk_end walk=2 purpose=closing tasks=1\n"

static inline void lives(struct reading *r, const char *middle)
{
	char *all;
	struct bytes b;

	if (asprintf(&all, "%s%s%s", BEGIN, middle, CLOSE) < 0)
		abort();
	b = record(all);
	free(all);
	read_bytes(r, b.p, b.n);
	free(b.p);		/* the stream has read all of it */
}

#endif
