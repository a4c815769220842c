// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watch_spend.c - how much more a record says that a process has spent. Counters in
 * records are cumulative, so what a lost record would have told comes with the next.
 */
#include <string.h>

#include "watch.h"

#define USE_COUNTERS	(KTALLY_COST_PHYS - KTALLY_COST_NVCSW)
#define NET_COUNTERS	(KTALLY_COSTS - KTALLY_COST_PHYS)
#define NET_BITS	(~0ULL << KTALLY_U_NET)

_Static_assert(KTALLY_U_CANCELLED_WRITE_BYTES - KTALLY_U_NVCSW + 1 == USE_COUNTERS, "same order");
_Static_assert(offsetof(struct ktally_traffic, net_flags) == NET_COUNTERS * 8, "same order");

static uint64_t more(uint64_t *was, uint64_t is)
{
	uint64_t n = is > *was ? is - *was : 0;

	*was += n;
	return n;
}

/* As the kernel does for /proc: neither part ever falls, and together they are the runtime. */
static void split_cpu(uint64_t cpu[3], const struct ktally_use *u)
{
	bool exact = u->known >> KTALLY_U_RUNTIME & 1;
	uint64_t all = exact ? u->runtime : u->utime + u->stime;
	uint64_t sys = exact ? use_system(u) : u->stime;

	if (all < cpu[0])
		all = cpu[0];
	if (sys < cpu[2])
		sys = cpu[2];
	if (all - sys < cpu[1] || sys > all)
		sys = all - cpu[1];
	cpu[0] = all;
	cpu[1] = all - sys;
	cpu[2] = sys;
}

static void spend_cpu(struct ktally_watch *w, struct watched *p, const struct ktally_use *u, bool count)
{
	uint64_t cpu[3];

	if (!(u->known & (1ULL << KTALLY_U_RUNTIME | 1ULL << KTALLY_U_UTIME)))
		return;
	memcpy(cpu, p->cpu, sizeof(cpu));
	split_cpu(p->cpu, u);
	for (int i = 0; i < 3 && count; i++)
		if (p->cpu[i] != cpu[i])
			tally_spend(w, p, KTALLY_COST_CPU + i, p->cpu[i] - cpu[i]);
}

static void spend_use(struct ktally_watch *w, struct watched *p, const struct ktally_use *u, bool count)
{
	const uint64_t *is = (const uint64_t *)&u->nvcsw;
	uint64_t *was = (uint64_t *)&p->pub.life.use.nvcsw;

	for (int i = 0; i < USE_COUNTERS; i++) {
		uint64_t n = more(&was[i], is[i]);

		if (n && count)
			tally_spend(w, p, KTALLY_COST_NVCSW + i, n);
	}
}

static void spend_net(struct ktally_watch *w, struct watched *p, const void *traffic, bool count)
{
	const uint64_t *is = traffic;
	uint64_t *was = (uint64_t *)&p->traffic;

	if (!memcmp(was, is, NET_COUNTERS * 8))
		return;
	for (int i = 0; i < NET_COUNTERS; i++) {
		uint64_t n = more(&was[i], is[i]);

		if (n && count)
			tally_spend(w, p, KTALLY_COST_PHYS + i, n);
	}
}

static void take_state(struct watched *p, const struct ktally_use *u)
{
	struct ktally_use *to = &p->pub.life.use;

	to->known = u->known;
	to->upper = u->upper;
	to->utime = u->utime;
	to->stime = u->stime;
	to->runtime = u->runtime;
	to->run_delay = u->run_delay;
	to->rss = u->rss;
	to->peak_rss = u->peak_rss;
	to->vm = u->vm;
	to->peak_vm = u->peak_vm;
	to->swap = u->swap;
	to->maxrss = u->maxrss;
}

void spend(struct ktally_watch *w, struct watched *p, const void *use, const void *traffic, bool count)
{
	const struct ktally_use *u = use;

	spend_cpu(w, p, u, count);
	spend_use(w, p, u, count);
	take_state(p, u);
	p->known |= u->known;
	p->upper |= u->upper;
	p->dirty = true;
	if (!traffic || !(u->known & NET_BITS))
		return;
	spend_net(w, p, traffic, count);
	p->pub.life.traffic = &p->traffic;
	p->pub.life.net_known = u->known & NET_BITS;
	p->pub.life.net_upper = u->upper & NET_BITS;
}

void spend_traffic(struct ktally_watch *w, struct watched *p, const void *traffic)
{
	spend_net(w, p, traffic, true);
	p->dirty = true;
}
