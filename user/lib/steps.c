// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * steps.c - what a process did by starting others: its children, those of a pipeline
 * put together, and between them the time in which it ran nothing but itself.
 *
 * Pure: reads settled lives. Which children are one pipeline is told by the pipes they
 * read and write; only where a recording does not have them, by process group, parent
 * and overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "ktally.h"

#define NEIGHBOURS	64	/* members of a pipeline are forked one after the other */

/* A child while steps are made. */
struct part {
	const struct ktally_life *life;
	uint64_t end;
	uint32_t in, out;	/* pipes; 0 = none */
	bool piped;		/* they are known */
	bool guessed;		/* of the first part: how the others were found */
	size_t first;		/* place of the first part of its step */
	size_t step;		/* of the first part: the step's number */
};

struct ktally_steps {
	const struct ktally_life *life;
	uint64_t begin, end;		/* of the life, within the recording */
	uint64_t last;			/* of the recording */
	struct part *parts;
	size_t n_parts;
	const struct ktally_life **lives;	/* of all steps, step by step */
	struct ktally_step *steps;
	size_t n;
};

/* ---- parts ---- */

/* What was lost or not seen ended after it was last heard of. Never before it began. */
static uint64_t end_of(const struct ktally_life *l, uint64_t last)
{
	uint64_t end = last;

	if (l->state == KTALLY_ENDED)
		end = l->end;
	else if (l->state == KTALLY_END_LOST || l->state == KTALLY_END_UNSEEN)
		end = l->last_seen;
	return end > l->start ? end : l->start;
}

/* The pipes it was given: those of its first image that has any. */
static bool own_pipes(const struct ktally_life *l, struct part *p)
{
	bool known = false;

	for (uint32_t i = 0; i < l->n_images; i++) {
		const struct ktally_image *im = &l->images[i];

		known |= im->pipes_known;
		p->in = p->in ? p->in : im->pipe_in;
		p->out = p->out ? p->out : im->pipe_out;
	}
	return known;
}

/* A subshell that has not ended shows its pipes by what it started. */
static void look_at_pipes(struct part *p)
{
	const struct ktally_life *l = p->life;

	p->piped = own_pipes(l, p);
	for (l = l->child; l && !p->piped; l = l->sibling)
		p->piped = own_pipes(l, p);
}

/* What was there before the recording is no step of it: perhaps it was only adopted. */
static bool counts(const struct ktally_life *child)
{
	return !child->older && !child->kthread;
}

static int collect(struct ktally_steps *s)
{
	size_t n = 0;

	for (const struct ktally_life *l = s->life->child; l; l = l->sibling)
		n += counts(l);
	s->parts = calloc(n + 1, sizeof(*s->parts));
	s->lives = calloc(n + 1, sizeof(*s->lives));
	if (!s->parts || !s->lives)
		return -1;
	for (const struct ktally_life *l = s->life->child; l; l = l->sibling) {
		struct part *p = &s->parts[s->n_parts];

		if (!counts(l))
			continue;
		p->life = l;
		p->end = end_of(l, s->last);
		p->first = s->n_parts++;
		look_at_pipes(p);
	}
	return 0;
}

/* ---- which of them are one ---- */

/* Known only of a shell with job control: it gives each pipeline a group of its own. */
static bool own_group(const struct ktally_steps *s, const struct part *p)
{
	return p->life->owner.pgrp && p->life->owner.pgrp != s->life->owner.pgrp;
}

/* Without pipes: forked while the other one ran, in its group. */
static bool guess_joined(const struct ktally_steps *s, const struct part *a, const struct part *b)
{
	if (a->life->owner.pgrp != b->life->owner.pgrp || b->life->start >= a->end)
		return false;
	return own_group(s, a) || a + 1 == b;
}

static bool piped_together(const struct part *a, const struct part *b)
{
	return (a->out && a->out == b->in) || (a->in && a->in == b->out);
}

static bool no_pipes(const struct part *p)
{
	return p->piped && !p->in && !p->out;
}

static bool joined(const struct ktally_steps *s, const struct part *a, const struct part *b,
		   bool *guessed)
{
	*guessed = !a->piped || !b->piped;
	if (!*guessed)
		return piped_together(a, b);
	return !no_pipes(a) && !no_pipes(b) && guess_joined(s, a, b);
}

static void join(struct ktally_steps *s)
{
	for (size_t i = 1; i < s->n_parts; i++) {
		struct part *b = &s->parts[i];

		for (size_t k = i; k-- > 0 && i - k <= NEIGHBOURS;) {
			bool guessed;

			if (!joined(s, &s->parts[k], b, &guessed))
				continue;
			b->first = s->parts[k].first;
			s->parts[b->first].guessed |= guessed;
			break;
		}
	}
}

/* ---- steps of children ---- */

static uint32_t image_at(const struct ktally_life *l, uint64_t time)
{
	uint32_t i = l->n_images;

	while (i > 1 && l->images[i - 1].begin > time)
		i--;
	return i ? i - 1 : 0;
}

