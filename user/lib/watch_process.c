// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watch_process.c - processes of a watch, from the record that first tells of them to
 * their end: what they run, when they are to be forgotten.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "since.h"
#include "table.h"
#include "watch.h"

/* ---- finding and making ---- */

static uint64_t hash_of(uint32_t tgid, uint64_t start)
{
	return table_mix(start ^ (uint64_t)tgid << 40);
}

struct watched *watched_find(const struct ktally_watch *w, uint32_t tgid, uint64_t start)
{
	struct hash_link *l = NULL;

	while ((l = hash_find(&w->processes, hash_of(tgid, start), l))) {
		struct watched *p = hash_entry(l, struct watched, link);

		if (p->pub.life.tgid == tgid && p->pub.life.start == start)
			return p;
	}
	return NULL;
}

/* `whole`: nothing that it spent went uncounted; else what its first record tells is where counting begins. */
static struct watched *new_process(struct ktally_watch *w, uint32_t tgid, uint64_t start)
{
	struct watched *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->at = w->list.n;
	if (list_add(&w->list, p))
		goto failed;
	if (hash_add(&w->processes, hash_of(tgid, start), &p->link)) {
		w->list.n--;
		goto failed;
	}
	p->pub.life.tgid = tgid;
	p->pub.life.start = start;
	p->pub.life.state = KTALLY_RUNNING;
	p->pub.life.in_tree = true;
	p->whole = start >= w->begin;
	p->pub.life.older = !p->whole;
	p->fresh = true;
	w->fresh++;
	w->bytes += sizeof(*p);
	return p;
failed:
	free(p);
	return NULL;
}

void watched_free(struct ktally_watch *w, struct watched *p)
{
	struct tally *t = (struct tally *)p->pub.tally;

	if (t)
		t->refs--;
	hash_remove(&w->processes, &p->link);
	program_put(w, p->program);
	w->bytes -= sizeof(*p);
	free(p);
}

static void unlist(struct ktally_watch *w, struct watched *p)
{
	struct watched *last = w->list.at[--w->list.n];

	w->list.at[p->at] = last;
	last->at = p->at;
	p->at = SIZE_MAX;
	w->fresh -= p->fresh;
}

/* Its bytes may still be on the way, or the fallback's second exit record. */
static bool may_come(const struct watched *p)
{
	const uint64_t *n = (const uint64_t *)&p->traffic;

	for (size_t i = 0; i < TRAFFIC_COUNTERS; i++)
		if (n[i])
			return true;
	return p->pub.life.exit_flags & KTALLY_EXIT_MAYBE_DUP;
}

void watched_forget(struct ktally_watch *w, struct watched *p)
{
	unlist(w, p);
	if (!w->late)
		w->late = calloc(LATE_MOST, sizeof(struct watched *));
	if (w->o.key == KTALLY_BY_PROCESS)
		watched_let_go(p);
	if (!w->late || !may_come(p)) {
		watched_free(w, p);
		return;
	}
	if (w->late[w->late_at])
		watched_free(w, w->late[w->late_at]);
	w->late[w->late_at] = p;
	w->late_at = (w->late_at + 1) % LATE_MOST;
}

static void take_program(struct ktally_watch *w, struct watched *p, struct program *pr)
{
	struct ktally_life *l = &p->pub.life;

	l->execs_past += p->image.has_exec;
	program_put(w, p->program);
	p->program = pr;
	p->image = pr->image;
	l->images = &p->image;
	l->n_images = 1;
}

/* Its parent's, which it has not executed itself: no exec is missing, though names may be. */
static void take_parents(struct ktally_watch *w, struct watched *p, struct program *pr)
{
	take_program(w, p, pr);
	p->image.has_exec = p->image.unknown = false;
	p->image.begin = p->pub.life.start;
	p->image.begin_known = true;
}

static void share_program(struct ktally_watch *w, struct watched *p, struct program *pr)
{
	pr->refs++;
	take_parents(w, p, pr);
}

