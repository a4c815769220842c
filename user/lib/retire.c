// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * retire.c - recordings that are larger than memory: lives that have ended are settled
 * and handed over while records still come, and forgotten. What stays is copied into a
 * new arena and the old one given back as a whole, so that lives need no memory of their
 * own kind. That is done when as many have come as stayed last time, so each record pays
 * for a copy of one life at most. Memory only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define LATE		2000000000ULL	/* ns: records about a life come that much behind its end */
#define LEAST		8192		/* lives: fewer are not worth the work */

void ktally_model_retire(struct ktally_model *m, const struct ktally_stream_info *info,
			 int (*take)(void *arg, const struct ktally_life *l), void *arg)
{
	m->retirement = (struct retirement){ .take = take, .arg = arg, .info = info, .due = LEAST };
}

uint64_t ktally_model_retired(const struct ktally_model *m)
{
	return m->retirement.n;
}

/* ---- who goes ---- */

/* Bytes of its sockets may be told of until the recording ends. */
static bool has_moved_bytes(const struct ktally_life *l)
{
	static const struct ktally_traffic nothing;

	return l->traffic && memcmp(l->traffic, &nothing, sizeof(nothing));
}

static bool is_over(const struct life *l, uint64_t now)
{
	return l->pub.saw_exit && l->pub.last_seen + LATE < now && !has_moved_bytes(&l->pub);
}

/* From the youngest on: who stays keeps its parent, whose names it may have and whose child it is. */
static size_t mark(struct ktally_model *m, uint64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n_lives; i++) {
		m->lives[i]->kept = !is_over(m->lives[i], now);
		settle_parent(m, m->lives[i]);
	}
	for (size_t i = m->n_lives; i-- > 0;) {
		struct life *l = m->lives[i];

		if (!l->kept)
			continue;
		kept++;
		if (l->pub.parent)
			((struct life *)l->pub.parent)->kept = true;
	}
	return kept;
}

/* ---- who stays ---- */

/* What *p points at, once more in the arena. */
static int copy_part(struct arena *a, const void *p, size_t n)
{
	const void **at = (const void **)p;

	if (!*at)
		return 0;
	*at = arena_copy(a, *at, n);
	return *at ? 0 : -ENOMEM;
}

static int copy_text(struct arena *a, const char **text)
{
	return *text ? copy_part(a, text, strlen(*text)) : 0;
}

static int copy_image(struct arena *a, struct ktally_image *im)
{
	if (copy_text(a, &im->filename) || copy_text(a, &im->interp) ||
	    copy_part(a, &im->argv, im->argv_room ? im->argv_room : im->argv_len))
		return -ENOMEM;
	return copy_part(a, &im->at_begin, sizeof(*im->at_begin));
}

static struct life *copy_life(struct arena *a, const struct life *from)
{
	struct life *l = arena_copy(a, from, sizeof(*from));

	if (!l || copy_part(a, &l->pub.traffic, sizeof(*l->pub.traffic)) ||
	    copy_part(a, &l->base_use, sizeof(*l->base_use)) ||
	    copy_part(a, &l->base_traffic, sizeof(*l->base_traffic)) ||
	    copy_part(a, &l->pub.images, l->pub.room * sizeof(*l->pub.images)))
		return NULL;
	for (uint32_t i = 0; i < l->pub.n_images; i++)
		if (copy_image(a, &l->pub.images[i]))
			return NULL;
	return l;
}

/* A model of those that stay, as they are before anything is settled. */
static int copy_kept(struct ktally_model *to, const struct ktally_model *m)
{
	for (size_t i = 0; i < m->n_lives; i++) {
		struct life *l;

		if (!m->lives[i]->kept)
			continue;
		l = copy_life(&to->arena, m->lives[i]);
		if (!l || model_list(to, l))
			return -ENOMEM;
	}
	return 0;
}

/* ---- both ---- */

/* Names are inherited along all lives, as when all are settled; only those that go are given. */
static int hand_over(struct ktally_model *m)
{
	struct retirement *r = &m->retirement;

	for (size_t i = 0; i < m->n_lives; i++) {
		struct life *l = m->lives[i];

		image_inherit(l);
		if (l->kept)
			continue;
		if (settle_end(m, l))
			return -ENOMEM;
		l->pub.in_tree = true;
		settle_count(&r->counted, l);
		r->young += settle_dumped_young(l, r->info);
		r->n++;
		if (r->take(r->arg, &l->pub))
			return -ENOMEM;
	}
	return 0;
}

static void replace_lives(struct ktally_model *m, struct ktally_model *by)
{
	struct ktally_model old = { .arena = m->arena, .by_key = m->by_key, .lives = m->lives };

	m->arena = by->arena;
	m->by_key = by->by_key;
	m->lives = by->lives;
	m->n_lives = by->n_lives;
	m->room = by->room;
	m->newest = NULL;
	arena_free(&old.arena);
	table_free(&old.by_key);
	free(old.lives);
}

int retire_due(struct ktally_model *m, uint64_t now)
{
	struct ktally_model kept = { .n_lives = 0 };
	size_t n;

	settle_sort(m);
	n = mark(m, now);
	m->retirement.due = 2 * n + LEAST;
	if (2 * n > m->n_lives)
		return 0;
	if (copy_kept(&kept, m) || hand_over(m)) {
		arena_free(&kept.arena);
		table_free(&kept.by_key);
		free(kept.lives);
		return -ENOMEM;
	}
	replace_lives(m, &kept);
	return 0;
}
