// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * label.c - what puts a life into a group: the bytes that identify the group, and the
 * name people read. One row per key; memory only.
 */
#include <errno.h>
#include <string.h>

#include "getter.h"
#include "label.h"
#include "table.h"

/* The getters themselves: to look for a field by name takes longer than all else here. */
static struct ktally_str text_of(struct ktally_value v)
{
	return v.type == KTALLY_V_TEXT ? v.t : (struct ktally_str){ NULL, 0 };
}

static struct ktally_str place_of(unsigned int what, const struct ktally_life *l,
				  struct ktally_field_ctx *c)
{
	const struct ktally_field f = { .arg = what };

	return text_of(get_place(&f, l, c));
}

static void label_number(struct label *lb, uint64_t key)
{
	lb->name = lb->key = decimal(lb->name_bytes, sizeof(lb->name_bytes), key);
}

static void life_label(struct label *lb, uint32_t tgid, uint64_t start, uint32_t boot)
{
	memcpy(lb->key_bytes, &tgid, 4);
	memcpy(lb->key_bytes + 4, &boot, 4);
	memcpy(lb->key_bytes + 8, &start, 8);
	label_number(lb, tgid);
	lb->key = (struct ktally_str){ lb->key_bytes, 16 };
}

static void by_process(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	(void)c;
	life_label(lb, l->tgid, l->start, l->boot);
}

static void by_program(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = lb->name = text_of(get_program(NULL, l, c));
}

/* Without a command line, as kernel threads are: by name. */
static void by_command(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = text_of(get_argv(NULL, l, c));
	if (!lb->key.len)
		lb->key = text_of(get_program(NULL, l, c));
	lb->name = lb->key;
}

static void by_user(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	if (!(l->present >> KTALLY_HAS_uid & 1))
		return;
	memcpy(lb->key_bytes, &l->owner.uid, 4);
	lb->key = (struct ktally_str){ lb->key_bytes, 4 };
	lb->name = text_of(get_user(NULL, l, c));
}

static void by_cgroup(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = lb->name = place_of(PLACE_PATH, l, c);
	if (!lb->key.p && l->present >> KTALLY_HAS_cgroup & 1 && l->owner.cgroup)
		label_number(lb, l->owner.cgroup);
}

static void by_unit(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = lb->name = place_of(PLACE_UNIT, l, c);
}

static void by_container(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	lb->key = lb->name = place_of(PLACE_CONTAINER, l, c);
}

static void by_netns(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	(void)c;
	if (l->present >> KTALLY_HAS_netns & 1 && l->owner.netns)
		label_number(lb, l->owner.netns);
}

static void by_parent(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	struct ktally_str name;

	if (!l->birth_time)
		return;
	life_label(lb, l->ppid, l->parent_start, l->boot);
	name = l->parent ? text_of(get_program(NULL, l->parent, c)) : lb->name;
	lb->name = name.len ? name : lb->name;
}

static void by_all(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c)
{
	(void)l, (void)c;
	lb->key = lb->name = (struct ktally_str){ "total", 5 };
}

static const struct {
	const char *name;
	void (*label)(struct label *lb, const struct ktally_life *l, struct ktally_field_ctx *c);
} keys[KTALLY_KEYS] = {
	[KTALLY_BY_PROCESS]	= { "process", by_process },
	[KTALLY_BY_PROGRAM]	= { "program", by_program },
	[KTALLY_BY_COMMAND]	= { "command", by_command },
	[KTALLY_BY_USER]	= { "user", by_user },
	[KTALLY_BY_CGROUP]	= { "cgroup", by_cgroup },
	[KTALLY_BY_UNIT]	= { "unit", by_unit },
	[KTALLY_BY_CONTAINER]	= { "container", by_container },
	[KTALLY_BY_NETNS]	= { "netns", by_netns },
	[KTALLY_BY_PARENT]	= { "parent", by_parent },
	[KTALLY_BY_ALL]		= { "all", by_all },
};

int ktally_key_find(const char *name)
{
	for (int i = 0; i < KTALLY_KEYS; i++)
		if (!strcmp(keys[i].name, name))
			return i;
	return -ENOENT;
}

const char *ktally_key_name(enum ktally_key key)
{
	return keys[key].name;
}

void label_life(struct label *lb, enum ktally_key key, const struct ktally_life *l,
		struct ktally_field_ctx *c)
{
	lb->key = lb->name = (struct ktally_str){ NULL, 0 };
	keys[key].label(lb, l, c);
}

uint64_t label_hash(const struct label *lb)
{
	uint64_t h = lb->key.p ? 14695981039346656037ULL : 1;

	for (uint32_t i = 0; i < lb->key.len; i++)
		h = (h ^ (unsigned char)lb->key.p[i]) * 1099511628211ULL;
	return table_mix(h);
}

bool label_is(const struct label *lb, const struct ktally_str *key)
{
	const struct ktally_str *a = &lb->key;

	return !a->p == !key->p && a->len == key->len && (!a->len || !memcmp(a->p, key->p, a->len));
}
