// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lanes.c - packs a tree of intervals. Bottom up, each family becomes a block that is
 * as high as its lanes and as long as its longest member; children's blocks are laid
 * into the first lanes of their parent that are free at their start. Top down, lanes
 * get their numbers. By hand instead of recursion: chains of forks may be long.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

struct packing {
	struct lanes *l;
	uint64_t *taken;		/* of the lanes of one family: until when */
	size_t room;
};

static bool wanted(const struct boot *b, const struct ktally_life *l, const struct lanes_options *o)
{
	(void)b;
	return l->kthread == (o->who == LANES_KERNEL) && l->start <= o->until;
}

static void begin_bar(struct lane_bar *bar, const struct boot *b, const struct ktally_life *l,
		      const struct lanes_options *o)
{
	uint64_t to = boot_life_end(b, l);

	bar->life = l;
	bar->from = l->start;
	bar->to = to < o->until ? to : o->until;
	bar->height = 1;
	bar->extent = o->room ? o->room(bar, o->arg) : bar->to;
	if (bar->extent < bar->to)
		bar->extent = bar->to;
}

/* Kernel threads stay on one level: whose child they are says nothing. */
static struct lane_bar *parent_bar(const struct ktally_life *l, const struct lanes_options *o)
{
	if (o->who == LANES_KERNEL)
		return NULL;
	for (l = l->parent; l; l = l->parent)
		if (l->user)
			return l->user;
	return NULL;
}

static void plant(struct lanes *l, const struct boot *b, const struct lanes_options *o)
{
	for (size_t i = 0; i < b->n_lives; i++)
		((struct ktally_life *)b->lives[i])->user = NULL;
	for (size_t i = 0; i < b->n_lives; i++) {
		const struct ktally_life *root = b->lives[i];

		if (root->parent)
			continue;
		for (const struct ktally_life *at = root; at; at = ktally_life_next(at, root)) {
			struct lane_bar *bar = &l->bars[l->n];

			if (!wanted(b, at, o))
				continue;
			begin_bar(bar, b, at, o);
			bar->parent = parent_bar(at, o);
			((struct ktally_life *)at)->user = bar;
			l->n++;
		}
	}
}

static int grow(struct packing *p, size_t n)
{
	uint64_t *taken;

	if (n <= p->room)
		return 0;
	taken = realloc(p->taken, 2 * n * sizeof(*taken));
	if (!taken)
		return -ENOMEM;
	p->taken = taken;
	p->room = 2 * n;
	return 0;
}

/* The first of `height` neighbouring lanes that are free at this time. */
static uint32_t find_place(const struct packing *p, uint32_t lanes, uint64_t from, uint32_t height)
{
	uint32_t free_lanes = 0, at = 0;

	for (; at < lanes && free_lanes < height; at++)
		free_lanes = p->taken[at] <= from ? free_lanes + 1 : 0;
	return at - free_lanes;
}

/* One block below its parent's lanes so far; returns how many they are now. */
static int place(struct packing *p, struct lane_bar *bar, uint32_t *lanes)
{
	uint32_t at = find_place(p, *lanes, bar->from, bar->height);

	if (grow(p, at + bar->height))
		return -ENOMEM;
	for (uint32_t i = at; i < at + bar->height; i++)
		p->taken[i] = bar->extent;
	if (at + bar->height > *lanes)
		*lanes = at + bar->height;
	bar->lane = at;
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct lane_bar *x = *(struct lane_bar *const *)a, *y = *(struct lane_bar *const *)b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x > y) - (x < y);
}

/* Children of each bar side by side in one array: their number, then their places. */
static void list_children(struct lanes *l, struct lane_bar **list, uint32_t *tops)
{
	uint32_t at = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->bars[i].parent)
			l->bars[i].parent->n++;
	for (size_t i = 0; i < l->n; i++) {
		l->bars[i].first = at;
		at += l->bars[i].n;
		l->bars[i].n = 0;
	}
	*tops = 0;
	for (size_t i = 0; i < l->n; i++) {
		struct lane_bar *bar = &l->bars[i], *up = bar->parent;

		list[up ? up->first + up->n++ : at + (*tops)++] = bar;
	}
}

static int pack_family(struct packing *p, struct lane_bar **children, uint32_t n, uint32_t *lanes,
		       uint64_t *extent)
{
	*lanes = 0;
	qsort(children, n, sizeof(*children), compare_starts);
	for (uint32_t i = 0; i < n; i++) {
		if (place(p, children[i], lanes))
			return -ENOMEM;
		if (children[i]->extent > *extent)
			*extent = children[i]->extent;
	}
	return 0;
}

static int pack(struct packing *p, struct lane_bar **list)
{
	struct lanes *l = p->l;
	uint32_t tops, lanes;
	uint64_t extent = 0;
	int ret = 0;

	list_children(l, list, &tops);
	for (size_t i = l->n; i-- > 0 && !ret;) {
		struct lane_bar *bar = &l->bars[i];

		ret = pack_family(p, list + bar->first, bar->n, &lanes, &bar->extent);
		bar->height = 1 + lanes;
	}
	if (!ret)
		ret = pack_family(p, list + (l->n - tops), tops, &l->lanes, &extent);
	for (size_t i = 0; i < l->n; i++)
		if (l->bars[i].parent)
			l->bars[i].lane += l->bars[i].parent->lane + 1;
	return ret;
}

int lanes_make(struct lanes *l, const struct boot *b, const struct lanes_options *o)
{
	struct packing p = { .l = l };
	struct lane_bar **list;
	int ret = -ENOMEM;

	memset(l, 0, sizeof(*l));
	l->bars = calloc(b->n_lives + 1, sizeof(*l->bars));
	list = calloc(b->n_lives + 1, sizeof(*list));
	if (l->bars && list) {
		plant(l, b, o);
		ret = pack(&p, list);
	}
	free(list);
	free(p.taken);
	return ret;
}

void lanes_free(struct lanes *l)
{
	free(l->bars);
	memset(l, 0, sizeof(*l));
}
