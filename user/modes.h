/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modes.h - options that go with some modes of a command only: a table says which, so
 * that none is ignored silently. Of options that were typed; a file of settings speaks of
 * every mode.
 */
#ifndef KTALLY_MODES_H
#define KTALLY_MODES_H

#include "opt.h"

#define MODE(i)		(1U << (i))

struct modes_row {
	const char *options;		/* long names, parted by blanks */
	unsigned int with;		/* bits of the modes that they go with */
};

struct modes {
	const char *const *names;	/* as people would type them; NULL-ended */
	const struct modes_row *rows;
	size_t n;
};

#define MODES(words, table)						\
	{ .names = (words), .rows = (table), .n = sizeof(table) / sizeof((table)[0]) }

/* mode: place of the one that is meant in names. OPT_GO_ON, or the exit status after a message. */
int modes_check(const struct modes *m, int mode, const struct cmd *cmd, const struct opt_rest *rest);

#endif