/* True if something that groups or selections look at is different. */
static bool take_owner(struct watched *p, const void *owner, const struct ktally_event *ev)
{
	struct ktally_life *l = &p->pub.life;
	const struct ktally_owner *o = owner;
	bool changed = memcmp(&l->owner, o, sizeof(*o)) != 0;

	if (!l->birth_time) {
		l->birth_time = ev->time;
		l->ppid = o->ppid;
		l->parent_start = o->parent_start;
	}
	l->owner = *o;
	l->present = (l->present & ~OWNER_BITS) | (ev->present & OWNER_BITS);
	l->last_seen = ev->time;
	return changed;
}

/* ---- one function per kind ---- */

/* What it runs is what its parent ran. */
static int inherit(struct ktally_watch *w, struct watched *p, const struct ktally_fork *f)
{
	struct watched *parent = watched_find(w, f->ppid, f->parent_start);
	struct program *pr;

	if (parent && parent->program) {
		share_program(w, p, parent->program);
		return 0;
	}
	pr = program_of_name(w, f->image, f->comm);
	if (!pr)
		return -ENOMEM;
	take_parents(w, p, pr);
	return 0;
}

/* A walk can meet a child before its fork is told: then only its name was known. */
static int born_late(struct ktally_watch *w, struct watched *p, const struct ktally_event *ev)
{
	const struct ktally_fork *f = &ev->u.fork;
	struct watched *parent;

	p->pub.begun = p->whole;
	p->pub.life.saw_fork = true;
	if (p->pub.ended || p->pub.life.saw_exec)
		return 0;
	if (inherit(w, p, f))
		return -ENOMEM;
	parent = watched_find(w, f->ppid, f->parent_start);
	p->under |= w->o.tree && parent && parent->pub.tally;
	return p->fresh ? 0 : watched_settle(w, p, ev->time);
}

int watched_fork(struct ktally_watch *w, const struct ktally_event *ev)
{
	const struct ktally_fork *f = &ev->u.fork;
	struct watched *p = watched_find(w, f->tgid, f->start);

	if (p)
		return p->pub.life.saw_fork || p->at == SIZE_MAX ? 0 : born_late(w, p, ev);
	p = new_process(w, f->tgid, f->start);
	if (!p)
		return -ENOMEM;
	p->whole = p->pub.begun = true;
	p->pub.life.saw_fork = true;
	p->pub.life.older = false;
	p->pub.life.kthread = f->flags & KTALLY_FORK_KTHREAD;
	p->dirty = true;
	take_owner(p, &f->ppid, ev);
	if (inherit(w, p, f))
		return -ENOMEM;
	return watched_join(w, p, ev->load_id);
}

/* An exec record's peaks are the old image's, its resident memory the new one's. */
static void end_image(struct watched *p)
{
	const uint64_t peaks = 1ULL << KTALLY_U_PEAK_RSS | 1ULL << KTALLY_U_PEAK_VM;
	struct ktally_use *u = &p->pub.life.use;
	uint64_t known = u->known;

	u->known &= ~(1ULL << KTALLY_U_RSS);
	if (known >> KTALLY_U_PEAK_RSS & 1)
		tally_hold(p);
	p->floor = p->held.peak;
	u->known = known & ~peaks;
}

int watched_exec(struct ktally_watch *w, const struct ktally_event *ev)
{
	const struct ktally_exec *e = &ev->u.exec;
	struct watched *p = watched_find(w, e->tgid, e->start);
	struct program *pr;
	bool first = !p;
	uint64_t upper;
	int err;

	if (!p)
		p = new_process(w, e->tgid, e->start);
	pr = p ? program_of_exec(w, ev) : NULL;
	if (!pr)
		return -ENOMEM;
	if (p->pub.ended) {
		program_put(w, pr);
		return 0;
	}
	/* What it spent so far was the program's that it leaves. */
	upper = p->upper;
	take_owner(p, &e->ppid, ev);
	spend(w, p, &e->known, NULL, p->whole || !first);
	end_image(p);
	/* Of an image that ends the peak may be a bound, of the new one it is not. */
	p->upper = upper;
	p->pub.life.saw_exec = true;
	take_program(w, p, pr);
	tally_know(w, p);
	err = p->fresh ? watched_join(w, p, ev->load_id) : watched_settle(w, p, ev->time);
	tally_hold(p);
	return err;
}

