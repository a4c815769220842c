/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select.h - SEL for a session: what of it the kernel can select while recording, in
 * the kernel's own words. The rest of SEL is for those who read the recording.
 */
#ifndef KTALLY_SELECT_H
#define KTALLY_SELECT_H

#include "lib/ktally.h"
#include "sel.h"

struct selection {
	struct ktally_select kernel;	/* what == 0: everything */
	char (*names)[KTALLY_NAME_MAX];
	uint64_t *cgroups;
};

/*
 * OPT_GO_ON, or the exit status after a message that names `command`. The PIDs and
 * users are those of match, which must outlive the selection.
 */
int selection_make(struct selection *s, const char *command, const struct sel *sel,
		   const struct sel_match *match);
void selection_free(struct selection *s);

#endif
