// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands/step-rows.c - scripts, and below each what it did in order: commands, pipelines with
 * their parts, what ran beside it, the programs it became by exec, and the time in which
 * it ran nothing but itself. The library decides what a step is.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "step-rows.h"

enum { DEEPEST = 1000 };	/* levels; a chain of forks may be longer than the stack */

/* The row's place + 1; 0: no memory. */
static size_t add(struct step_rows *s, size_t parent, struct step_row row)
{
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		struct step_row *rows = realloc(s->rows, room * sizeof(*rows));

		if (!rows)
			return 0;
		s->rows = rows;
		s->room = room;
	}
	row.parent = parent;
	row.depth = parent ? s->rows[parent - 1].depth + 1 : 0;
	s->rows[s->n] = row;
	return ++s->n;
}

static uint64_t end_of(const struct step_rows *s, const struct ktally_life *l)
{
	return l->end ? l->end : s->reading->info->last_time;
}

/* The first thing it executed; what it was forked as, if it started others as that. */
uint32_t step_rows_image(const struct ktally_life *l)
{
	for (uint32_t i = 0; i < l->n_images; i++) {
		const struct ktally_image *im = &l->images[i];

		if (im->has_exec || im->unknown)
			return i;
		if (l->child && im->end && l->child->start < im->end)
			return i;
	}
	return 0;
}

bool step_rows_executed(const struct ktally_life *l)
{
	const struct ktally_image *im = l->n_images ? &l->images[step_rows_image(l)] : NULL;

	return im && (im->has_exec || im->unknown || !l->saw_fork);
}

static enum row_kind kind_of(const struct ktally_life *l, bool part)
{
	const struct ktally_image *im = l->n_images ? &l->images[step_rows_image(l)] : NULL;

	if (!im || !step_rows_executed(l))
		return im && ktally_image_is_shell(im) ? SUBSHELL : FORKED;
	if (part)
		return PART;
	return ktally_image_is_script(im) ? SCRIPT : COMMAND;
}

static bool add_life(struct step_rows *s, size_t parent, const struct ktally_life *l,
		     const struct ktally_step *step, enum row_kind kind);

/* Long enough, and not all there is to say of a program that another one became. */
static bool shown(const struct step_rows *s, size_t parent, const struct ktally_step *step)
{
	const struct step_row *up = &s->rows[parent - 1];

	if (up->kind == EXEC && up->self == up->step.end - up->step.begin)
		return false;
	return step->end - step->begin >= s->options->gaps.ns;
}

static bool add_step(struct step_rows *s, size_t parent, const struct ktally_step *step)
{
	struct step_row row = { .step = *step, .kind = PIPELINE };

	if (step->kind == KTALLY_STEP_COMMAND)
		return add_life(s, parent, step->parts[0], step, kind_of(step->parts[0], false));
	if (step->kind == KTALLY_STEP_SELF) {
		row.kind = SELF_TIME;
		row.self = step->end - step->begin;
		return !shown(s, parent, step) || add(s, parent, row);
	}
	/* The library's own go with its steps. */
	row.parts = calloc(step->n_parts, sizeof(*row.parts));
	if (!row.parts)
		return false;
	memcpy(row.parts, step->parts, step->n_parts * sizeof(*row.parts));
	row.step.parts = row.parts;
	parent = add(s, parent, row);
	if (!parent)
		free(row.parts);
	for (size_t i = 0; parent && i < step->n_parts; i++)
		if (!add_life(s, parent, step->parts[i], NULL, kind_of(step->parts[i], true)))
			return false;
	return parent;
}

/* An exec in a script: what it became stands where it happened, its steps below it. */
static size_t add_exec(struct step_rows *s, size_t parent, const struct ktally_life *l,
		       uint32_t image, const struct ktally_steps *steps)
{
	const struct ktally_image *im = &l->images[image];
	struct step_row row = {
		.life = l, .image = image, .kind = EXEC,
		.step = {
			.begin = im->begin, .end = im->end ? im->end : end_of(s, l),
			.ended = im->end,
		},
	};

	row.self = ktally_steps_self(steps, row.step.begin, row.step.end);
	return add(s, parent, row);
}

/* Started nothing and became nothing else. */
static bool plain(const struct ktally_life *l, const struct ktally_step *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i].kind != KTALLY_STEP_SELF || at[i].image > step_rows_image(l))
			return false;
	return true;
}

