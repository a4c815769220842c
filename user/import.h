/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h - what the formats of `ktally import` share: the recording they write.
 *
 * A format reads its source, begins the recording, adds records in order of time and
 * finishes it. Functions say what went wrong and return OPT_GO_ON or an exit status.
 */
#ifndef KTALLY_IMPORT_H
#define KTALLY_IMPORT_H

#include "lib/ktally.h"
#include "opt.h"

#define IMPORT_BEGIN	1000000000ULL	/* BOOTTIME at which an imported recording begins */
#define IMPORT_ARGV	2048		/* bytes of a command that fit into its record */

struct import {
	const char *path;		/* the recording */
	const char *source;
	bool force;
	struct ktally_file *file;
	struct ktally_composer *composer;
	uint64_t last;			/* time of the last record */
};

/* real: REALTIME - BOOTTIME of the recording, ns. */
int import_begin(struct import *im, int64_t real);
int import_leave_out(struct import *im, uint32_t kind, const char *field);
int import_add(struct import *im, uint32_t kind, uint64_t time, const void *fixed,
	       const struct ktally_str *strings);
/* whole: the end of every life is known. */
int import_finish(struct import *im, bool whole);

/* The formats. */
int import_ash_scores(struct import *im, const char *dir);

#endif
