/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * since.h - cumulative figures less what had come before: counters are subtracted,
 * what is a state (resident, peak) stays as it is.
 */
#ifndef KTALLY_SINCE_H
#define KTALLY_SINCE_H

#include "ktally.h"

/* Words of struct ktally_traffic that count. */
#define TRAFFIC_COUNTERS	(offsetof(struct ktally_traffic, net_flags) / sizeof(__u64))

bool use_is_counter(unsigned int bit);	/* enum ktally_usage */
/* Unknown before is unknown since. */
void use_since(struct ktally_use *use, const struct ktally_use *before);
void traffic_since(struct ktally_traffic *traffic, const struct ktally_traffic *before);
/* base grows by what came between last and next: nobody recorded it. */
void use_skip(struct ktally_use *base, const struct ktally_use *last, const struct ktally_use *next);
void traffic_skip(struct ktally_traffic *base, const struct ktally_traffic *last,
		  const struct ktally_traffic *next);
void counters_since(__u64 *v, const __u64 *before, size_t n);
void counters_skip(__u64 *base, const __u64 *last, const __u64 *next, size_t n);

#endif
