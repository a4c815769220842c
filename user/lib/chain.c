// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * chain.c - the critical chain, walked backwards from the end.
 *
 * Within processes: a process that goes on after a child of its has ended waited for
 * that child; so the child that ended last before a moment is what the moment waited
 * for, and when its beginning is reached, the parent is asked again. What reads from a
 * pipe waited for who wrote into it. Under systemd a
 * process that PID 1 started was started for its unit, and that unit waited for the
 * one that became active last among those it is ordered after.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"

struct walk {
	const struct boot *b;
	struct chain *c;
	const struct ktally_life *life;	/* where we are; NULL: before all processes */
	const struct unit *unit;	/* that is asked; NULL: life is */
	const struct unit *earlier;	/* what the initramfs's own systemd had active last */
	uint64_t t;
	const struct ktally_life **ended;	/* that ended, by parent and end */
	size_t n_ended;
	unsigned char *seen;		/* units already passed */
	bool oom;
};

static void put(struct walk *w, enum chain_kind kind, const struct unit *unit, uint64_t from)
{
	struct chain *c = w->c;

	/* What was before the load nobody saw. */
	if (kind != CHAIN_KERNEL && from < w->b->load)
		from = w->b->load;
	if (from >= w->t)
		return;
	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		struct chain_link *p = realloc(c->links, room * sizeof(*p));

		if (!p) {
			w->oom = true;
			return;
		}
		c->links = p;
		c->room = room;
	}
	c->links[c->n++] = (struct chain_link){
		.kind = kind, .life = kind == CHAIN_PROCESS ? w->life : NULL, .unit = unit,
		.from = from, .to = w->t,
	};
	w->t = from;
}

static int compare_ends(const void *a, const void *b)
{
	const struct ktally_life *x = *(const struct ktally_life *const *)a;
	const struct ktally_life *y = *(const struct ktally_life *const *)b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* A script may have run a hundred thousand commands: nobody looks through them each time. */
static int sort_ended(struct walk *w)
{
	w->ended = calloc(w->b->n_lives + 1, sizeof(*w->ended));
	if (!w->ended)
		return -ENOMEM;
	for (size_t i = 0; i < w->b->n_lives; i++)
		if (w->b->lives[i]->parent && w->b->lives[i]->state == KTALLY_ENDED)
			w->ended[w->n_ended++] = w->b->lives[i];
	qsort(w->ended, w->n_ended, sizeof(*w->ended), compare_ends);
	return 0;
}

/* The child that ended last, not later than t. */
static const struct ktally_life *ended_last(const struct walk *w, const struct ktally_life *l,
					    uint64_t t)
{
	size_t low = 0, high = w->n_ended;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct ktally_life *c = w->ended[mid];

		if (c->parent < l || (c->parent == l && c->end <= t))
			low = mid + 1;
		else
			high = mid;
	}
	while (low && w->ended[low - 1]->parent == l && w->ended[low - 1]->start >= t)
		low--;
	return low && w->ended[low - 1]->parent == l ? w->ended[low - 1] : NULL;
}

/* The pipe that the life read from at this time; 0: none, or not known. */
static uint32_t reads_from(const struct ktally_life *l, uint64_t t)
{
	const struct ktally_image *im = boot_image_at(l, t);

	return im && im->pipes_known ? im->pipe_in : 0;
}

static bool writes_to(const struct ktally_life *l, uint32_t pipe)
{
	for (size_t i = 0; i < l->n_images; i++)
		if (l->images[i].pipes_known && l->images[i].pipe_out == pipe)
			return true;
	return false;
}

/* In a pipeline: who wrote what it read, and ended last before t. */
static const struct ktally_life *writer_of(const struct ktally_life *l, uint64_t t)
{
	const struct ktally_life *last = NULL;
	uint32_t pipe = reads_from(l, t);

	for (const struct ktally_life *c = pipe && l->parent ? l->parent->child : NULL; c; c = c->sibling)
		if (c != l && c->state == KTALLY_ENDED && c->end <= t && c->end > l->start &&
		    c->start < t && writes_to(c, pipe) && (!last || c->end > last->end))
			last = c;
	return last;
}

static const struct unit *unit_of(const struct walk *w, const struct ktally_life *l)
{
	struct ktally_str id = boot_unit_of(w->b, l);

	return id.len ? units_find(&w->b->units, id.p, id.len) : NULL;
}

/* The beginning of this life is reached: who began it, and why then? */
static void to_parent(struct walk *w)
{
	const struct ktally_life *l = w->life;
	const struct unit *unit = l->parent == w->b->init ? unit_of(w, l) : NULL;

	w->life = l->parent;
	if (!unit || !unit->begin || w->seen[unit - w->b->units.all])
		return;
	/* Systemd notes that a unit has begun when its process is forked already. */
	if (unit->begin < w->t)
		put(w, CHAIN_UNIT, unit, unit->begin);
	w->unit = unit;
}

static bool later(const struct unit *a, const struct unit *b)
{
	return !b || a->active > b->active;
}

/*
 * Among those it is ordered after: what became active last before it began. What the
 * initramfs's own systemd had active comes behind the change of roots.
 */
