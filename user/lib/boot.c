// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * boot.c - phases, marks and the end of a recorded boot. The axis begins with the
 * kernel's clock; from the module's load on every process is in the records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "place.h"

static int keep_mark(struct boot *b, const struct ktally_event *ev)
{
	struct boot_mark *m;

	if (b->n_marks == b->room_marks) {
		size_t room = b->room_marks ? 2 * b->room_marks : 16;

		m = realloc(b->marks, room * sizeof(*m));
		if (!m)
			return -ENOMEM;
		b->marks = m;
		b->room_marks = room;
	}
	m = &b->marks[b->n_marks];
	*m = (struct boot_mark){ .time = ev->time, .tgid = ev->u.mark.tgid };
	m->text = arena_copy(&b->arena, ev->str[0].p ? ev->str[0].p : "", ev->str[0].len);
	b->n_marks += !!m->text;
	return m->text ? 0 : -ENOMEM;
}

int boot_see(void *arg, const struct ktally_event *ev)
{
	struct boot *b = arg;

	if (!ev->decoded || ev->boot)
		return 0;
	if (ev->kind == KTALLY_MARK)
		return keep_mark(b, ev);
	/* The module itself walks at its load, whoever takes over once more. */
	if (ev->kind == KTALLY_WALK_BEGIN && ev->u.walk_begin.purpose == KTALLY_WALK_OPENING) {
		const struct ktally_common *common = ev->payload;

		b->saved = ev->time;
		b->saver = (uint32_t)common->pid;
	}
	return 0;
}

/* ---- lives on the axis ---- */

uint64_t boot_life_end(const struct boot *b, const struct ktally_life *l)
{
	uint64_t end = l->state == KTALLY_ENDED ? l->end : b->info->last_time;

	if (l->state == KTALLY_END_LOST || l->state == KTALLY_END_UNSEEN)
		end = l->last_seen;
	return end > l->start ? end : l->start;
}

uint64_t boot_image_end(const struct boot *b, const struct ktally_life *l, size_t i)
{
	return l->images[i].end ? l->images[i].end : boot_life_end(b, l);
}

const struct ktally_image *boot_image_at(const struct ktally_life *l, uint64_t time)
{
	const struct ktally_image *im = NULL;

	for (size_t i = 0; i < l->n_images; i++)
		if (l->images[i].begin <= time)
			im = &l->images[i];
	return im;
}

/* PID 1 is every unit's, and its own scope is no unit of what it forks. */
struct ktally_str boot_unit_of(const struct boot *b, const struct ktally_life *l)
{
	static const char own[] = "init.scope";
	struct ktally_str unit = { "", 0 };
	const char *path = NULL;

	if (!l->kthread && l != b->init)
		path = ktally_model_cgroup(b->model, l->boot, l->owner.cgroup);
	if (path)
		unit = place_unit(path);
	if (unit.len == sizeof(own) - 1 && !memcmp(unit.p, own, unit.len))
		unit.len = 0;
	return unit;
}

/* ---- phases ---- */

static bool forked_within(const struct ktally_life *l, uint64_t from, uint64_t to)
{
	for (const struct ktally_life *c = l->child; c; c = c->sibling)
		if (c->saw_fork && c->start >= from && c->start < to)
			return true;
	return false;
}

/*
 * The system begins where PID 1 executes its last program that starts processes of
 * its own: run-init and switch_root only pass through.
 */
static uint64_t system_begin(const struct boot *b)
{
	const struct ktally_life *init = b->init;

	for (size_t i = init ? init->n_images : 0; i-- > 0;) {
		const struct ktally_image *im = &init->images[i];
		uint64_t to = im->end ? im->end : UINT64_MAX;

		if (im->has_exec && im->begin < b->end.time && forked_within(init, im->begin, to))
			return im->begin;
	}
	return 0;
}

static void set_phase(struct boot *b, enum boot_phase_kind kind, uint64_t from, uint64_t to)
{
	uint64_t end = b->end.time;

	b->phases[kind] = (struct boot_phase){
		.from = from < end ? from : end, .to = to < end ? to : end, .there = to > from,
	};
}

/* Without an exec of PID 1 the module came only when the system was running. */
static void divide(struct boot *b)
{
	uint64_t system = system_begin(b);

	set_phase(b, BOOT_KERNEL, 0, b->load);
	set_phase(b, BOOT_INITRAMFS, b->load, system ? system : b->load);
	set_phase(b, BOOT_SYSTEM, system ? system : b->load, UINT64_MAX);
}

const char *boot_phase_name(enum boot_phase_kind kind)
{
	static const char *const names[] = { "kernel", "initramfs", "system" };

	return names[kind];
}

/* ---- the end ---- */