static void note_sample(const struct ktally_watch *w, struct watched *p, const struct ktally_event *ev)
{
	const struct ktally_task *t = &ev->u.task;

	if (p->sampled_in != w->interval.number) {
		p->sampled_before = p->sampled;
		p->sampled_before_in = p->sampled_in;
	}
	p->sampled = t->sampled ? t->sampled : ev->time;
	p->sampled_in = w->interval.number;
	p->walk = t->walk;
}

static void take_task(struct watched *p, const struct ktally_task *t)
{
	struct ktally_life *l = &p->pub.life;

	l->saw_task = true;
	l->run_state = (char)t->state;
	l->threads = t->threads;
	l->kthread |= t->flags & KTALLY_TASK_KTHREAD;
	p->ending = !t->live;
	if (t->flags & KTALLY_TASK_ZOMBIE)
		l->status = t->status;
}

/* What never executed a program runs its parent's; NULL: it did, or that is not known. */
static struct program *program_passed_on(const struct ktally_watch *w, const struct watched *p,
					 const struct ktally_task *t)
{
	const struct watched *parent;

	if (!(t->flags & KTALLY_TASK_NOEXEC))
		return NULL;
	parent = watched_find(w, p->pub.life.ppid, p->pub.life.parent_start);
	return parent && parent->program && parent->program->image.number == t->image ? parent->program : NULL;
}

/* Another program than the one it is known to run: its exec record is missing. */
static int check_program(struct ktally_watch *w, struct watched *p, const struct ktally_event *ev)
{
	struct program *pr;

	if (p->program && p->program->image.number == ev->u.task.image && !p->program->image.unknown)
		return 0;
	pr = program_passed_on(w, p, &ev->u.task);
	if (pr) {
		share_program(w, p, pr);
		return 1;
	}
	pr = program_of_task(w, ev);
	if (!pr)
		return -ENOMEM;
	take_program(w, p, pr);
	return 1;
}

/* Of those who sleep a look at everybody tells nothing new. */
static bool says_the_same(const struct watched *p, const struct ktally_task *t)
{
	return p->told && !memcmp(&p->pub.life.use, &t->known, sizeof(p->pub.life.use)) &&
	       (t->known >> KTALLY_U_NET == 0 ||
		!memcmp(&p->traffic, t->net_phys, offsetof(struct ktally_traffic, net_flags)));
}

int watched_task(struct ktally_watch *w, const struct ktally_event *ev)
{
	const struct ktally_task *t = &ev->u.task;
	struct watched *p = watched_find(w, t->tgid, t->start);
	bool first = !p, changed;
	int other;

	/* Its exit record is written, or will be. */
	if (p ? p->pub.ended || p->at == SIZE_MAX : !t->live)
		return 0;
	if (!p)
		p = new_process(w, t->tgid, t->start);
	if (!p)
		return -ENOMEM;
	note_sample(w, p, ev);
	take_task(p, t);
	changed = take_owner(p, &t->ppid, ev);
	other = check_program(w, p, ev);
	if (other < 0)
		return other;
	/* Found elsewhere than before: what it spent since is the new group's. */
	if (!p->fresh && (changed || other) && watched_settle(w, p, ev->time))
		return -ENOMEM;
	if (!changed && !other && says_the_same(p, t))
		return 0;
	spend(w, p, &t->known, t->net_phys, p->whole || !first);
	p->told = true;
	tally_hold(p);
	tally_know(w, p);
	return 0;
}

static void end(struct ktally_watch *w, struct watched *p, enum ktally_life_state state, uint64_t time)
{
	struct ktally_tally *t = p->pub.tally;

	p->pub.life.end = state == KTALLY_ENDED ? time : 0;
	p->pub.life.last_seen = time;
	p->pub.ended = p->dirty = true;
	p->pub.life.state = state;
	tally_leave(w, p, time);
	if (t) {
		t->ended++;
		w->all.pub.ended++;
	}
	if (w->ended++ < w->o.most_ended)
		return;
	w->ended--;
	w->interval.ended_unlisted++;
	watched_forget(w, p);
}

