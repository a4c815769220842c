// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - who stands on the screen, and in which order.
 *
 * Rows are made anew for each interval. Sorting looks at one value per row; the tree
 * is the sorted rows dealt out to their parents, so siblings keep the chosen order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "top.h"

enum { DEEPEST = 24 };

/* ---- which ---- */

static bool contains(const char *text, const char *part)
{
	size_t n = strlen(part);

	for (; *text; text++)
		if (!strncasecmp(text, part, n))
			return true;
	return !n;
}

static bool passes(const struct top_rows *t, const struct top_row *r, const struct top_view *view)
{
	static const enum top_column looked_at[] = { TOP_COMMAND, TOP_USER, TOP_PID };
	char text[TOP_TEXT];

	if (!view->filter[0])
		return true;
	for (size_t i = 0; i < sizeof(looked_at) / sizeof(looked_at[0]); i++) {
		struct ktally_value v = top_value(t, r, view, looked_at[i], text, sizeof(text));

		if (v.type == KTALLY_V_U64)
			snprintf(text, sizeof(text), "%llu", (unsigned long long)v.u);
		if (v.type != KTALLY_V_UNKNOWN && contains(text, view->filter))
			return true;
	}
	return false;
}

static void add(struct top_rows *t, const struct ktally_watched *p, const struct ktally_tally *tally)
{
	t->row[t->n_rows++] = (struct top_row){ .process = p, .tally = tally };
}

/* ---- many that ended: one row per program ---- */

static int by_program(const void *a, const void *b)
{
	const struct ktally_watched *x = *(const struct ktally_watched *const *)a;
	const struct ktally_watched *y = *(const struct ktally_watched *const *)b;

	return strncmp(x->life.owner.comm, y->life.owner.comm, KTALLY_COMM_LEN);
}

static void fold_one(struct ktally_tally *to, const struct ktally_watched *p)
{
	const struct ktally_use *use = &p->life.use;

	if (!to->name.p) {
		to->name.p = p->life.owner.comm;
		to->name.len = (uint32_t)strnlen(p->life.owner.comm, KTALLY_COMM_LEN);
	}
	to->ended++;
	to->known |= use->known | p->life.net_known;
	to->upper |= use->upper;
	to->rate.cpu += p->rate.cpu;
	to->total.of[KTALLY_COST_CPU] += use->runtime;
	for (int i = 0; i < KTALLY_COSTS; i++)
		to->interval.of[i] += p->interval.of[i];
	/* They need not have lived at the same time: the largest is what is sure. */
	if (use->peak_rss > to->peak)
		to->peak = use->peak_rss;
}

static int fold(struct top_rows *t, const struct ktally_watched **ended, size_t n)
{
	t->folded = calloc(n, sizeof(*t->folded));
	if (!t->folded)
		return -ENOMEM;
	qsort(ended, n, sizeof(*ended), by_program);
	for (size_t i = 0; i < n; i++) {
		if (!i || by_program(&ended[i - 1], &ended[i]))
			t->n_folded++;
		fold_one(&t->folded[t->n_folded - 1], ended[i]);
	}
	for (size_t i = 0; i < t->n_folded; i++)
		add(t, NULL, &t->folded[i]);
	return 0;
}

static int add_processes(struct top_rows *t, struct ktally_watched *const *all, size_t n, size_t most_ended)
{
	const struct ktally_watched **ended = malloc((n + 1) * sizeof(*ended));
	size_t n_ended = 0;
	int err = 0;

	if (!ended)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		all[i]->user = NULL;
		if (!all[i]->tally)
			continue;
		if (all[i]->ended)
			ended[n_ended++] = all[i];
		else
			add(t, all[i], NULL);
	}
	if (n_ended > most_ended)
		err = fold(t, ended, n_ended);
	else
		for (size_t i = 0; i < n_ended; i++)
			add(t, ended[i], NULL);
	free(ended);
	return err;
}

static void add_groups(struct top_rows *t, struct ktally_tally *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i]->alive || all[i]->begun || all[i]->ended)
			add(t, NULL, all[i]);
}

/* ---- in which order ---- */

static int compare_keys(const struct top_row *a, const struct top_row *b)
{
	const struct ktally_value *x = &a->key, *y = &b->key;

	if (x->type != y->type)
		return (x->type != KTALLY_V_UNKNOWN) - (y->type != KTALLY_V_UNKNOWN);
	switch (x->type) {
	case KTALLY_V_U64:
		return (x->u > y->u) - (x->u < y->u);
	case KTALLY_V_DOUBLE:
		return (x->d > y->d) - (x->d < y->d);
	case KTALLY_V_TEXT:
		return strcmp(a->text, b->text);
	default:
		return 0;
	}
}

