// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * model.c - records to lives. A life is (boot, tgid, start); records about it may
 * come in any order and more than once: each one only adds what it knows. Nothing is
 * decided here that needs the whole recording (settle.c). Memory only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct ktally_model *ktally_model_open(void)
{
	return calloc(1, sizeof(struct ktally_model));
}

void ktally_model_close(struct ktally_model *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	arena_free(&m->lasting);
	table_free(&m->by_key);
	table_free(&m->cgroups);
	table_free(&m->by_device);
	free(m->lives);
	free(m->netdevs);
	free(m->sessions);
	free(m);
}

size_t ktally_model_bytes(const struct ktally_model *m)
{
	return sizeof(*m) + m->arena.bytes + m->lasting.bytes + m->by_key.room * sizeof(struct table_entry) +
	       m->cgroups.room * sizeof(struct table_entry) + m->room * sizeof(*m->lives) +
	       m->n_sessions * sizeof(*m->sessions) + m->netdev_room * sizeof(*m->netdevs);
}

/* ---- lives ---- */

static uint64_t life_hash(uint32_t boot, uint32_t tgid, uint64_t start)
{
	return table_mix(start ^ (uint64_t)tgid << 40 ^ (uint64_t)boot << 20);
}

struct life *model_find(const struct ktally_model *m, uint32_t boot, uint32_t tgid, uint64_t start)
{
	uint64_t hash = life_hash(boot, tgid, start);
	size_t at = hash;
	struct life *l;

	while ((l = table_find(&m->by_key, hash, &at)))
		if (l->pub.tgid == tgid && l->pub.start == start && l->pub.boot == boot)
			return l;
	return NULL;
}