void watched_lost(struct ktally_watch *w, struct watched *p, uint64_t time)
{
	w->interval.lost_ends++;
	end(w, p, KTALLY_END_LOST, time);
}

/* One that no record told of before: counted if it was born in the watch. */
static struct watched *met_at_its_end(struct ktally_watch *w, const struct ktally_exit *e, int *err)
{
	struct watched *p;

	*err = 0;
	if (e->start < w->begin && !w->o.older_ends) {
		w->interval.unseen++;
		return NULL;
	}
	p = new_process(w, e->tgid, e->start);
	*err = p ? 0 : -ENOMEM;
	return p;
}

int watched_exit(struct ktally_watch *w, const struct ktally_event *ev)
{
	const struct ktally_exit *e = &ev->u.exit;
	struct watched *p = watched_find(w, e->tgid, e->start);
	struct program *pr = NULL;
	int err = 0;

	if (!p)
		p = met_at_its_end(w, e, &err);
	if (!p || p->pub.ended || p->at == SIZE_MAX)
		return err;
	take_owner(p, &e->ppid, ev);
	if (!p->program) {
		pr = program_of_name(w, e->image, e->comm);
		if (!pr)
			return -ENOMEM;
		take_program(w, p, pr);
	}
	p->pub.life.kthread |= e->flags & KTALLY_EXIT_KTHREAD;
	err = watched_join(w, p, ev->load_id);
	spend(w, p, &e->known, e->net_phys, true);
	tally_hold(p);
	tally_know(w, p);
	p->pub.life.saw_exit = true;
	p->pub.life.status = e->status;
	p->pub.life.exit_flags = e->flags;
	p->pub.life.present = (p->pub.life.present & OWNER_BITS) | (ev->present & ~OWNER_BITS);
	end(w, p, KTALLY_ENDED, ev->time);
	return err;
}

int watched_late(struct ktally_watch *w, const struct ktally_event *ev)
{
	const struct ktally_net_late *n = &ev->u.net_late;
	struct watched *p = watched_find(w, n->tgid, n->start);

	if (!p)
		return 0;
	spend_traffic(w, p, n->net_phys);
	return 0;
}

/* ---- cuts ---- */

/* A walk takes a while: what a process spent is divided by the time between its own samples. */
static uint64_t length_of(const struct ktally_watch *w, const struct watched *p)
{
	const struct ktally_interval *i = &w->interval;
	uint64_t from = p->sampled_before_in + 1 == i->number ? p->sampled_before : i->begin;
	uint64_t to = p->sampled_in == i->number ? p->sampled : i->end;

	if (p->pub.ended || p->pub.begun || p->sampled_in != i->number || !p->sampled_before || to <= from)
		return i->end > i->begin ? i->end - i->begin : 1;
	return to - from;
}

void watched_cut(const struct ktally_watch *w, struct watched *p)
{
	struct tally *t = (struct tally *)p->pub.tally;
	double length = (double)length_of(w, p);
	const uint64_t *cpu = p->pub.interval.of;

	p->pub.rate = (struct ktally_rate){
		(double)cpu[0] / length, (double)cpu[1] / length, (double)cpu[2] / length,
	};
	if (!t)
		return;
	t->pub.rate.cpu += (double)p->here[0] / length;
	t->pub.rate.user += (double)p->here[1] / length;
	t->pub.rate.sys += (double)p->here[2] / length;
}

void watched_next(struct watched *p)
{
	if (!p->dirty)
		return;
	memset(&p->pub.interval, 0, sizeof(p->pub.interval));
	memset(p->here, 0, sizeof(p->here));
	p->pub.rate = (struct ktally_rate){ 0, 0, 0 };
	p->pub.begun = p->dirty = false;
	p->floor = 0;
	tally_hold(p);
}
