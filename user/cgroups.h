/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - the paths that the numbers of cgroups have now, from the mounted
 * hierarchy. For commands without a recording, which would carry them.
 */
#ifndef KTALLY_CGROUPS_H
#define KTALLY_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

struct cgroups {
	struct cgroups_path {
		uint64_t id;
		char *path;
	} *at;
	size_t n, room;
};

/* All there are; none where no hierarchy is mounted. -ENOMEM is the only failure. */
int cgroups_read(struct cgroups *c);
/* NULL: there is none (any more). */
const char *cgroups_path(const struct cgroups *c, uint64_t id);
void cgroups_free(struct cgroups *c);

#endif
