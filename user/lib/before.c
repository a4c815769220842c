// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * before.c - what a life had used before the recording met it, and while nobody
 * recorded: the task records of opening walks say it. A recording's figures are those
 * of the recording. Memory only.
 */
#include <errno.h>
#include <string.h>

#include "model.h"
#include "since.h"

/* Threads that ended while recording are in the newer sums, so they belong into this one. */
static struct ktally_use use_now(const struct life *l, const struct ktally_task *t)
{
	struct ktally_use use;

	memcpy(&use, &t->known, sizeof(use));
	use.run_delay += l->pub.delay_threads;
	return use;
}

static struct ktally_traffic traffic_now(const struct ktally_task *t)
{
	struct ktally_traffic traffic;

	memcpy(&traffic, t->net_phys, sizeof(traffic));
	return traffic;
}

/* The first opening walk that met it: all of it came before. */
static int begin(struct ktally_model *m, struct life *l, const struct ktally_task *t)
{
	struct ktally_use use = use_now(l, t);
	struct ktally_traffic traffic = traffic_now(t);

	l->base_use = arena_copy(&m->arena, &use, sizeof(use));
	if (t->known >> KTALLY_U_NET)
		l->base_traffic = arena_copy(&m->arena, &traffic, sizeof(traffic));
	return l->base_use && (l->base_traffic || !(t->known >> KTALLY_U_NET)) ? 0 : -ENOMEM;
}

/* A life that was forked while recording had used nothing before. */
static int begin_at_birth(struct ktally_model *m, struct life *l)
{
	if (!l->base_use) {
		l->base_use = arena_alloc(&m->arena, sizeof(*l->base_use));
		if (l->base_use)
			l->base_use->known = ~0ULL;
	}
	if (!l->base_traffic)
		l->base_traffic = arena_alloc(&m->arena, sizeof(*l->base_traffic));
	return l->base_use && l->base_traffic ? 0 : -ENOMEM;
}

/* Met again by another recording: what came since the newest record is in neither. */
static int go_on(struct ktally_model *m, struct life *l, const struct ktally_task *t)
{
	struct ktally_use use = use_now(l, t);
	struct ktally_traffic traffic = traffic_now(t);

	if (l->pub.saw_fork && begin_at_birth(m, l))
		return -ENOMEM;
	/* Behind the end of a window its figures stand. */
	if (l->base_use && !l->use_out)
		use_skip(l->base_use, &l->pub.use, &use);
	if (l->base_traffic && !l->net_out && l->pub.traffic && t->known >> KTALLY_U_NET)
		traffic_skip(l->base_traffic, l->pub.traffic, &traffic);
	return 0;
}

int before_met(struct ktally_model *m, struct life *l, const struct ktally_task *t)
{
	const struct session *s = &m->sessions[m->session];
	uint32_t met = l->met;

	if (t->walk != s->opening || met == m->session + 1)
		return 0;
	l->met = m->session + 1;
	if (l->pub.use_time && l->first != m->session)
		return go_on(m, l, t);
	return met || l->pub.saw_fork || l->pub.start >= s->begin ? 0 : begin(m, l, t);
}

/* ---- what others ask ---- */

#define COUNTERS	((2ULL << KTALLY_U_MAXRSS) - 1)

static uint64_t counter_bits(void)
{
	uint64_t bits = COUNTERS;

	for (unsigned int bit = 0; bit <= KTALLY_U_MAXRSS; bit++)
		if (!use_is_counter(bit))
			bits &= ~(1ULL << bit);
	return bits;
}

void ktally_life_use(const struct ktally_life *l, struct ktally_use *out)
{
	*out = l->use;
	if (l->use_before)
		use_since(out, l->use_before);
	else if (l->older)
		out->upper |= counter_bits();
}

bool ktally_life_traffic(const struct ktally_life *l, struct ktally_traffic *out, uint64_t *upper)
{
	if (!l->traffic)
		return false;
	*out = *l->traffic;
	*upper = l->net_upper;
	if (l->traffic_before)
		traffic_since(out, l->traffic_before);
	else if (l->older)
		*upper |= ~0ULL << KTALLY_U_NET;
	return true;
}
