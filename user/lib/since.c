// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * since.c - cumulative figures of a stretch (since.h). A counter never runs backwards;
 * where one does, its beginning is unknown and nothing is taken from it. Memory only.
 */
#include "since.h"

bool use_is_counter(unsigned int bit)
{
	return bit != KTALLY_U_RSS && bit != KTALLY_U_PEAK_RSS && bit != KTALLY_U_VM &&
	       bit != KTALLY_U_PEAK_VM && bit != KTALLY_U_SWAP && bit != KTALLY_U_MAXRSS;
}

void counters_since(__u64 *v, const __u64 *before, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = v[i] > before[i] ? v[i] - before[i] : 0;
}

void counters_skip(__u64 *base, const __u64 *last, const __u64 *next, size_t n)
{
	for (size_t i = 0; i < n; i++)
		base[i] += next[i] > last[i] ? next[i] - last[i] : 0;
}

/* Counters follow `upper` in the order of enum ktally_usage. */
void use_since(struct ktally_use *use, const struct ktally_use *before)
{
	for (unsigned int bit = 0; bit <= KTALLY_U_MAXRSS; bit++) {
		if (!use_is_counter(bit))
			continue;
		counters_since(&use->utime + bit, &before->utime + bit, 1);
		if (!(before->known >> bit & 1))
			use->known &= ~(1ULL << bit);
	}
}

void use_skip(struct ktally_use *base, const struct ktally_use *last, const struct ktally_use *next)
{
	base->known &= last->known & next->known;
	counters_skip(&base->utime, &last->utime, &next->utime, KTALLY_U_MAXRSS + 1);
}

void traffic_since(struct ktally_traffic *traffic, const struct ktally_traffic *before)
{
	counters_since(traffic->net_phys, before->net_phys, TRAFFIC_COUNTERS);
}

void traffic_skip(struct ktally_traffic *base, const struct ktally_traffic *last,
		  const struct ktally_traffic *next)
{
	counters_skip(base->net_phys, last->net_phys, next->net_phys, TRAFFIC_COUNTERS);
}
