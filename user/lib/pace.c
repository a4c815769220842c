// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pace.c - each program's use as a rate between its two ends: a list of changes in
 * order of time, that a cursor adds up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pace.h"

static bool known(const struct ktally_use *u, enum ktally_usage bit)
{
	return u->known >> bit & 1;
}

static double amount(const struct ktally_use *u, enum ktally_usage bit, uint64_t value)
{
	return known(u, bit) ? (double)value : 0.0;
}

/* run_delay at an exec is of one thread only: only a life's whole is told, by its last image. */
static void fill_rates(double rate[PACE_KINDS], const struct ktally_use *u, double ns)
{
	rate[PACE_CPU] = amount(u, KTALLY_U_RUNTIME, u->runtime) / ns;
	rate[PACE_DELAY] = amount(u, KTALLY_U_RUN_DELAY, u->run_delay) / ns;
	rate[PACE_READ] = amount(u, KTALLY_U_READ_BYTES, u->read_bytes) / ns;
	rate[PACE_WRITE] = amount(u, KTALLY_U_WRITE_BYTES, u->write_bytes) / ns;
	rate[PACE_ALIVE] = 1.0;
}

static void add_edges(struct pace *p, const struct ktally_use *u, uint64_t from, uint64_t to,
		      bool counts)
{
	struct pace_edge *begin = &p->edges[p->n], *end = begin + 1;

	if (to <= from)
		to = from + 1;
	fill_rates(begin->rate, u, (double)(to - from));
	begin->rate[PACE_ALIVE] = counts;
	begin->time = from;
	end->time = to;
	for (int k = 0; k < PACE_KINDS; k++)
		end->rate[k] = -begin->rate[k];
	p->n += 2;
}

static int compare_edges(const void *a, const void *b)
{
	const struct pace_edge *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* What began before the recording is known in one sum, from its start on. */
static void use_of(const struct ktally_life *l, size_t i, struct ktally_use *use)
{
	ktally_image_use(l, i, use);
	if (use->known || i)
		return;
	if (l->n_images == 1)
		*use = l->use;
	else if (l->images[1].at_begin)
		*use = *l->images[1].at_begin;
}

static void add_life(struct pace *p, const struct boot *b, const struct ktally_life *l)
{
	/* What it ran before its first exec that was seen. */
	if (l->n_images && l->images[0].at_begin && l->images[0].begin > l->start)
		add_edges(p, l->images[0].at_begin, l->start, l->images[0].begin, !l->kthread);
	for (size_t i = 0; i < l->n_images; i++) {
		uint64_t from = l->images[i].begin_known ? l->images[i].begin : l->start;
		struct ktally_use use;

		use_of(l, i, &use);
		add_edges(p, &use, from, boot_image_end(b, l, i), !l->kthread);
	}
}

int pace_make(struct pace *p, const struct boot *b)
{
	size_t room = 1;

	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < b->n_lives; i++)
		room += 2 * (b->lives[i]->n_images + 1);
	p->edges = calloc(room, sizeof(*p->edges));
	if (!p->edges)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_lives; i++)
		add_life(p, b, b->lives[i]);
	qsort(p->edges, p->n, sizeof(*p->edges), compare_edges);
	return 0;
}

void pace_begin(struct pace_cursor *c, const struct pace *p)
{
	memset(c, 0, sizeof(*c));
	c->pace = p;
}

static void run_to(struct pace_cursor *c, uint64_t to, double sum[PACE_KINDS])
{
	for (int k = 0; k < PACE_KINDS; k++)
		sum[k] += c->rate[k] * (double)(to - c->time);
	c->time = to;
}

void pace_advance(struct pace_cursor *c, uint64_t to, double sum[PACE_KINDS])
{
	memset(sum, 0, PACE_KINDS * sizeof(*sum));
	while (c->next < c->pace->n && c->pace->edges[c->next].time <= to) {
		const struct pace_edge *e = &c->pace->edges[c->next++];

		run_to(c, e->time, sum);
		for (int k = 0; k < PACE_KINDS; k++)
			c->rate[k] += e->rate[k];
	}
	run_to(c, to, sum);
	/* What rounding leaves of many sums and differences. */
	for (int k = 0; k < PACE_KINDS; k++)
		if (sum[k] < 0)
			sum[k] = 0;
}

void pace_free(struct pace *p)
{
	free(p->edges);
	memset(p, 0, sizeof(*p));
}

/* ---- gaps ---- */

struct event {
	uint64_t time;
	enum gap_end kind;
	const struct ktally_life *life;
};

struct events {
	struct event *all;
	size_t n;
};

static void add_event(struct events *e, const struct boot *b, uint64_t time, enum gap_end kind,
		      const struct ktally_life *life)
{
	if (time > b->load && time < b->end.time)
		e->all[e->n++] = (struct event){ time, kind, life };
}

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static int list_events(struct events *e, const struct boot *b)
{
	size_t room = 2;

	for (size_t i = 0; i < b->n_lives; i++)
		room += 2 + b->lives[i]->n_images;
	e->n = 0;
	e->all = calloc(room, sizeof(*e->all));
	if (!e->all)
		return -ENOMEM;
	e->all[e->n++] = (struct event){ b->load, GAP_OVER, NULL };
	for (size_t i = 0; i < b->n_lives; i++) {
		const struct ktally_life *l = b->lives[i];

		if (l->saw_fork)
			add_event(e, b, l->start, GAP_FORK, l);
		for (size_t k = 0; k < l->n_images; k++)
			if (l->images[k].has_exec)
				add_event(e, b, l->images[k].begin, GAP_EXEC, l);
		if (l->state == KTALLY_ENDED)
			add_event(e, b, l->end, GAP_EXIT, l);
	}
	e->all[e->n++] = (struct event){ b->end.time, GAP_OVER, NULL };
	qsort(e->all, e->n, sizeof(*e->all), compare_events);
	return 0;
}

int gaps_find(struct gaps *g, const struct boot *b, const struct pace *p, uint64_t least,
	      double share)
{
	double sum[PACE_KINDS];
	struct pace_cursor c;
	struct events e;

	memset(g, 0, sizeof(*g));
	if (list_events(&e, b))
		return -ENOMEM;
	g->all = calloc(e.n, sizeof(*g->all));
	pace_begin(&c, p);
	for (size_t i = 1; g->all && i < e.n; i++) {
		uint64_t from = e.all[i - 1].time, to = e.all[i].time;

		if (to < from + least)
			continue;
		pace_advance(&c, from, sum);
		pace_advance(&c, to, sum);
		if (sum[PACE_CPU] <= share * (double)(to - from))
			g->all[g->n++] = (struct gap){ from, to, sum[PACE_CPU], e.all[i].kind,
						       e.all[i].life };
	}
	free(e.all);
	return g->all ? 0 : -ENOMEM;
}

void gaps_free(struct gaps *g)
{
	free(g->all);
	memset(g, 0, sizeof(*g));
}
