// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watch_tally.c - the sums of groups: who is in, what was spent, what is held. Costs
 * are added to the process, its group and all of them as records come, so that a cut
 * looks only at what has figures of the interval.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "watch.h"

/* ---- making and finding ---- */

static struct tally *pub_tally(const struct watched *p)
{
	_Static_assert(offsetof(struct tally, pub) == 0, "a tally begins with its public part");
	return (struct tally *)p->pub.tally;
}

static char *copy(const struct ktally_str *from, struct ktally_str *to)
{
	char *p = malloc(from->len + 1);

	if (!p)
		return NULL;
	if (from->len)
		memcpy(p, from->p, from->len);
	p[from->len] = '\0';
	*to = (struct ktally_str){ p, from->len };
	return p;
}

static size_t tally_bytes(const struct tally *t)
{
	return sizeof(*t) + t->key.len + t->pub.name.len + 2 + (t->ended ? sizeof(*t->ended) : 0);
}

static void tally_free(struct ktally_watch *w, struct tally *t)
{
	w->bytes -= tally_bytes(t);
	free((void *)t->key.p);
	free((void *)t->pub.name.p);
	free(t->ended);
	free(t);
}

static struct tally *new_tally(struct ktally_watch *w, const struct ktally_str *key,
			       const struct ktally_str *name, uint64_t hash)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	if ((key->p && !copy(key, &t->key)) || (name->p && !copy(name, &t->pub.name)))
		goto failed;
	t->at = w->tally_list.n;
	if (list_add(&w->tally_list, t))
		goto failed;
	if (hash_add(&w->tallies, hash, &t->link)) {
		w->tally_list.n--;
		goto failed;
	}
	w->bytes += tally_bytes(t);
	return t;
failed:
	free((void *)t->key.p);
	free((void *)t->pub.name.p);
	free(t);
	return NULL;
}

struct tally *tally_of(struct ktally_watch *w, const struct watched *p)
{
	struct hash_link *l = NULL;
	struct label lb;
	uint64_t hash;

	label_life(&lb, w->o.key, &p->pub.life, w->o.ctx);
	hash = label_hash(&lb);
	while ((l = hash_find(&w->tallies, hash, l))) {
		struct tally *t = hash_entry(l, struct tally, link);

		if (t != w->rest && label_is(&lb, &t->key))
			return t;
	}
	return new_tally(w, &lb.key, &lb.name, hash);
}

static void unlist(struct ktally_watch *w, struct tally *t)
{
	struct tally *last = w->tally_list.at[--w->tally_list.n];

	w->tally_list.at[t->at] = last;
	last->at = t->at;
	hash_remove(&w->tallies, &t->link);
}

/* ---- who is in ---- */

/* Its part of the group's memory becomes what it has now. */
void tally_hold(struct watched *p)
{
	const struct ktally_use *u = &p->pub.life.use;
	struct tally *t = pub_tally(p);
	struct held now = { 0, 0, 0 };

	if (p->pub.life.state == KTALLY_RUNNING) {
		now.rss = u->known >> KTALLY_U_RSS & 1 ? u->rss : 0;
		now.peak = u->known >> KTALLY_U_PEAK_RSS & 1 ? u->peak_rss : now.rss;
		now.swap = u->known >> KTALLY_U_SWAP & 1 ? u->swap : 0;
		if (now.peak < p->floor)
			now.peak = p->floor;
	}
	if (t) {
		t->pub.rss += now.rss - p->held.rss;
		t->pub.swap += now.swap - p->held.swap;
		t->peak += now.peak - p->held.peak;
	}
	p->held = now;
}

void tally_enter(struct ktally_watch *w, struct watched *p, struct tally *t, uint64_t time)
{
	struct tally *both[] = { t, &w->all };

	p->pub.tally = &t->pub;
	p->counted = true;
	p->joined = time;
	p->floor = 0;
	p->held = (struct held){ 0, 0, 0 };
	memset(p->here, 0, sizeof(p->here));
	t->refs++;
	for (int i = 0; i < 2; i++) {
		both[i]->touched = true;
		both[i]->pub.alive++;
		both[i]->pub.begun += w->begun;
	}
	if (w->o.key == KTALLY_BY_PROCESS)
		t->pub.process = &p->pub;
	tally_hold(p);
	tally_know(w, p);
}