static void begin_step(struct ktally_steps *s, struct part *p)
{
	p->step = s->n++;
	s->steps[p->step] = (struct ktally_step){
		.kind = KTALLY_STEP_COMMAND,
		.guessed = p->guessed,
		.ended = true,
		.image = image_at(s->life, p->life->start),
		.begin = p->life->start,
	};
}

/* Each step has a slice of s->lives. */
static void share_out(struct ktally_steps *s)
{
	const struct ktally_life **lives = s->lives;

	for (size_t i = 0; i < s->n_parts; i++)
		s->steps[s->parts[s->parts[i].first].step].n_parts++;
	for (size_t i = 0; i < s->n; i++) {
		s->steps[i].parts = lives;
		lives += s->steps[i].n_parts;
		s->steps[i].n_parts = 0;
	}
}

static void add_part(struct ktally_step *step, const struct part *p)
{
	((const struct ktally_life **)step->parts)[step->n_parts++] = p->life;
	if (step->n_parts > 1)
		step->kind = KTALLY_STEP_PIPELINE;
	if (p->end > step->end)
		step->end = p->end;
	step->ended &= p->life->state == KTALLY_ENDED;
}

/* Steps come in order of their first parts. */
static void put_together(struct ktally_steps *s)
{
	for (size_t i = 0; i < s->n_parts; i++)
		if (s->parts[i].first == i)
			begin_step(s, &s->parts[i]);
	share_out(s);
	for (size_t i = 0; i < s->n_parts; i++)
		add_part(&s->steps[s->parts[s->parts[i].first].step], &s->parts[i]);
}

/* From the last one back: `next` is when the process next started something. */
static void judge_background(struct ktally_steps *s)
{
	uint64_t next = UINT64_MAX;
	bool gone = s->life->state == KTALLY_ENDED;

	for (size_t i = s->n; i-- > 0;) {
		struct ktally_step *step = &s->steps[i];
		bool outlives = gone ? !step->ended || step->end > s->life->end : !step->ended;

		step->background = next < step->end;
		step->left = outlives && (gone || step->background);
		next = step->begin;
	}
}

/* ---- self ---- */

/* Adds the time from `from` to `to`, cut where an exec began another image. */
static void add_self(struct ktally_steps *s, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint32_t image = image_at(s->life, from);
		uint64_t until = to;

		if (image + 1 < s->life->n_images && s->life->images[image + 1].begin < to)
			until = s->life->images[image + 1].begin;
		s->steps[s->n++] = (struct ktally_step){
			.kind = KTALLY_STEP_SELF, .image = image, .ended = true,
			.begin = from, .end = until,
		};
		from = until;
	}
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Between what ran. Children are in order of begin, so what is behind never opens again. */
static void find_self(struct ktally_steps *s)
{
	uint64_t at = s->begin;
	size_t n = s->n;

	for (size_t i = 0; i < n; i++) {
		uint64_t begin = s->steps[i].begin, end = s->steps[i].end;

		if (s->steps[i].left)
			continue;
		add_self(s, at, at_most(begin, s->end));
		at = end > at ? end : at;
	}
	add_self(s, at, s->end);
}

static int by_begin(const void *a, const void *b)
{
	const struct ktally_step *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->kind != KTALLY_STEP_SELF) - (y->kind != KTALLY_STEP_SELF);
}

/* ---- all of it ---- */

static int make(struct ktally_steps *s)
{
	if (collect(s))
		return -1;
	/* A gap before each child and one behind the last, cut once per image. */
	s->steps = calloc(2 * s->n_parts + 1 + s->life->n_images, sizeof(*s->steps));
	if (!s->steps)
		return -1;
	join(s);
	put_together(s);
	judge_background(s);
	find_self(s);
	qsort(s->steps, s->n, sizeof(*s->steps), by_begin);
	return 0;
}

struct ktally_steps *ktally_steps_make(const struct ktally_life *l,
				       const struct ktally_stream_info *info)
{
	struct ktally_steps *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->life = l;
	s->last = info && info->boots <= 1 ? info->last_time : l->last_seen;
	s->begin = l->older && info ? info->first_time : l->start;
	s->end = end_of(l, s->last);
	if (make(s)) {
		ktally_steps_free(s);
		return NULL;
	}
	return s;
}

size_t ktally_steps_at(const struct ktally_steps *s, const struct ktally_step **steps)
{
	*steps = s->steps;
	return s->n;
}

uint64_t ktally_steps_self(const struct ktally_steps *s, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct ktally_step *step = &s->steps[i];
		uint64_t begin = step->begin > from ? step->begin : from;
		uint64_t end = at_most(step->end, to);

		if (step->kind == KTALLY_STEP_SELF && begin < end)
			sum += end - begin;
	}
	return sum;
}

void ktally_steps_free(struct ktally_steps *s)
{
	if (!s)
		return;
	free(s->parts);
	free(s->lives);
	free(s->steps);
	free(s);
}
