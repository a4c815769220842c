// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * settle.c - what only the whole recording can tell of lives: their order, parents,
 * tree, how each one ended, and whether the sums agree with the module's own counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* ---- order and parents ---- */

static int by_start(const void *a, const void *b)
{
	const struct ktally_life *x = *(struct ktally_life *const *)a;
	const struct ktally_life *y = *(struct ktally_life *const *)b;

	if (x->boot != y->boot)
		return x->boot < y->boot ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->tgid < y->tgid ? -1 : x->tgid > y->tgid;
}

void settle_sort(struct ktally_model *m)
{
	size_t i = 1;

	while (i < m->n_lives && by_start(&m->lives[i - 1], &m->lives[i]) <= 0)
		i++;
	if (i < m->n_lives)
		qsort(m->lives, m->n_lives, sizeof(*m->lives), by_start);
}

/* A parent is older than its child, so there are no circles whatever the records say. */
void settle_parent(const struct ktally_model *m, struct life *l)
{
	struct life *p = NULL;

	if (l->pub.ppid && l->pub.parent_start < l->pub.start)
		p = model_find(m, l->pub.boot, l->pub.ppid, l->pub.parent_start);
	l->pub.parent = p ? &p->pub : NULL;
}

static void link_parents(struct ktally_model *m)
{
	for (size_t i = 0; i < m->n_lives; i++) {
		m->lives[i]->pub.child = m->lives[i]->pub.sibling = NULL;
		settle_parent(m, m->lives[i]);
	}
	/* From the youngest on, each put in front: children come out in order of start. */
	for (size_t i = m->n_lives; i-- > 0;) {
		struct ktally_life *l = &m->lives[i]->pub;

		if (!l->parent)
			continue;
		l->sibling = l->parent->child;
		l->parent->child = l;
	}
	for (size_t i = 0; i < m->n_lives; i++)
		image_inherit(m->lives[i]);
}

bool ktally_life_below(const struct ktally_life *l, const struct ktally_life *root)
{
	while (l && l != root)
		l = l->parent;
	return l == root;
}

const struct ktally_life *ktally_life_next(const struct ktally_life *l, const struct ktally_life *root)
{
	if (l->child)
		return l->child;
	while (l != root && !l->sibling)
		l = l->parent;
	return l == root ? NULL : l->sibling;
}

/* ---- ends ---- */

static const struct session *last_session(const struct ktally_model *m, uint32_t boot)
{
	const struct session *last = NULL;

	for (uint32_t i = 0; i < m->n_sessions; i++)
		if (m->sessions[i].boot == boot && (!last || m->sessions[i].begin > last->begin))
			last = &m->sessions[i];
	return last;
}

/* Alive when the closing walk came by, or begun after: the walk may have passed its number. */
static bool was_alive(const struct ktally_model *m, const struct life *l, const struct session *s)
{
	if (!s->closing_begin)
		return false;
	if (l->pub.start >= s->closing_begin || l->pub.last_seen >= s->closing_begin)
		return true;
	return l->pub.saw_task && &m->sessions[l->task_session] == s && l->task_walk == s->closing;
}

/* Only late bytes are told of it: it had ended before the recording began. */
static bool ended_before(const struct life *l)
{
	return l->pub.older && l->pub.traffic && !l->pub.saw_exec && !l->pub.saw_task &&
	       !l->pub.saw_exit;
}

static enum ktally_life_state end_of(const struct ktally_model *m, const struct life *l)
{
	const struct session *own = &m->sessions[l->session];

	if (l->pub.saw_exit)
		return KTALLY_ENDED;
	if (l->dying || ended_before(l))
		return KTALLY_END_UNSEEN;
	if (was_alive(m, l, own))
		return own == last_session(m, l->pub.boot) ? KTALLY_RUNNING : KTALLY_END_UNSEEN;
	return own->closing_whole ? KTALLY_END_LOST : KTALLY_END_UNKNOWN;
}

static bool is_older(const struct ktally_model *m, const struct life *l)
{
	uint64_t begin = UINT64_MAX;

	if (l->pub.saw_fork)
		return false;
	for (uint32_t i = 0; i < m->n_sessions; i++)
		if (m->sessions[i].boot == l->pub.boot && m->sessions[i].begin < begin)
			begin = m->sessions[i].begin;
	return l->pub.start < begin;
}

int settle_end(struct ktally_model *m, struct life *l)
{
	l->pub.older = is_older(m, l);
	l->pub.state = end_of(m, l);
	if (window_settle(m, l))
		return -ENOMEM;
	l->pub.use_before = l->base_use;
	l->pub.traffic_before = l->base_traffic;
	return 0;
}

/* ---- the recording's tree ---- */

static const struct ktally_life *find_root(const struct ktally_model *m,
					   const struct ktally_stream_info *info)
{
	const struct ktally_life *root = NULL;

	for (size_t i = 0; i < m->n_lives; i++) {
		const struct ktally_life *l = &m->lives[i]->pub;

		if (l->tgid != info->root_tgid || (info->root_start && l->start != info->root_start))
			continue;
		/* Without a start the first one that was forked while recording. */
		if (!root || (root->older && !l->older))
			root = l;
	}
	return root;
}