static void keep_peak(struct ktally_watch *w, struct tally *t, const struct watched *p, uint64_t time)
{
	if (!p->held.peak)
		return;
	if (t->pub.peak_seen < p->held.peak)
		t->pub.peak_seen = p->held.peak;
	if (!t->ended) {
		t->ended = calloc(1, sizeof(*t->ended));
		if (!t->ended)
			return;	/* a bound that is too small is better than no figures at all */
		w->bytes += sizeof(*t->ended);
	}
	spans_add(t->ended, p->joined > w->interval.begin ? p->joined : w->interval.begin, time,
		  p->held.peak);
}

/* By its end or for another group. It points to the group until it is forgotten. */
void tally_leave(struct ktally_watch *w, struct watched *p, uint64_t time)
{
	struct tally *t = pub_tally(p);
	struct held none = { 0, 0, 0 };

	if (!t)
		return;
	keep_peak(w, t, p, time);
	t->pub.rss -= p->held.rss;
	t->pub.swap -= p->held.swap;
	t->peak -= p->held.peak;
	p->held = none;
	for (int i = 0; i < 3; i++)
		t->left[i] += p->here[i];
	memset(p->here, 0, sizeof(p->here));
	t->touched = true;
	t->pub.alive--;
	w->all.pub.alive--;
	p->counted = p->pub.life.state != KTALLY_RUNNING;
}

/* ---- what was spent ---- */

void tally_spend(struct ktally_watch *w, struct watched *p, unsigned int place, uint64_t n)
{
	struct tally *t = pub_tally(p);

	p->pub.interval.of[place] += n;
	if (!p->counted)
		return;
	w->all.pub.interval.of[place] += n;
	w->all.pub.total.of[place] += n;
	/* Late bytes of one whose group is no more. */
	if (!t)
		return;
	t->touched = true;
	t->pub.interval.of[place] += n;
	t->pub.total.of[place] += n;
	if (place <= KTALLY_COST_SYS)
		p->here[place] += n;
}

/* What has no memory of its own lacks these for good. */
static uint64_t expected(const struct watched *p)
{
	const uint64_t memory = 1ULL << KTALLY_U_RSS | 1ULL << KTALLY_U_PEAK_RSS | 1ULL << KTALLY_U_SWAP;
	const uint64_t cpu = 1ULL << KTALLY_U_RUNTIME, net = 1ULL << KTALLY_U_NET;

	if (!p->told || p->pub.life.kthread || p->ending || p->pub.life.state != KTALLY_RUNNING)
		return 0;
	return memory | cpu | net | 1ULL << KTALLY_U_TCP_PAYLOAD | 1ULL << KTALLY_U_UDP_PAYLOAD;
}

void tally_know(struct ktally_watch *w, const struct watched *p)
{
	struct tally *t = pub_tally(p);

	if (!t)
		return;
	t->pub.known |= p->known;
	t->pub.upper |= p->upper;
	t->pub.partial |= expected(p) & ~p->known;
	w->all.pub.known |= p->known;
	w->all.pub.upper |= p->upper;
	w->all.pub.partial |= expected(p) & ~p->known;
}

/* ---- cuts ---- */

static void remember(struct ktally_tally *t)
{
	t->cuts++;
	t->sum_alive += t->alive;
	t->sum_rss += t->rss;
}

