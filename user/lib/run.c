// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * run.c - how often and how long commands ran. A run is one executed image: from its
 * exec to the next exec of the same process or to its end. Runs of one name are a
 * command; only those seen from beginning to end are in its figures, the others are
 * counted beside them.
 */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "ktally.h"

struct ktally_runs {
	struct ktally_runs_options options;
	struct arena arena;		/* folded names */
	struct ktally_run *runs;	/* by command; in each, whole ones first, by duration */
	size_t n;
	struct ktally_command *commands;
	size_t n_commands;
	size_t older, open;
};

/* ---- names ---- */

static struct ktally_str text(const char *s)
{
	return (struct ktally_str){ s, s ? (uint32_t)strlen(s) : 0 };
}

static struct ktally_str user_of(const struct ktally_life *l, struct ktally_field_ctx *ctx)
{
	return text(ctx->user_name ? ctx->user_name(l->owner.uid, ctx->arg) : NULL);
}

static struct ktally_str plain_name(const struct ktally_run *run,
				    const struct ktally_runs_options *o)
{
	const struct ktally_image *im = ktally_run_image(run);

	switch (o->key) {
	case KTALLY_RUN_PROGRAM:
		return ktally_image_program(im);
	case KTALLY_RUN_CALLED:
		return ktally_image_called(im);
	case KTALLY_RUN_PATH:
		return im->filename ? text(im->filename) : ktally_image_program(im);
	case KTALLY_RUN_COMMAND:
		if (im->argv && im->argv_len)
			return (struct ktally_str){ im->argv, im->argv_len };
		return ktally_image_program(im);
	case KTALLY_RUN_COMM:
		return (struct ktally_str){ im->comm, strnlen(im->comm, sizeof(im->comm)) };
	case KTALLY_RUN_USER:
		return user_of(run->life, o->ctx);
	default:
		return ktally_image_script(im);
	}
}

/* -1: no memory. */
static int name(struct ktally_runs *r, struct ktally_run *run)
{
	char *folded;

	run->name = plain_name(run, &r->options);
	if (!r->options.fold || !run->name.len)
		return 0;
	folded = arena_alloc(&r->arena, run->name.len + 1);
	if (!folded)
		return -1;
	run->name.len = (uint32_t)ktally_fold(folded, run->name.p, run->name.len);
	run->name.p = folded;
	return 0;
}

/* ---- runs ---- */

const struct ktally_image *ktally_run_image(const struct ktally_run *run)
{
	return &run->life->images[run->image];
}

/* The first image of a forked life is its parent's program, not a run of its own. */
static bool counts(const struct ktally_runs *r, const struct ktally_life *l, uint32_t image)
{
	const struct ktally_image *im = &l->images[image];

	if (im->has_exec || im->unknown)
		return true;
	if (!l->saw_fork)
		return !l->kthread;	/* older than the recording: it executed something once */
	return r->options.forks && l->n_images == 1;
}

static int add(struct ktally_runs *r, const struct ktally_life *l, uint32_t image)
{
	const struct ktally_image *im = &l->images[image];
	struct ktally_run *run = &r->runs[r->n++];

	*run = (struct ktally_run){ .life = l, .image = image, .last = image + 1 == l->n_images };
	run->whole = im->begin_known && im->end && im->end >= im->begin;
	run->duration = run->self = run->whole ? im->end - im->begin : 0;
	run->failed = run->last && l->state == KTALLY_ENDED && l->status;
	run->judged = !run->last || (l->state == KTALLY_ENDED && l->present >> KTALLY_HAS_status & 1);
	r->older += !im->begin_known;
	r->open += im->begin_known && !run->whole;
	return name(r, run);
}

/* Of a life that started others, how much of its runs, n of them, was its own. */
static int find_self(const struct ktally_runs *r, const struct ktally_life *l,
		     struct ktally_run *runs, size_t n)
{
	struct ktally_steps *steps;

	if (!l->child || !n)
		return 0;
	steps = ktally_steps_make(l, r->options.ctx->info);
	if (!steps)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct ktally_image *im = ktally_run_image(&runs[i]);

		runs[i].self = runs[i].whole ? ktally_steps_self(steps, im->begin, im->end) : 0;
	}
	ktally_steps_free(steps);
	return 0;
}

static int add_life(struct ktally_runs *r, const struct ktally_life *l)
{
	size_t before = r->n;

	for (uint32_t i = 0; i < l->n_images; i++)
		if (counts(r, l, i) && add(r, l, i))
			return -1;
	return find_self(r, l, r->runs + before, r->n - before);
}

static int collect(struct ktally_runs *r)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(r->options.ctx->model, &lives), room = 0;

	for (size_t i = 0; i < n; i++)
		room += lives[i]->n_images;
	r->runs = calloc(room + 1, sizeof(*r->runs));
	r->commands = calloc(room + 1, sizeof(*r->commands));
	if (!r->runs || !r->commands)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (r->options.want && !r->options.want(lives[i], r->options.arg))
			continue;
		if (add_life(r, lives[i]))
			return -1;
	}
	return 0;
}

