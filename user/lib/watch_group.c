// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watch_group.c - which group of a watch a process belongs to: asked when it is first
 * told of, and again when something changes that groups or selections look at.
 */
#include <errno.h>
#include <string.h>

#include "watch.h"

void watched_let_go(struct watched *p)
{
	struct tally *t = (struct tally *)p->pub.tally;

	if (!t)
		return;
	t->refs--;
	t->pub.process = NULL;
	p->pub.tally = NULL;
}

/* A group under parents needs the parent's name; the link is good only for that long. */
static struct tally *group_of(struct ktally_watch *w, struct watched *p, struct watched *parent)
{
	struct tally *t;

	p->pub.life.parent = parent ? &parent->pub.life : NULL;
	t = tally_of(w, p);
	p->pub.life.parent = NULL;
	return t;
}

int watched_settle(struct ktally_watch *w, struct watched *p, uint64_t time)
{
	struct watched *parent = watched_find(w, p->pub.life.ppid, p->pub.life.parent_start);
	struct tally *is = (struct tally *)p->pub.tally, *t = NULL;

	p->meant = !w->o.want || w->o.want(&p->pub.life, w->o.arg);
	if (p->meant || (p->under && !w->o.heads)) {
		t = group_of(w, p, parent);
		if (!t)
			return -ENOMEM;
	} else if (p->under) {
		t = is ? is : parent ? (struct tally *)parent->pub.tally : NULL;
	}
	/* What it executes later is still what the one that was meant has started. */
	p->under |= w->o.tree && p->meant;
	if (t == is)
		return 0;
	if (is) {
		tally_leave(w, p, time);
		watched_let_go(p);
	}
	if (t)
		tally_enter(w, p, t, time);
	return 0;
}

/* What it spent before the watch began, if that was asked for. */
static uint64_t spent_before(const struct ktally_watch *w, const struct watched *p, int place,
			     uint64_t load_id)
{
	const uint64_t *use = (const uint64_t *)&p->pub.life.use.nvcsw;
	const uint64_t *net = (const uint64_t *)&p->traffic;

	if (p->whole || w->o.since == KTALLY_SINCE_START)
		return 0;
	if (place >= KTALLY_COST_PHYS)
		return net[place - KTALLY_COST_PHYS];
	if (w->o.since == KTALLY_SINCE_LOAD && p->pub.life.start < load_id)
		return 0;
	return place < KTALLY_COST_NVCSW ? p->cpu[place] : use[place - KTALLY_COST_NVCSW];
}

/* What was known of it before it was known where it belongs. */
static void count_so_far(struct ktally_watch *w, struct watched *p, uint64_t load_id)
{
	struct tally *t = (struct tally *)p->pub.tally;

	for (int i = 0; t && i < KTALLY_COSTS; i++) {
		uint64_t n = p->pub.interval.of[i], before = spent_before(w, p, i, load_id);

		p->pub.interval.of[i] = 0;
		if (n)
			tally_spend(w, p, i, n);
		t->pub.before.of[i] += before;
		w->all.pub.before.of[i] += before;
	}
}

int watched_join(struct ktally_watch *w, struct watched *p, uint64_t load_id)
{
	struct watched *parent = watched_find(w, p->pub.life.ppid, p->pub.life.parent_start);
	int err = 0;

	if (!p->fresh)
		return 0;
	p->fresh = false;
	w->fresh--;
	/* Older than its child, so this ends whatever the records say. */
	if (parent && parent->fresh && parent->pub.life.start < p->pub.life.start)
		err = watched_join(w, parent, load_id);
	p->under = w->o.tree && parent && parent->pub.tally;
	if (!err)
		err = watched_settle(w, p, p->pub.life.start > w->begin ? p->pub.life.start : w->begin);
	if (!err)
		count_so_far(w, p, load_id);
	return err;
}
