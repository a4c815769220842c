/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups.h - the module's totals by one key, as a source of metrics: so many
 * groups at most, and those beyond as one.
 */
#ifndef KTALLY_METRICS_GROUPS_H
#define KTALLY_METRICS_GROUPS_H

#include "metrics.h"
#include "totals.h"

enum metrics_key { BY_PROGRAM, BY_USER, BY_CGROUP, BY_UNIT, BY_CONTAINER, METRICS_KEYS };
extern const char *const metrics_key_names[METRICS_KEYS];

/* Who has series of its own keeps them as long as this lives. */
struct metrics_groups {
	enum metrics_key key;
	size_t most;
	char **names;
	size_t n;
};

/* OPT_GO_ON, or the exit status after a message. */
int metrics_groups_put(struct metrics_groups *g, const struct metrics_out *o,
		       const struct metrics_families *families, const struct totals_now *now);
void metrics_groups_free(struct metrics_groups *g);

#endif
