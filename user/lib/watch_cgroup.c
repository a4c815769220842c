// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watch_cgroup.c - paths of control groups. A removed one keeps its path until 256
 * more are gone: what ended in it is still to be named.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "watch.h"

static struct place_path *find(const struct ktally_watch *w, uint64_t id)
{
	uint64_t hash = table_mix(id);
	struct hash_link *l = NULL;

	while ((l = hash_find(&w->cgroups, hash, l))) {
		struct place_path *c = hash_entry(l, struct place_path, link);

		if (c->id == id)
			return c;
	}
	return NULL;
}

const char *ktally_watch_cgroup(const struct ktally_watch *w, uint64_t id)
{
	const struct place_path *c = find(w, id);

	return c ? c->path : NULL;
}

static void forget(struct ktally_watch *w, struct place_path *c)
{
	if (!c)
		return;
	hash_remove(&w->cgroups, &c->link);
	w->bytes -= sizeof(*c) + strlen(c->path) + 1;
	free(c->path);
	free(c);
}

static int removed(struct ktally_watch *w, struct place_path *c)
{
	if (!c || c->removed)
		return 0;
	if (!w->gone)
		w->gone = calloc(GONE_MOST, sizeof(struct place_path *));
	if (!w->gone)
		return -ENOMEM;
	forget(w, w->gone[w->gone_at]);
	w->gone[w->gone_at] = c;
	w->gone_at = (w->gone_at + 1) % GONE_MOST;
	c->removed = true;
	return 0;
}

static int name(struct ktally_watch *w, uint64_t id, struct place_path *c, const struct ktally_str *s)
{
	char *path = strndup(s->p, s->len);

	if (!path)
		return -ENOMEM;
	if (c) {
		w->bytes -= strlen(c->path);
		free(c->path);
	} else {
		c = calloc(1, sizeof(*c));
		if (!c || hash_add(&w->cgroups, table_mix(id), &c->link)) {
			free(c);
			free(path);
			return -ENOMEM;
		}
		c->id = id;
		w->bytes += sizeof(*c) + 1;
	}
	c->path = path;
	w->bytes += strlen(path);
	return 0;
}

int cgroup_take(struct ktally_watch *w, const struct ktally_event *ev)
{
	enum { REMOVED = 3 };
	struct place_path *c = find(w, ev->u.cgroup.id);

	if (ev->u.cgroup.op == REMOVED)
		return removed(w, c);
	return ev->str[0].p ? name(w, ev->u.cgroup.id, c, &ev->str[0]) : 0;
}

static void free_paths(struct hash *cgroups)
{
	for (size_t i = 0; i < cgroups->room; i++) {
		struct hash_link *l = cgroups->heads[i];

		while (l) {
			struct place_path *c = hash_entry(l, struct place_path, link);

			l = l->next;
			free(c->path);
			free(c);
		}
	}
}

void cgroup_free_all(struct ktally_watch *w)
{
	free_paths(&w->cgroups);
	hash_free(&w->cgroups);
	free(w->gone);
}