static void cut_one(struct tally *t, uint64_t length)
{
	uint32_t together = 0;
	uint64_t ended = t->ended && t->ended->n ? spans_most(t->ended, &together) : 0;

	t->pub.rate.cpu += (double)t->left[0] / (double)length;
	t->pub.rate.user += (double)t->left[1] / (double)length;
	t->pub.rate.sys += (double)t->left[2] / (double)length;
	t->pub.peak_alive = t->peak;
	t->pub.peak = t->peak + ended;
	t->pub.shared = t->pub.alive + together > 1;
	t->pub.was_shared |= t->pub.alive > 1;
	if (t->pub.peak_seen < t->pub.rss)
		t->pub.peak_seen = t->pub.rss;
	if (!t->pub.shared && t->pub.peak_seen < t->pub.peak)
		t->pub.peak_seen = t->pub.peak;
}

static void add_up(struct ktally_tally *all, const struct ktally_tally *t)
{
	all->rss += t->rss;
	all->swap += t->swap;
	all->peak += t->peak;
	all->peak_alive += t->peak_alive;
	all->rate.cpu += t->rate.cpu;
	all->rate.user += t->rate.user;
	all->rate.sys += t->rate.sys;
	/* What took part in the interval, whether it lives or not. */
	all->shared |= t->shared || (t->peak && all->peak > t->peak);
	all->was_shared |= t->was_shared || all->alive > 1;
	if (all->peak_seen < t->peak_seen)
		all->peak_seen = t->peak_seen;
}

void tally_cut(struct ktally_watch *w)
{
	uint64_t length = w->interval.end - w->interval.begin;
	struct ktally_tally *all = &w->all.pub;

	all->rss = all->swap = all->peak = all->peak_alive = 0;
	all->rate = (struct ktally_rate){ 0, 0, 0 };
	all->shared = false;
	for (size_t i = 0; i < w->tally_list.n; i++) {
		struct tally *t = w->tally_list.at[i];

		cut_one(t, length ? length : 1);
		remember(&t->pub);
		add_up(all, &t->pub);
	}
	remember(all);
	if (all->peak_seen < all->rss)
		all->peak_seen = all->rss;
}

static void reset(struct tally *t)
{
	if (!t->touched)
		return;
	t->touched = false;
	memset(&t->pub.interval, 0, sizeof(t->pub.interval));
	memset(t->left, 0, sizeof(t->left));
	t->pub.rate = (struct ktally_rate){ 0, 0, 0 };
	t->pub.begun = t->pub.ended = 0;
	if (t->ended)
		t->ended->n = 0;
}

/* The sums of an idle group go to the rest, and it is gone. */
static int fold(struct ktally_watch *w, struct tally *t)
{
	static const struct ktally_str name = { "(other)", 7 };

	if (!w->rest)
		w->rest = new_tally(w, &name, &name, 0);
	if (!w->rest)
		return -ENOMEM;
	w->rest->pub.rest = true;
	for (int i = 0; i < KTALLY_COSTS; i++) {
		w->rest->pub.total.of[i] += t->pub.total.of[i];
		w->rest->pub.before.of[i] += t->pub.before.of[i];
	}
	w->rest->pub.known |= t->pub.known;
	w->rest->pub.partial |= t->pub.partial;
	if (w->rest->pub.peak_seen < t->pub.peak_seen)
		w->rest->pub.peak_seen = t->pub.peak_seen;
	return 0;
}

static bool goes(struct ktally_watch *w, struct tally *t)
{
	if (t->refs || t == w->rest)
		return false;
	if (w->o.key == KTALLY_BY_PROCESS)
		return true;
	return w->tally_list.n > w->o.most_tallies && !fold(w, t);
}

void tally_next(struct ktally_watch *w)
{
	size_t i = 0;

	reset(&w->all);
	w->all.touched = true;
	while (i < w->tally_list.n) {
		struct tally *t = w->tally_list.at[i];

		if (!t->touched && goes(w, t)) {
			unlist(w, t);
			tally_free(w, t);
			continue;
		}
		reset(t);
		i++;
	}
}

void tally_free_all(struct ktally_watch *w)
{
	for (size_t i = 0; i < w->tally_list.n; i++)
		tally_free(w, w->tally_list.at[i]);
	free(w->tally_list.at);
	hash_free(&w->tallies);
}