/* ---- commands ---- */

static int compare_names(struct ktally_str a, struct ktally_str b)
{
	uint32_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* So each command's durations lie sorted, and runs that lasted the same by their begin. */
static int compare_runs(const void *pa, const void *pb)
{
	const struct ktally_run *a = pa, *b = pb;
	uint64_t x = ktally_run_image(a)->begin, y = ktally_run_image(b)->begin;
	int c = compare_names(a->name, b->name);

	if (c)
		return c;
	if (a->whole != b->whole)
		return b->whole - a->whole;
	if (a->duration != b->duration)
		return a->duration > b->duration ? 1 : -1;
	return (x > y) - (x < y);
}

static bool is_level(unsigned int bit)
{
	return bit == KTALLY_U_RSS || bit == KTALLY_U_PEAK_RSS || bit == KTALLY_U_VM ||
	       bit == KTALLY_U_PEAK_VM || bit == KTALLY_U_SWAP || bit == KTALLY_U_MAXRSS;
}

/* Counters add up, peaks are the highest; what one run lacks makes the sum a lower bound. */
static void add_use(struct ktally_command *c, const struct ktally_run *run)
{
	struct ktally_use use;
	__u64 *sum = &c->use.utime, *own = &use.utime;	/* in the order of enum ktally_usage */

	ktally_image_use(run->life, run->image, &use);
	c->partly |= ~use.known;
	c->use.known |= use.known;
	c->use.upper |= use.upper;
	for (unsigned int bit = 0; bit <= KTALLY_U_MAXRSS; bit++) {
		if (!(use.known >> bit & 1))
			continue;
		if (!is_level(bit))
			sum[bit] += own[bit];
		else if (own[bit] > sum[bit])
			sum[bit] = own[bit];
	}
}

/* Packets are counted per process: they are a run's if the process executed nothing else. */
static bool only_run(const struct ktally_run *run)
{
	for (uint32_t i = 0; i < run->life->n_images; i++) {
		const struct ktally_image *im = &run->life->images[i];

		if (i != run->image && (im->has_exec || im->unknown))
			return false;
	}
	return true;
}

struct ktally_value ktally_run_network(const struct ktally_run *run, bool tx,
				       struct ktally_field_ctx *ctx)
{
	const struct ktally_field *f = ktally_field_find(tx ? "tx_wire_bytes" : "rx_wire_bytes");

	if (!only_run(run))
		return (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
	return ktally_field_value(f, run->life, ctx);
}

static void add_network(struct ktally_command *c, const struct ktally_run *run,
			struct ktally_field_ctx *ctx)
{
	for (int tx = 0; tx < 2; tx++) {
		struct ktally_value v = ktally_run_network(run, tx, ctx);

		if (v.type == KTALLY_V_U64) {
			c->network[tx].type = KTALLY_V_U64;
			c->network[tx].u += v.u;
			c->network[tx].upper |= v.upper;
		} else {
			c->network[tx].lower = true;
		}
	}
}

static int fill(struct ktally_runs *r, struct ktally_command *c)
{
	uint64_t *durations = calloc(c->n, sizeof(*durations));
	size_t whole = 0;

	if (!durations)
		return -1;
	for (; whole < c->n && c->runs[whole].whole; whole++) {
		const struct ktally_run *run = &c->runs[whole];

		durations[whole] = run->duration;
		c->failed += run->failed;
		c->judged += run->judged;
		c->self += run->self;
		add_use(c, run);
		add_network(c, run, r->options.ctx);
	}
	ktally_stats_of(durations, whole, &c->stats);
	free(durations);
	return 0;
}

static int put_together(struct ktally_runs *r)
{
	qsort(r->runs, r->n, sizeof(*r->runs), compare_runs);
	for (size_t i = 0; i < r->n;) {
		struct ktally_command *c = &r->commands[r->n_commands++];

		c->name = r->runs[i].name;
		c->runs = &r->runs[i];
		while (i < r->n && !compare_names(c->name, r->runs[i].name)) {
			c->n++;
			i++;
		}
		if (fill(r, c))
			return -1;
	}
	return 0;
}

struct ktally_runs *ktally_runs_make(const struct ktally_runs_options *options)
{
	struct ktally_runs *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->options = *options;
	if (collect(r) || put_together(r)) {
		ktally_runs_free(r);
		return NULL;
	}
	return r;
}

size_t ktally_runs_at(const struct ktally_runs *r, const struct ktally_run **runs)
{
	*runs = r->runs;
	return r->n;
}

size_t ktally_runs_commands(const struct ktally_runs *r, const struct ktally_command **commands)
{
	*commands = r->commands;
	return r->n_commands;
}

void ktally_runs_partial(const struct ktally_runs *r, size_t *older, size_t *open)
{
	*older = r->older;
	*open = r->open;
}

void ktally_runs_free(struct ktally_runs *r)
{
	if (!r)
		return;
	arena_free(&r->arena);
	free(r->runs);
	free(r->commands);
	free(r);
}