static const struct unit *waited_for(struct walk *w, const struct unit *u)
{
	uint64_t system = w->b->phases[BOOT_SYSTEM].from;
	const struct unit *last = NULL;

	for (size_t i = 0; i < u->n_after; i++) {
		const struct unit *a = u->after[i];

		if (!a->active || a->active > w->t || w->seen[a - w->b->units.all])
			continue;
		if (w->t > system && a->active < system)
			w->earlier = later(a, w->earlier) ? a : w->earlier;
		else if (later(a, last))
			last = a;
	}
	return last;
}

/* The process of PID 1's that ended last on the way to the unit, else that began last. */
static const struct ktally_life *made_ready(const struct walk *w, const struct unit *u)
{
	const struct ktally_life *ended = NULL, *began = NULL;

	for (const struct ktally_life *c = w->b->init ? w->b->init->child : NULL; c; c = c->sibling) {
		if (c->start > u->active || unit_of(w, c) != u)
			continue;
		if (c->state == KTALLY_ENDED && c->end <= u->active &&
		    (!ended || c->end > ended->end))
			ended = c;
		else if (!began || c->start > began->start)
			began = c;
	}
	return began ? began : ended;
}

/* t is where the unit became active: its processes, or systemd alone. */
static void enter_unit(struct walk *w, const struct unit *u)
{
	const struct ktally_life *l = made_ready(w, u);

	if (!l) {
		put(w, CHAIN_UNIT, u, u->begin && u->begin < w->t ? u->begin : w->t);
		w->unit = u;
		return;
	}
	if (l->state == KTALLY_ENDED && l->end < w->t)
		put(w, CHAIN_UNIT, u, l->end);
	w->life = l;
	w->unit = NULL;
}

static bool before_system(const struct walk *w, const struct ktally_life *child)
{
	return !child || child->end <= w->b->phases[BOOT_SYSTEM].from;
}

/* Back through the change of roots to what the initramfs had ready. */
static void leave_system(struct walk *w)
{
	const struct unit *u = w->earlier;

	w->earlier = NULL;
	if (u->active < w->t)
		put(w, CHAIN_PROCESS, NULL, u->active);
	enter_unit(w, u);
}

static void step_process(struct walk *w)
{
	const struct ktally_life *child = ended_last(w, w->life, w->t);

	if (w->life == w->b->init && w->earlier && before_system(w, child)) {
		leave_system(w);
		return;
	}
	if (!child || child->end <= w->life->start)
		child = writer_of(w->life, w->t);
	if (child && child->end > w->life->start) {
		put(w, CHAIN_PROCESS, NULL, child->end);
		w->life = child;
		return;
	}
	put(w, CHAIN_PROCESS, NULL, w->life->start);
	to_parent(w);
}

/* t is where w->unit began. */
static void step_unit(struct walk *w)
{
	const struct unit *u = w->unit, *before = waited_for(w, u);

	w->seen[u - w->b->units.all] = 1;
	w->unit = NULL;
	w->life = w->b->init;
	if (!before)
		return;		/* PID 1's own affairs */
	put(w, CHAIN_UNIT, u, before->active);
	enter_unit(w, before);
}

static void reverse(struct chain *c)
{
	for (size_t i = 0; i < c->n / 2; i++) {
		struct chain_link link = c->links[i];

		c->links[i] = c->links[c->n - 1 - i];
		c->links[c->n - 1 - i] = link;
	}
}

int chain_make(struct chain *c, const struct boot *b)
{
	struct walk w = { .b = b, .c = c, .life = b->end.life, .t = b->end.time };
	/* Each turn passes a life's beginning, a child's end, or a unit. */
	size_t turns = 4 * (b->n_lives + b->units.n) + 16;

	memset(c, 0, sizeof(*c));
	w.seen = calloc(b->units.n + 1, 1);
	w.oom = !w.seen || sort_ended(&w);
	if (!w.oom && b->end.unit)
		enter_unit(&w, b->end.unit);
	while (!w.oom && w.t > b->load && turns-- && (w.life || w.unit)) {
		if (w.unit)
			step_unit(&w);
		else
			step_process(&w);
	}
	put(&w, CHAIN_KERNEL, NULL, 0);
	free(w.seen);
	free(w.ended);
	reverse(c);
	return w.oom ? -ENOMEM : 0;
}

static const struct ktally_life *common(const struct ktally_life *a, const struct ktally_life *b)
{
	for (; a; a = a->parent)
		if (ktally_life_below(b, a))
			return a;
	return NULL;
}

static bool joins(struct chain_row *last, const struct chain_link *l, uint64_t least)
{
	const struct ktally_life *both;

	if (l->to - l->from >= least || l->kind != CHAIN_PROCESS || !last->life ||
	    (last->links == 1 && last->to - last->from >= least))
		return false;
	both = common(last->life, l->life);
	if (!both)
		return false;
	last->life = both;
	last->to = l->to;
	last->links++;
	return true;
}

size_t chain_fold(const struct chain *c, uint64_t least, struct chain_row *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct chain_link *l = &c->links[i];

		if (!n || !joins(&rows[n - 1], l, least))
			rows[n++] = (struct chain_row){ l, l->life, l->from, l->to, 1 };
	}
	return n;
}

void chain_free(struct chain *c)
{
	free(c->links);
	memset(c, 0, sizeof(*c));
}