/* Equal ones keep still: by PID, groups by name. */
static int compare_fixed(const struct top_row *x, const struct top_row *y)
{
	size_t n;

	if (!x->process != !y->process)
		return x->process ? -1 : 1;
	if (x->process)
		return (x->process->life.tgid > y->process->life.tgid) - (x->process->life.tgid < y->process->life.tgid);
	n = x->tally->name.len < y->tally->name.len ? x->tally->name.len : y->tally->name.len;
	return n ? memcmp(x->tally->name.p, y->tally->name.p, n) : 0;
}

static int ascending(const void *a, const void *b)
{
	int c = compare_keys(a, b);

	return c ? c : compare_fixed(a, b);
}

static int descending(const void *a, const void *b)
{
	int c = compare_keys(b, a);

	return c ? c : compare_fixed(a, b);
}

static void sort(struct top_rows *t, const struct top_view *view)
{
	bool up = top_columns[view->sort].ascending != view->reverse;

	for (size_t i = 0; i < t->n_rows; i++) {
		struct top_row *r = &t->row[i];

		r->key = top_value(t, r, view, view->sort, r->text, sizeof(r->text));
	}
	qsort(t->row, t->n_rows, sizeof(*t->row), up ? ascending : descending);
}

/* ---- who below whom ---- */

static struct top_row *parent_of(struct ktally_watch *w, const struct top_row *r)
{
	const struct ktally_watched *p;

	if (!r->process)
		return NULL;
	p = ktally_watch_find(w, r->process->life.ppid, r->process->life.parent_start);
	return p && p != r->process ? p->user : NULL;
}

static void link_rows(struct top_rows *t, struct ktally_watch *w, struct ktally_watched *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		all[i]->user = NULL;
	for (size_t i = 0; i < t->n_rows; i++) {
		struct top_row *r = &t->row[i];

		r->last_child = &r->child;
		if (r->process)
			ktally_watch_find(w, r->process->life.tgid, r->process->life.start)->user = r;
	}
	for (size_t i = 0; i < t->n_rows; i++) {
		struct top_row *r = &t->row[i], *parent = parent_of(w, r);

		r->has_parent = parent;
		if (!parent)
			continue;
		*parent->last_child = r;
		parent->last_child = &r->sibling;
	}
}

/* A row that passes is shown with all above it. */
static bool mark_wanted(struct top_row *r)
{
	for (struct top_row *c = r->child; c; c = c->sibling)
		r->wanted |= mark_wanted(c);
	return r->wanted;
}

static void lay(struct top_rows *t, struct top_row *r, unsigned int depth, uint32_t stems)
{
	unsigned int at = depth < DEEPEST ? depth : DEEPEST;
	const struct top_row *next = r->sibling;

	if (!r->wanted)
		return;
	while (next && !next->wanted)
		next = next->sibling;
	r->depth = (uint8_t)at;
	r->stems = next ? stems | 1u << at : stems & ~(1u << at);
	t->order[t->n++] = r;
	for (struct top_row *c = r->child; c; c = c->sibling)
		lay(t, c, at + 1, r->stems);
}

static void order_tree(struct top_rows *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (!t->row[i].has_parent)
			mark_wanted(&t->row[i]);
	for (size_t i = 0; i < t->n_rows; i++)
		if (!t->row[i].has_parent)
			lay(t, &t->row[i], 0, 0);
}

static void order_flat(struct top_rows *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (t->row[i].wanted)
			t->order[t->n++] = &t->row[i];
}

/* ---- all of it ---- */

static int make_room(struct top_rows *t, size_t n)
{
	free(t->folded);
	t->folded = NULL;
	t->n_folded = t->n_rows = t->n = 0;
	if (n <= t->room)
		return 0;
	free(t->row);
	free(t->order);
	t->row = malloc(n * sizeof(*t->row));
	t->order = malloc(n * sizeof(*t->order));
	t->room = t->row && t->order ? n : 0;
	return t->room ? 0 : -ENOMEM;
}

int top_rows_make(struct top_rows *t, struct ktally_watch *watch, struct ktally_field_ctx *ctx,
		  const struct top_view *view, size_t most_ended)
{
	const struct ktally_interval *interval = ktally_watch_interval(watch);
	struct ktally_watched *const *processes;
	struct ktally_tally *const *tallies;
	size_t n_processes = ktally_watch_processes(watch, &processes);
	size_t n_tallies = ktally_watch_tallies(watch, &tallies);
	int err = make_room(t, n_processes + n_tallies + 1);

	if (err)
		return err;
	t->ctx = ctx;
	t->begin = interval->begin;
	t->end = interval->end;
	if (view->groups)
		add_groups(t, tallies, n_tallies);
	else
		err = add_processes(t, processes, n_processes, most_ended);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].wanted = passes(t, &t->row[i], view);
	sort(t, view);
	if (view->tree && !view->groups) {
		link_rows(t, watch, processes, n_processes);
		order_tree(t);
	} else {
		order_flat(t);
	}
	return 0;
}

void top_rows_free(struct top_rows *t)
{
	free(t->row);
	free(t->order);
	free(t->folded);
	memset(t, 0, sizeof(*t));
}