static void end_is(struct boot *b, const char *kind, const char *name, uint64_t time,
		   const struct ktally_life *life, const struct unit *unit)
{
	b->end = (struct boot_end){ .time = time, .life = life, .unit = unit };
	snprintf(b->end.name, sizeof(b->end.name), "%s%s", kind, name);
}

static const struct ktally_life *alive_at(const struct boot *b, uint32_t tgid, uint64_t time)
{
	const struct ktally_life *found = NULL;

	for (size_t i = 0; i < b->n_lives; i++)
		if (b->lives[i]->tgid == tgid && b->lives[i]->start <= time)
			found = b->lives[i];
	return found;
}

/* The last of that text: a script may be run again until it succeeds. */
static bool end_mark(struct boot *b, const char *name)
{
	for (size_t i = b->n_marks; i-- > 0;) {
		const struct boot_mark *m = &b->marks[i];

		if (name && strcmp(m->text, name))
			continue;
		end_is(b, "mark ", m->text, m->time, alive_at(b, m->tgid, m->time), NULL);
		return true;
	}
	return false;
}

static bool end_unit(struct boot *b, const char *name)
{
	const struct unit *u = name ? units_find(&b->units, name, strlen(name)) : NULL;

	if (!u || !u->active)
		return false;
	end_is(b, "", u->id, u->active, NULL, u);
	return true;
}

static bool named(const struct ktally_image *im, const char *name)
{
	struct ktally_str program = ktally_image_program(im);

	return program.p && program.len == strlen(name) && !memcmp(program.p, name, program.len);
}

static bool end_process(struct boot *b, const char *name, bool at_exit)
{
	const struct ktally_life *found = NULL;
	uint64_t time = UINT64_MAX;

	for (size_t i = 0; i < b->n_lives; i++)
		for (size_t k = 0; k < b->lives[i]->n_images; k++) {
			const struct ktally_image *im = &b->lives[i]->images[k];
			uint64_t at = at_exit ? im->end : im->begin;

			if (im->has_exec && at && at < time && named(im, name)) {
				found = b->lives[i];
				time = at;
			}
		}
	if (found)
		end_is(b, at_exit ? "end of " : "", name, time, found, NULL);
	return found;
}

static bool end_exec(struct boot *b, const char *name)
{
	return end_process(b, name, false);
}

static bool end_exit(struct boot *b, const char *name)
{
	return end_process(b, name, true);
}

static bool end_last(struct boot *b, const char *name)
{
	(void)name;
	end_is(b, "", "the last record", b->info->last_time, b->init, NULL);
	return true;
}

/* The saver's own life is no part of what it saves. */
static bool end_saved(struct boot *b, const char *name)
{
	const struct ktally_life *saver = b->saved ? alive_at(b, b->saver, b->saved) : NULL;

	if (!b->saved || (saver && saver->kthread))
		return false;
	(void)name;
	if (saver && saver->start > b->load && saver->parent)
		end_is(b, "", "the saving", saver->start, saver->parent, NULL);
	else
		end_is(b, "", "the saving", b->saved, b->init, NULL);
	return true;
}

static bool end_default(struct boot *b)
{
	return end_unit(b, b->units.target) || end_mark(b, NULL) || end_saved(b, NULL) ||
	       end_last(b, NULL);
}

static bool choose(struct boot *b, const char *what)
{
	static const struct {
		const char *prefix;
		bool (*end)(struct boot *b, const char *name);
	} ways[] = {
		{ "mark:", end_mark }, { "unit:", end_unit }, { "process:", end_exec },
		{ "exit:", end_exit },
	};

	if (!what)
		return end_default(b);
	if (!strcmp(what, "saved"))
		return end_saved(b, NULL);
	if (!strcmp(what, "last"))
		return end_last(b, NULL);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strncmp(what, ways[i].prefix, strlen(ways[i].prefix)))
			return ways[i].end(b, what + strlen(ways[i].prefix));
	return end_mark(b, what) || end_unit(b, what) || end_exec(b, what);
}

int boot_choose_end(struct boot *b, const char *what)
{
	if (!choose(b, what))
		return -ENOENT;
	divide(b);
	return 0;
}

int boot_settle(struct boot *b, const struct ktally_model *model,
		const struct ktally_stream_info *info, const char *note, const char *end)
{
	int ret = note ? units_read(&b->units, &b->arena, note) : 0;

	b->model = model;
	b->info = info;
	b->n_lives = ktally_model_lives(model, &b->lives);
	b->load = info->load_id;
	for (size_t i = 0; i < b->n_lives && !b->init; i++)
		if (b->lives[i]->tgid == 1)
			b->init = b->lives[i];
	if (ret || (end && !boot_choose_end(b, end)))
		return ret;
	return boot_choose_end(b, NULL);
}

void boot_free(struct boot *b)
{
	free(b->marks);
	arena_free(&b->arena);
	memset(b, 0, sizeof(*b));
}
