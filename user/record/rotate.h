/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record/rotate.h - a recording without end in a bounded set of files.
 *
 * FILE.ktl is the one being written; finished ones stand beside it as
 * FILE-YYYYmmdd-HHMMSS.ktl, so that their names sort by time and a folder of them
 * is read in order.
 */
#ifndef KTALLY_ROTATE_H
#define KTALLY_ROTATE_H

#include "opt.h"

struct rotate {
	uint64_t files;		/* finished ones that are kept; 0 = all */
	uint64_t bytes;		/* of a file; 0 = only when a signal asks */
	struct opt_time after;	/* age of a file at which the next begins */
	struct opt_time keep;	/* age at which a finished one goes */
};

/* By size, age, or both. */
static inline bool rotate_asked(const struct rotate *r)
{
	return r->files || r->after.set || r->keep.set;
}

/* "24x64M" */
opt_set rotate_opt;

/* Gives path its dated name, which is copied to `to`: 0 or -errno. */
int rotate_move(const char *path, char *to, size_t n);
/* Removes the finished files beyond those that are kept, by number and by age. */
void rotate_prune(const struct rotate *r, const char *path);

#endif
