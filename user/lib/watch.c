// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watch.c - records of a live session to figures by interval: takes each record to
 * the process it is about, and cuts intervals. Memory only; nothing is kept of what
 * has ended and been shown, but the sums.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define MOST_TALLIES	4096
#define MOST_ENDED	8192

int list_add(struct list *l, void *p)
{
	size_t room = l->room ? 2 * l->room : 64;
	void **at = l->at;

	if (l->n == l->room) {
		at = realloc(l->at, room * sizeof(*at));
		if (!at)
			return -ENOMEM;
		l->at = at;
		l->room = room;
	}
	at[l->n++] = p;
	return 0;
}

struct ktally_watch *ktally_watch_open(const struct ktally_watch_options *o)
{
	struct ktally_watch *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->o = *o;
	w->o.ctx->watch = w;
	if (!w->o.most_tallies)
		w->o.most_tallies = MOST_TALLIES;
	if (!w->o.most_ended)
		w->o.most_ended = MOST_ENDED;
	w->bytes = sizeof(*w);
	return w;
}

static void free_processes(struct ktally_watch *w)
{
	for (size_t i = 0; i < w->list.n; i++)
		watched_free(w, w->list.at[i]);
	for (size_t i = 0; w->late && i < LATE_MOST; i++)
		if (w->late[i])
			watched_free(w, w->late[i]);
	free(w->list.at);
	free(w->late);
	hash_free(&w->processes);
}

void ktally_watch_close(struct ktally_watch *w)
{
	if (!w)
		return;
	free_processes(w);
	tally_free_all(w);
	cgroup_free_all(w);
	free(w->all.ended);
	free(w);
}

/* ---- intervals ---- */

static void forget_ended(struct ktally_watch *w)
{
	size_t i = 0;

	while (i < w->list.n) {
		struct watched *p = w->list.at[i];

		if (p->pub.ended) {
			watched_forget(w, p);
			continue;
		}
		watched_next(p);
		i++;
	}
	w->ended = 0;
}

static void next_interval(struct ktally_watch *w)
{
	w->shown = false;
	w->interval.begin = w->interval.end;
	w->interval.number++;
	w->interval.ended_unlisted = 0;
	forget_ended(w);
	tally_next(w);
}

static int ask_about_fresh(struct ktally_watch *w)
{
	for (size_t i = 0; i < w->list.n && w->fresh; i++) {
		int err = watched_join(w, w->list.at[i], w->load_id);

		if (err)
			return err;
	}
	return 0;
}

/* Whom a whole walk did not meet, though it was there before. */
static void find_lost(struct ktally_watch *w, uint64_t time)
{
	size_t i = 0;

	while (i < w->list.n) {
		struct watched *p = w->list.at[i];
		size_t n = w->list.n;

		if (!p->pub.ended && p->walk != w->walk && p->pub.life.start < w->walk_begin)
			watched_lost(w, p, time);
		/* Beyond the limit of those listed it is not there any more. */
		i += w->list.n == n;
	}
}

static void begin(struct ktally_watch *w, uint64_t time)
{
	w->begun = true;
	w->interval.begin = time;
	w->interval.number = 1;
	w->all.pub.begun = 0;
	for (size_t i = 0; i < w->tally_list.n; i++)
		((struct tally *)w->tally_list.at[i])->pub.begun = 0;
}

int ktally_watch_cut(struct ktally_watch *w, uint64_t time, bool whole)
{
	int err;

	if (w->shown)
		next_interval(w);
	err = ask_about_fresh(w);
	if (err)
		return err;
	if (!w->begun) {
		begin(w, time);
		return 0;
	}
	if (whole && w->walk_whole)
		find_lost(w, time);
	w->interval.end = time;
	for (size_t i = 0; i < w->list.n; i++) {
		struct watched *p = w->list.at[i];

		if (p->dirty)
			watched_cut(w, p);
	}
	tally_cut(w);
	w->shown = true;
	return 0;
}

/* ---- records ---- */

static int walk_begun(struct ktally_watch *w, const struct ktally_event *ev)
{
	w->walk = ev->u.walk_begin.walk;
	w->walk_begin = ev->time;
	w->walk_whole = false;
	return 0;
}

static int walk_ended(struct ktally_watch *w, const struct ktally_event *ev)
{
	w->walk_whole = ev->u.walk_end.walk == w->walk && !ev->u.walk_end.lost;
	return ask_about_fresh(w);
}

static int (*const feed[KTALLY_KINDS])(struct ktally_watch *, const struct ktally_event *) = {
	[KTALLY_FORK]		= watched_fork,
	[KTALLY_EXEC]		= watched_exec,
	[KTALLY_EXIT]		= watched_exit,
	[KTALLY_TASK]		= watched_task,
	[KTALLY_NET_LATE]	= watched_late,
	[KTALLY_CGROUP]		= cgroup_take,
	[KTALLY_WALK_BEGIN]	= walk_begun,
	[KTALLY_WALK_END]	= walk_ended,
};

int ktally_watch_feed(struct ktally_watch *w, const struct ktally_event *ev)
{
	if (!ev->decoded || ev->kind >= KTALLY_KINDS || !feed[ev->kind])
		return 0;
	if (!w->begin)
		w->begin = ev->time;
	w->load_id = ev->load_id;
	if (w->shown)
		next_interval(w);
	return feed[ev->kind](w, ev);
}

/* ---- what others ask ---- */

const struct ktally_interval *ktally_watch_interval(const struct ktally_watch *w)
{
	return &w->interval;
}

size_t ktally_watch_tallies(const struct ktally_watch *w, struct ktally_tally *const **tallies)
{
	*tallies = (struct ktally_tally *const *)w->tally_list.at;
	return w->tally_list.n;
}

const struct ktally_tally *ktally_watch_total(const struct ktally_watch *w)
{
	return &w->all.pub;
}

size_t ktally_watch_processes(const struct ktally_watch *w, struct ktally_watched *const **processes)
{
	_Static_assert(offsetof(struct watched, pub) == 0, "it begins with its public part");
	*processes = (struct ktally_watched *const *)w->list.at;
	return w->list.n;
}

struct ktally_watched *ktally_watch_find(const struct ktally_watch *w, uint32_t tgid, uint64_t start)
{
	struct watched *p = watched_find(w, tgid, start);

	return p && p->at != SIZE_MAX ? &p->pub : NULL;
}

struct ktally_watched *ktally_watch_pid(const struct ktally_watch *w, uint32_t tgid)
{
	for (size_t i = 0; i < w->list.n; i++) {
		struct watched *p = w->list.at[i];

		if (p->pub.life.tgid == tgid && !p->pub.ended)
			return &p->pub;
	}
	return NULL;
}

size_t ktally_watch_bytes(const struct ktally_watch *w)
{
	return w->bytes + (w->list.room + w->tally_list.room) * sizeof(void *) +
	       (w->processes.room + w->tallies.room + w->cgroups.room) * sizeof(void *) +
	       (w->late ? LATE_MOST : 0) * sizeof(void *) + (w->gone ? GONE_MOST : 0) * sizeof(void *);
}