static int list_life(struct ktally_model *m, struct life *l)
{
	if (m->n_lives == m->room) {
		size_t room = m->room ? 2 * m->room : 256;
		struct life **p = realloc(m->lives, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		m->lives = p;
		m->room = room;
	}
	m->lives[m->n_lives++] = l;
	return 0;
}

int model_list(struct ktally_model *m, struct life *l)
{
	if (table_add(&m->by_key, life_hash(l->pub.boot, l->pub.tgid, l->pub.start), l))
		return -ENOMEM;
	return list_life(m, l);
}

static struct life *new_life(struct ktally_model *m, uint32_t boot, uint32_t tgid, uint64_t start)
{
	struct life *l = arena_alloc(&m->arena, sizeof(*l));

	if (!l)
		return NULL;
	l->pub.tgid = tgid;
	l->pub.start = start;
	l->pub.boot = boot;
	l->first = m->session;
	return model_list(m, l) ? NULL : l;
}

static struct life *life_of(struct ktally_model *m, const struct ktally_event *ev,
			    uint32_t tgid, uint64_t start)
{
	struct life *l = m->newest;

	if (!l || l->pub.tgid != tgid || l->pub.start != start || l->pub.boot != ev->boot) {
		l = model_find(m, ev->boot, tgid, start);
		if (!l)
			l = new_life(m, ev->boot, tgid, start);
		if (!l)
			return NULL;
		m->newest = l;
	}
	if (ev->time > l->pub.last_seen)
		l->pub.last_seen = ev->time;
	l->session = m->session;
	return l;
}

/* ---- what records share ---- */

_Static_assert(sizeof(struct ktally_owner) == COMMON_USE_AT(exit) - COMMON_OWNER_AT(exit), "same");
_Static_assert(sizeof(struct ktally_owner) == COMMON_USE_AT(task) - COMMON_OWNER_AT(task), "same");
_Static_assert(sizeof(struct ktally_use) ==
	       offsetof(struct ktally_exit, net_phys) - COMMON_USE_AT(exit), "same");
_Static_assert(sizeof(struct ktally_use) ==
	       offsetof(struct ktally_task, net_phys) - COMMON_USE_AT(task), "same");
_Static_assert(sizeof(struct ktally_traffic) ==
	       offsetof(struct ktally_exit, status) - offsetof(struct ktally_exit, net_phys), "same");

/* The parent at birth: a fork record knows it, else the oldest record comes nearest. */
static void take_birth(struct life *l, const struct ktally_owner *o, uint64_t time)
{
	if (l->pub.saw_fork || (l->pub.birth_time && l->pub.birth_time <= time))
		return;
	l->pub.ppid = o->ppid;
	l->pub.parent_start = o->parent_start;
	l->pub.birth_time = time;
}

static void take_owner(struct life *l, const void *owner, const struct ktally_event *ev)
{
	const struct ktally_owner *o = owner;

	take_birth(l, o, ev->time);
	if (l->pub.saw_exit && ev->kind != KTALLY_EXIT)
		return;
	l->pub.owner = *o;
	l->pub.present = (l->pub.present & ~OWNER_BITS) | (ev->present & OWNER_BITS);
}

/* Threads that ended told their run_delay and are in nobody's sum. */
static int take_use(struct ktally_model *m, struct life *l, const void *use, uint64_t time)
{
	int out = window_use(m, l, use, time);

	if (out)
		return out < 0 ? out : 0;
	memcpy(&l->pub.use, use, sizeof(l->pub.use));
	l->pub.use.run_delay += l->pub.delay_threads;
	l->pub.use_time = time;
	return 0;
}

static int take_traffic(struct ktally_model *m, struct life *l, const void *traffic,
			uint64_t known, uint64_t upper, uint64_t time)
{
	int out = known >> KTALLY_U_NET ? window_traffic(m, l, traffic, time) : 1;

	if (out)
		return out < 0 ? out : 0;
	l->net_time = time;
	l->pub.net_known = known >> KTALLY_U_NET << KTALLY_U_NET;
	l->pub.net_upper = upper >> KTALLY_U_NET << KTALLY_U_NET;
	if (!l->pub.traffic)
		l->pub.traffic = arena_alloc(&m->arena, sizeof(struct ktally_traffic));
	if (!l->pub.traffic)
		return -ENOMEM;
	memcpy((void *)l->pub.traffic, traffic, sizeof(struct ktally_traffic));
	return 0;
}

/* ---- one function per kind ---- */

static int feed_fork(struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_fork *f = &ev->u.fork;
	struct life *l = life_of(m, ev, f->tgid, f->start);
	bool first;

	if (!l)
		return -ENOMEM;
	first = !l->pub.saw_exec && !l->pub.saw_task;
	l->pub.birth_time = 0;
	take_birth(l, (const void *)&f->ppid, f->start ? f->start : 1);
	if (first)
		take_owner(l, &f->ppid, ev);
	l->pub.saw_fork = true;
	l->pub.fork_flags = f->flags;
	l->pub.kthread |= f->flags & KTALLY_FORK_KTHREAD;
	return image_forked(m, l, ev);
}

static int feed_exec(struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_exec *e = &ev->u.exec;
	struct life *l = life_of(m, ev, e->tgid, e->start);

	if (!l)
		return -ENOMEM;
	l->pub.saw_exec = true;
	take_owner(l, &e->ppid, ev);
	if (!l->pub.saw_exit && ev->time >= l->pub.use_time) {
		if (take_use(m, l, &e->known, ev->time))
			return -ENOMEM;
		/* These are of the image that ended. */
		l->pub.use.known &= ~(1ULL << KTALLY_U_PEAK_RSS | 1ULL << KTALLY_U_PEAK_VM);
	}
	return image_executed(m, l, ev);
}

static int feed_args(struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_args *a = &ev->u.args;
	struct life *l = life_of(m, ev, a->tgid, a->start);

	return l ? image_more_args(m, l, ev) : -ENOMEM;
}

static int feed_thread_exit(struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_thread_exit *t = &ev->u.thread_exit;
	struct life *l = life_of(m, ev, t->tgid, t->start);

	if (!l)
		return -ENOMEM;
	l->pub.threads_ended++;
	l->pub.delay_threads += t->run_delay;
	l->pub.use.run_delay += t->run_delay;
	return 0;
}

/* As the module's totals do it: every record, every field. */
static void count_exit(struct ktally_model *m, const struct ktally_exit *e)
{
	const __u64 *class[] = { e->net_phys, e->net_loop, e->net_virt };

	m->ended++;
	m->ended_runtime += e->runtime;
	for (int i = 0; i < 6; i++)
		m->ended_net[i] += class[i / 2][i % 2 ? KTALLY_N_TX_WIRE : KTALLY_N_RX_WIRE];
}

static int feed_exit(struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_exit *e = &ev->u.exit;
	struct life *l = life_of(m, ev, e->tgid, e->start);

	if (!l)
		return -ENOMEM;
	count_exit(m, e);
	if (l->pub.saw_exit) {
		m->duplicates++;
		return 0;
	}
	take_owner(l, &e->ppid, ev);
	if (take_use(m, l, &e->known, ev->time))
		return -ENOMEM;
	l->pub.saw_exit = true;
	l->pub.end = ev->time;
	l->pub.present = (l->pub.present & OWNER_BITS) | (ev->present & ~OWNER_BITS);
	l->pub.status = e->status;
	l->pub.exit_flags = e->flags;
	l->pub.kthread |= e->flags & KTALLY_EXIT_KTHREAD;
	l->noexec |= e->flags & KTALLY_EXIT_NOEXEC;
	if (take_traffic(m, l, e->net_phys, e->known, e->upper, ev->time))
		return -ENOMEM;
	return image_ended(m, l, ev);
}

static void take_walk(const struct ktally_model *m, struct life *l, const struct ktally_task *t)
{
	const struct session *s = &m->sessions[m->session];

	l->task_session = m->session;
	l->task_walk = t->walk;
	l->task_opening |= t->walk == s->opening;
}

/* Newer than exit: it was read before and written after, and knows nothing more. */
/* A zombie, met by a later walk than the opening one: its end was told and it handed over. */
static bool has_retired(const struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_task *t = &ev->u.task;

	return m->retirement.n && !t->live && !m->sessions[m->session].opening_now &&
	       !model_find(m, ev->boot, t->tgid, t->start);
}

static int feed_task(struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_task *t = &ev->u.task;
	struct life *l;

	if (has_retired(m, ev))
		return 0;
	l = life_of(m, ev, t->tgid, t->start);
	if (!l)
		return -ENOMEM;
	l->pub.saw_task = true;
	take_walk(m, l, t);
	l->pub.kthread |= t->flags & KTALLY_TASK_KTHREAD;
	l->noexec |= t->flags & KTALLY_TASK_NOEXEC;
	take_owner(l, &t->ppid, ev);
	if (l->pub.saw_exit)
		return 0;
	if (before_met(m, l, t))
		return -ENOMEM;
	if (take_use(m, l, &t->known, ev->time))
		return -ENOMEM;
	l->dying = t->live == 0;
	l->pub.run_state = t->state;
	l->pub.threads = t->threads;
	if (t->flags & KTALLY_TASK_ZOMBIE)
		l->pub.status = t->status;
	if (take_traffic(m, l, t->net_phys, t->known, t->upper, ev->time))
		return -ENOMEM;
	return image_met(m, l, ev);
}

static int feed_net_late(struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_net_late *n = &ev->u.net_late;
	struct life *l = life_of(m, ev, n->tgid, n->start);

	if (!l)
		return -ENOMEM;
	/* What was measured is said by the exit record; if that is lost, no more than this is sure. */
	return take_traffic(m, l, n->net_phys, l->pub.net_known ? l->pub.net_known : 1ULL << KTALLY_U_NET,
			    l->pub.net_upper, ev->time);
}

static struct cgroup *cgroup_of(struct ktally_model *m, uint32_t boot, uint64_t id)
{
	uint64_t hash = table_mix(id ^ (uint64_t)boot << 48);
	size_t at = hash;
	struct cgroup *c;

	while ((c = table_find(&m->cgroups, hash, &at)))
		if (c->id == id && c->boot == boot)
			return c;
	c = arena_alloc(&m->lasting, sizeof(*c));
	if (!c || table_add(&m->cgroups, hash, c))
		return NULL;
	c->id = id;
	c->boot = boot;
	return c;
}

/* A removed one keeps its path: lives that were in it still want the name. */
static int feed_cgroup(struct ktally_model *m, const struct ktally_event *ev)
{
	struct cgroup *c = cgroup_of(m, ev->boot, ev->u.cgroup.id);

	if (!c)
		return -ENOMEM;
	if (!ev->str[0].p || (c->path && ev->u.cgroup.op == 3))
		return 0;
	c->path = arena_copy(&m->lasting, ev->str[0].p, ev->str[0].len);
	return c->path ? 0 : -ENOMEM;
}

const char *ktally_model_cgroup(const struct ktally_model *m, uint32_t boot, uint64_t id)
{
	uint64_t hash = table_mix(id ^ (uint64_t)boot << 48);
	size_t at = hash;
	const struct cgroup *c;

	while ((c = table_find(&m->cgroups, hash, &at)))
		if (c->id == id && c->boot == boot)
			return c->path;
	return NULL;
}

static int feed_walk_begin(struct ktally_model *m, const struct ktally_event *ev)
{
	struct session *s = &m->sessions[m->session];
	const struct ktally_walk_begin *w = &ev->u.walk_begin;

	/* A session taken over from the boot has two: recording began with the first. */
	if (w->purpose == KTALLY_WALK_OPENING) {
		s->opening = w->walk;
		s->begin = s->opened ? s->begin : ev->time;
		s->opened = s->opening_now = true;
	}
	if (w->purpose == KTALLY_WALK_CLOSING) {
		s->closing = w->walk;
		s->closing_begin = ev->time;
		s->closing_whole = false;
	}
	return 0;
}

static int feed_walk_end(struct ktally_model *m, const struct ktally_event *ev)
{
	struct session *s = &m->sessions[m->session];
	const struct ktally_walk_end *w = &ev->u.walk_end;

	s->opening_now = false;
	if (s->closing_begin && w->walk == s->closing)
		s->closing_whole = w->lost == 0;
	return 0;
}

static int (*const feed[KTALLY_KINDS])(struct ktally_model *, const struct ktally_event *) = {
	[KTALLY_FORK]		= feed_fork,
	[KTALLY_EXEC]		= feed_exec,
	[KTALLY_ARGS]		= feed_args,
	[KTALLY_THREAD_EXIT]	= feed_thread_exit,
	[KTALLY_EXIT]		= feed_exit,
	[KTALLY_TASK]		= feed_task,
	[KTALLY_NET_LATE]	= feed_net_late,
	[KTALLY_DEVICE]		= netdev_feed,
	[KTALLY_CGROUP]		= feed_cgroup,
	[KTALLY_WALK_BEGIN]	= feed_walk_begin,
	[KTALLY_WALK_END]	= feed_walk_end,
};

/* ---- sessions ---- */

static bool is_session(const struct session *s, const struct ktally_event *ev)
{
	return s->number == ev->session && s->load_id == ev->load_id && s->boot == ev->boot;
}

static int enter_session(struct ktally_model *m, const struct ktally_event *ev)
{
	struct session *p;

	if (m->n_sessions && is_session(&m->sessions[m->session], ev))
		return 0;
	for (m->session = 0; m->session < m->n_sessions; m->session++)
		if (is_session(&m->sessions[m->session], ev))
			return 0;
	p = realloc(m->sessions, (m->n_sessions + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	m->sessions = p;
	p[m->n_sessions++] = (struct session){
		.load_id = ev->load_id, .number = ev->session, .boot = ev->boot, .begin = ev->time,
	};
	return 0;
}

int ktally_model_feed(struct ktally_model *m, const struct ktally_event *ev)
{
	m->settled = false;
	if (!ev->decoded || ev->kind >= KTALLY_KINDS || !feed[ev->kind])
		return 0;
	if (enter_session(m, ev) || feed[ev->kind](m, ev))
		return -ENOMEM;
	return m->n_lives >= m->retirement.due && m->retirement.take ? retire_due(m, ev->time) : 0;
}

struct ktally_life *ktally_model_find(const struct ktally_model *m, uint32_t tgid, uint64_t start)
{
	struct life *found = NULL;

	for (size_t i = 0; i < m->n_lives; i++) {
		struct life *l = m->lives[i];

		if (l->pub.tgid != tgid || (start && l->pub.start != start))
			continue;
		if (!found || l->pub.boot > found->pub.boot ||
		    (l->pub.boot == found->pub.boot && l->pub.start > found->pub.start))
			found = l;
	}
	return found ? &found->pub : NULL;
}
