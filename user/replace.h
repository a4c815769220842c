/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replace.h - a file that takes an earlier one's place when it is whole, or not at all.
 *
 * Only a regular file is replaced: a device, fifo or socket of that name would be gone
 * for everybody. Of a symbolic link it is what the link leads to, unless somebody else
 * than root or the user made it.
 *
 * Functions return an exit status, with everything said, or OPT_GO_ON.
 */
#ifndef KTALLY_REPLACE_H
#define KTALLY_REPLACE_H

struct replace {
	const char *name;	/* as the user gave it */
	char *path;
	char *part;		/* write this; no other process does */
};

/* Fails, with nothing to end, if path may not be replaced; a folder that is new is fine. */
int replace_begin(struct replace *r, const char *path);
/* After r->part is whole (status OPT_GO_ON) or given up. */
int replace_end(struct replace *r, int status);

#endif