/*
 * The time between fork and exec is of the shell that forked, as a step; people see
 * one beginning. Moves *i to the last step that is taken in.
 */
static struct ktally_step with_next(const struct ktally_step *at, size_t n, size_t *i,
				    uint32_t first)
{
	struct ktally_step step = at[*i];

	while (step.kind == KTALLY_STEP_SELF && at[*i].image < first && *i + 1 < n &&
	       at[*i + 1].kind == KTALLY_STEP_SELF && at[*i + 1].begin == step.end)
		step.end = at[++*i].end;
	return step;
}

static bool add_steps(struct step_rows *s, size_t self, const struct ktally_life *l,
		      const struct ktally_steps *steps)
{
	const struct ktally_step *at;
	size_t n = ktally_steps_at(steps, &at), under = self;
	uint32_t image = step_rows_image(l);

	if (plain(l, at, n))
		return true;
	for (size_t i = 0; i < n; i++) {
		struct ktally_step step = with_next(at, n, &i, step_rows_image(l));

		while (image < step.image) {
			under = add_exec(s, self, l, ++image, steps);
			if (!under)
				return false;
		}
		if (!add_step(s, under, &step))
			return false;
	}
	return true;
}

static bool deep_enough(struct step_rows *s, size_t row)
{
	uint32_t depth = s->rows[row - 1].depth;

	s->cut |= depth >= DEEPEST && s->rows[row - 1].life->child;
	return depth >= DEEPEST || (s->options->depth && depth >= s->options->depth);
}

/* Of what is older than the recording, the time within it. */
static uint64_t begin_of(const struct step_rows *s, const struct ktally_life *l)
{
	return l->older ? s->reading->info->first_time : l->start;
}

/* Up to where another program took its place: that has a row with its own self. */
static uint64_t own_self(const struct ktally_life *l, const struct ktally_steps *steps)
{
	uint32_t next = step_rows_image(l) + 1;

	return ktally_steps_self(steps, 0, next < l->n_images ? l->images[next].begin : UINT64_MAX);
}

static bool add_life(struct step_rows *s, size_t parent, const struct ktally_life *l,
		     const struct ktally_step *step, enum row_kind kind)
{
	struct ktally_steps *steps = ktally_steps_make(l, s->reading->info);
	struct step_row row = {
		.life = l, .kind = kind, .image = step_rows_image(l),
		.step = {
			.begin = begin_of(s, l), .end = end_of(s, l), .ended = l->state == KTALLY_ENDED,
			.background = step && step->background, .left = step && step->left,
		},
	};
	bool ok;

	if (!steps)
		return false;
	row.self = own_self(l, steps);
	parent = add(s, parent, row);
	ok = parent && (deep_enough(s, parent) || add_steps(s, parent, l, steps));
	ktally_steps_free(steps);
	return ok;
}

/* What people ask for by its name, and what nobody above it was asked for. */
static bool is_root(const struct ktally_life *l, struct sel_match *match)
{
	bool wanted = sel_want(l, match), below = l->parent && l->parent->user;

	((struct ktally_life *)l)->user = wanted || below ? (void *)l : NULL;
	/* Without a name, only where something happened. */
	return wanted && !below && !(sel_empty(match) && l->older && !l->child);
}

/* Which rows have another one of the same parent below them. */
static int mark_more(struct step_rows *s)
{
	bool *last_seen = calloc(s->n + 1, sizeof(*last_seen));

	if (!last_seen)
		return say_error(FAILED, "out of memory");
	for (size_t i = s->n; i-- > 0;) {
		s->rows[i].more = last_seen[s->rows[i].parent];
		last_seen[s->rows[i].parent] = true;
	}
	free(last_seen);
	return OPT_GO_ON;
}

int step_rows_make(struct step_rows *s, struct sel_match *match)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(s->reading->model, &lives);

	for (size_t i = 0; i < n; i++)
		if (is_root(lives[i], match) &&
		    !add_life(s, 0, lives[i], NULL, kind_of(lives[i], false)))
			return say_error(FAILED, "out of memory");
	return mark_more(s);
}

void step_rows_free(struct step_rows *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->rows[i].parts);
		free(s->rows[i].line);
	}
	free(s->rows);
}
