// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * window.c - what lives used in a part of a recording. Counters are cumulative, so it is
 * the difference of two readings; where none falls on an edge, what was used between the
 * readings around it counts as used evenly. A life begins with nothing used: its birth is
 * a reading. Memory only.
 */
#include <errno.h>
#include <string.h>

#include "model.h"
#include "muldiv.h"
#include "since.h"

void ktally_model_window(struct ktally_model *m, const struct ktally_window *windows, size_t boots,
			 bool costs)
{
	m->windows = windows;
	m->n_windows = boots;
	m->window_costs = costs;
}

static const struct ktally_window *window_of(const struct ktally_model *m, const struct ktally_life *l)
{
	return l->boot < m->n_windows ? &m->windows[l->boot] : NULL;
}

bool ktally_model_within(const struct ktally_model *m, const struct ktally_life *l)
{
	const struct ktally_window *w = window_of(m, l);
	uint64_t end = l->state == KTALLY_RUNNING ? UINT64_MAX : l->end ? l->end : l->last_seen;

	return !w || (l->start <= w->until && end >= w->since);
}

/* Two readings and a time between them, or on either side. */
struct span_of {
	uint64_t from, to, at;
};

static uint64_t between(const struct span_of *s, uint64_t old, uint64_t new)
{
	if (s->at <= s->from || new <= old)
		return old;
	if (s->at >= s->to)
		return new;
	return old + mul_div(new - old, s->at - s->from, s->to - s->from);
}

static void mix(const struct span_of *s, uint64_t *to, const uint64_t *old, const uint64_t *new, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = between(s, old[i], new[i]);
}

/* Counters as they were at that time; what is no counter is the old reading's. */
static void use_at(const struct span_of *s, struct ktally_use *to, const struct ktally_use *old,
		   const struct ktally_use *new)
{
	const uint64_t *was = (const uint64_t *)&old->utime, *is = (const uint64_t *)&new->utime;
	uint64_t *at = (uint64_t *)&to->utime;

	*to = *old;
	for (unsigned int bit = 0; bit <= KTALLY_U_MAXRSS; bit++)
		if (use_is_counter(bit) && new->known >> bit & 1)
			mix(s, &at[bit], &was[bit], &is[bit], 1);
}

int window_use(struct ktally_model *m, struct life *l, const struct ktally_use *use, uint64_t time)
{
	const struct ktally_window *w = m->window_costs ? window_of(m, &l->pub) : NULL;
	struct span_of s = { .from = l->pub.use_time ? l->pub.use_time : l->pub.start, .to = time };
	struct ktally_use at;

	if (!w || l->use_out)
		return l->use_out;
	if (!l->use_in && time >= w->since) {
		s.at = w->since;
		use_at(&s, &at, &l->pub.use, use);
		at.known = use->known;
		l->base_use = arena_copy(&m->arena, &at, sizeof(at));
		if (!l->base_use)
			return -ENOMEM;
		l->use_in = true;
	}
	if (time <= w->until)
		return 0;
	s.at = w->until;
	use_at(&s, &at, &l->pub.use, use);
	/* Met for the first time after it: of states nothing is known, of counters their way up to here. */
	if (!l->pub.use_time)
		at.known = use->known;
	l->pub.use = at;
	l->use_out = true;
	return 1;
}

static int keep_traffic(struct ktally_model *m, const struct ktally_traffic **to,
			const struct ktally_traffic *t)
{
	*to = arena_copy(&m->arena, t, sizeof(*t));
	return *to ? 0 : -ENOMEM;
}

int window_traffic(struct ktally_model *m, struct life *l, const struct ktally_traffic *t, uint64_t time)
{
	static const struct ktally_traffic nothing;
	const struct ktally_window *w = m->window_costs ? window_of(m, &l->pub) : NULL;
	const struct ktally_traffic *old = l->pub.traffic ? l->pub.traffic : &nothing;
	struct span_of s = { .from = l->net_time ? l->net_time : l->pub.start, .to = time };
	struct ktally_traffic at = *t;

	if (!w || l->net_out)
		return l->net_out;
	if (!l->net_in && time >= w->since) {
		s.at = w->since;
		mix(&s, (uint64_t *)&at, (const uint64_t *)old, (const uint64_t *)t, TRAFFIC_COUNTERS);
		if (keep_traffic(m, (const struct ktally_traffic **)&l->base_traffic, &at))
			return -ENOMEM;
		l->net_in = true;
	}
	if (time <= w->until)
		return 0;
	s.at = w->until;
	mix(&s, (uint64_t *)&at, (const uint64_t *)old, (const uint64_t *)t, TRAFFIC_COUNTERS);
	if (!l->pub.traffic)
		l->pub.net_known = ~0ULL << KTALLY_U_NET;
	if (keep_traffic(m, &l->pub.traffic, &at))
		return -ENOMEM;
	l->net_out = true;
	return 1;
}

/* No reading behind its beginning: it used nothing in it that anybody saw. */
int window_settle(struct ktally_model *m, struct life *l)
{
	if (!m->window_costs || !window_of(m, &l->pub))
		return 0;
	if (!l->use_in) {
		l->base_use = arena_copy(&m->arena, &l->pub.use, sizeof(l->pub.use));
		if (!l->base_use)
			return -ENOMEM;
	}
	if (l->net_in || !l->pub.traffic)
		return 0;
	return keep_traffic(m, (const struct ktally_traffic **)&l->base_traffic, l->pub.traffic);
}