/* Lives are in order of start, so a parent is decided before its children. */
static void mark_tree(struct ktally_model *m, const struct ktally_stream_info *info)
{
	bool all = !info || !info->root_tgid;
	const struct ktally_life *root = all ? NULL : find_root(m, info);

	for (size_t i = 0; i < m->n_lives; i++) {
		struct ktally_life *l = &m->lives[i]->pub;

		l->in_tree = all || l == root || (l->parent && l->parent->in_tree) ||
			     (!l->parent && !l->older && l->ppid == info->root_tgid);
	}
}

/* ---- the balance ---- */

void settle_count(struct ktally_balance *b, const struct life *l)
{
	if (ended_before(l))
		return;
	if (l->pub.saw_fork)
		b->forks++;
	else if (l->task_opening)
		b->dumped++;
	else if (l->pub.older)
		b->older++;
	else
		b->lost_forks++;
	switch (l->pub.state) {
	case KTALLY_ENDED:	b->exits++; break;
	case KTALLY_RUNNING:	b->running++; break;
	case KTALLY_END_UNSEEN:	b->end_unseen++; break;
	case KTALLY_END_LOST:	b->lost_ends++; break;
	case KTALLY_END_UNKNOWN: b->unknown_ends++; break;
	}
}

static void count_records(struct ktally_balance *b, const struct ktally_stream_info *info)
{
	memcpy(b->lost, info->lost, sizeof(b->lost));
	memcpy(b->filtered, info->filtered, sizeof(b->filtered));
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		b->lost_total += b->lost[kind];
		b->filtered_total += b->filtered[kind];
	}
	b->threads = info->threads;
	b->kp_missed = info->kp_missed;
	b->checked = info->ended;
	b->disarmed = info->disarmed;
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* Filtered ends have their share in the totals, so only without them the rest is lost. */
static void compare_totals(struct ktally_balance *b, const struct ktally_model *m,
			   const struct ktally_stream_info *info)
{
	b->ends_known = info->ends_known;
	b->ended_records = m->ended;
	if (!b->ends_known)
		return;
	b->ends = info->ends;
	b->ends_difference = (int64_t)(b->ends - m->ended - b->lost[KTALLY_EXIT] -
				       b->filtered[KTALLY_EXIT]);
	b->amounts_known = !b->filtered[KTALLY_EXIT];
	if (!b->amounts_known)
		return;
	b->lost_runtime = less(info->ends_runtime, m->ended_runtime);
	for (int i = 0; i < 6; i++)
		b->lost_net[i] = less(info->ends_net[i], m->ended_net[i]);
}

/* Takes from the difference what a count made elsewhere explains. */
static uint64_t explained(int64_t *difference, int side, uint64_t at_most)
{
	uint64_t all = (uint64_t)*difference, n = 0;

	if (side > 0 ? *difference > 0 : *difference < 0)
		n = side > 0 ? all : -all;
	if (n > at_most)
		n = at_most;
	*difference = (int64_t)(side > 0 ? all - n : all + n);
	return n;
}

/* In an opening walk, but begun after the session: its fork record may be among the lost. */
bool settle_dumped_young(const struct life *l, const struct ktally_stream_info *info)
{
	return info && l->task_opening && !l->pub.saw_fork && l->pub.start > info->boottime;
}

static void balance(struct ktally_model *m, const struct ktally_stream_info *info)
{
	struct ktally_balance *b = &m->balance;
	uint64_t young = m->retirement.young, n;

	*b = m->retirement.counted;
	b->duplicates = m->duplicates;
	for (size_t i = 0; i < m->n_lives; i++) {
		settle_count(b, m->lives[i]);
		young += settle_dumped_young(m->lives[i], info);
	}
	if (info) {
		count_records(b, info);
		compare_totals(b, m, info);
	}
	b->difference = (int64_t)(b->dumped + b->older + b->forks + b->lost[KTALLY_FORK] -
				  (b->exits + b->running + b->end_unseen + b->lost[KTALLY_EXIT]));
	/* Counted twice on the left: in the walk and among the lost. */
	n = explained(&b->difference, 1, young < b->lost[KTALLY_FORK] ? young : b->lost[KTALLY_FORK]);
	b->dumped -= n;
	b->lost_forks += n;
	/* Named by what they executed: their forks were nobody's yet. */
	if (info && info->selection.what)
		b->entered = explained(&b->difference, -1, b->lost_forks);
	b->lost_forks -= b->entered;
	b->missed_ends = explained(&b->difference, 1, b->kp_missed);
	b->never_seen = explained(&b->difference, -1, b->lost[KTALLY_EXIT]);
}

int ktally_model_settle(struct ktally_model *m, const struct ktally_stream_info *info)
{
	settle_sort(m);
	link_parents(m);
	for (size_t i = 0; i < m->n_lives; i++)
		if (settle_end(m, m->lives[i]))
			return -ENOMEM;
	mark_tree(m, info);
	balance(m, info);
	netdev_settle(m, info);
	m->settled = true;
	return 0;
}

size_t ktally_model_lives(const struct ktally_model *m, struct ktally_life *const **lives)
{
	_Static_assert(offsetof(struct life, pub) == 0, "a life begins with its public part");
	*lives = (struct ktally_life *const *)m->lives;
	return m->n_lives;
}

void ktally_model_balance(const struct ktally_model *m, struct ktally_balance *b)
{
	*b = m->balance;
}
