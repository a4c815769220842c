// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - two boots compared, command by command: slower, faster, appeared,
 * vanished. Commands are the same when their arguments are, numbers aside, since
 * those name devices, PIDs and temporary files.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "cmd.h"
#include "out/text.h"

struct run {
	const char *key;		/* arguments with numbers folded */
	uint32_t len;
	unsigned int boot;		/* 0 or 1 */
	bool over;			/* ended before its boot did */
	uint64_t time, cpu;
	struct ktally_value argv;
};

struct row {
	const struct run *first;
	uint64_t runs[2], time[2], cpu[2];
	bool timed[2];			/* some run of it was over in time */
};

struct diff {
	struct boot_view v[2];
	struct run *runs;
	struct row *rows;
	size_t n_runs, n_rows;
	double threshold;
};

enum column { D_CHANGE, D_DIFFERENCE, D_TIME_A, D_TIME_B, D_RUNS_A, D_RUNS_B, D_CPU_A, D_CPU_B, D_ARGV,
	      D_DISTANCE, D_COLUMNS };

static const struct ktally_field fields[D_COLUMNS] = {
	[D_CHANGE] = COLUMN("change", "CHANGE", "slower, faster, same, appeared, vanished", KTALLY_TEXT, KTALLY_SAME, -8),
	[D_DIFFERENCE] = COLUMN("difference", "DIFF", "time of the second boot less that of the first, in words", KTALLY_TEXT, KTALLY_SAME, 10),
	[D_TIME_A] = COLUMN("a_time_ns", "A", "durations of its runs in the first boot added up; unknown: none was over", KTALLY_NS, KTALLY_SUM, 8),
	[D_TIME_B] = COLUMN("b_time_ns", "B", "the same of the second boot", KTALLY_NS, KTALLY_SUM, 8),
	[D_RUNS_A] = COLUMN("a_runs", "RUNS A", "runs in the first boot, those not over included", KTALLY_COUNT, KTALLY_SUM, 6),
	[D_RUNS_B] = COLUMN("b_runs", "RUNS B", "runs in the second boot", KTALLY_COUNT, KTALLY_SUM, 6),
	[D_CPU_A] = COLUMN("a_cpu_ns", "CPU A", "their CPU time in the first boot", KTALLY_NS, KTALLY_SUM, 8),
	[D_CPU_B] = COLUMN("b_cpu_ns", "CPU B", "their CPU time in the second boot", KTALLY_NS, KTALLY_SUM, 8),
	[D_ARGV] = COLUMN("argv", "COMMAND", "the first run's", KTALLY_ARGV, KTALLY_SAME, 0),
	[D_DISTANCE] = COLUMN("distance_ns", "DISTANCE", "how far the two times are apart", KTALLY_NS, KTALLY_SUM, 8),
};

static int64_t difference(const struct row *r)
{
	return (int64_t)((r->timed[1] ? r->time[1] : 0) - (r->timed[0] ? r->time[0] : 0));
}

static const char *change(const struct row *r)
{
	int64_t d = difference(r);

	if (!r->runs[0])
		return "appeared";
	if (!r->runs[1])
		return "vanished";
	return d > 0 ? "slower" : d < 0 ? "faster" : "same";
}

static struct ktally_value in_words(struct diff *d, const struct row *r)
{
	int64_t ns = difference(r);
	char text[64];
	const char *kept;

	text[0] = ns < 0 ? '-' : '+';
	text_span(text + 1, sizeof(text) - 1, ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
	kept = arena_copy(&d->v[0].boot.arena, text, strlen(text));
	return out_text(kept);
}

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	struct diff *d = of;
	const struct row *r = &d->rows[row];
	int64_t ns = difference(r);

	switch ((enum column)(f - fields)) {
	case D_CHANGE:	return out_text(change(r));
	case D_DIFFERENCE: return in_words(d, r);
	case D_TIME_A:	return boot_known(r->timed[0], r->time[0]);
	case D_TIME_B:	return boot_known(r->timed[1], r->time[1]);
	case D_RUNS_A:	return out_u64(r->runs[0]);
	case D_RUNS_B:	return out_u64(r->runs[1]);
	case D_CPU_A:	return boot_known(r->runs[0], r->cpu[0]);
	case D_CPU_B:	return boot_known(r->runs[1], r->cpu[1]);
	case D_ARGV:	return r->first->argv;
	default:	return out_u64(ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
	}
}

/* Every run of digits is one '#'. */
static bool fold(struct diff *d, struct run *r)
{
	const char *p = r->argv.t.p;
	char *to = arena_alloc(&d->v[0].boot.arena, r->argv.t.len + 1);

	if (!to)
		return false;
	r->key = to;
	for (uint32_t i = 0; i < r->argv.t.len; i++) {
		bool digit = isdigit((unsigned char)p[i]);

		if (digit && r->len && to[r->len - 1] == '#')
			continue;
		to[r->len++] = digit ? '#' : p[i];
	}
	return true;
}

static bool add_run(struct diff *d, unsigned int which, const struct ktally_life *l, size_t i)
{
	const struct boot *b = &d->v[which].boot;
	const struct ktally_image *im = &l->images[i];
	struct run *r = &d->runs[d->n_runs];
	struct ktally_use use;

	if (!im->has_exec || im->begin >= b->end.time)
		return true;
	ktally_image_use(l, i, &use);
	*r = (struct run){ .boot = which, .argv = boot_argv(im) };
	r->over = im->end && im->end <= b->end.time;
	r->time = r->over ? im->end - im->begin : 0;
	r->cpu = use.known >> KTALLY_U_RUNTIME & 1 ? use.runtime : 0;
	d->n_runs++;
	return r->argv.type == KTALLY_V_UNKNOWN || fold(d, r);
}

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	uint32_t n = x->len < y->len ? x->len : y->len;
	int c = n ? memcmp(x->key, y->key, n) : 0;

	return c ? c : (x->len > y->len) - (x->len < y->len);
}

static void put_rows(struct diff *d)
{
	for (size_t i = 0; i < d->n_runs; i++) {
		const struct run *run = &d->runs[i];
		struct row *r;

		if (!i || compare_runs(run, run - 1))
			d->rows[d->n_rows++].first = run;
		r = &d->rows[d->n_rows - 1];
		r->runs[run->boot]++;
		r->time[run->boot] += run->time;
		r->cpu[run->boot] += run->cpu;
		r->timed[run->boot] |= run->over;
	}
}

static int collect(struct diff *d)
{
	size_t room = 1;
	bool well = true;

	for (int w = 0; w < 2; w++)
		for (size_t i = 0; i < d->v[w].boot.n_lives; i++)
			room += d->v[w].boot.lives[i]->n_images;
	d->runs = calloc(room, sizeof(*d->runs));
	d->rows = calloc(room, sizeof(*d->rows));
	for (unsigned int w = 0; d->runs && d->rows && w < 2; w++)
		for (size_t i = 0; i < d->v[w].boot.n_lives; i++)
			for (size_t k = 0; k < d->v[w].boot.lives[i]->n_images; k++)
				well &= add_run(d, w, d->v[w].boot.lives[i], k);
	if (!d->runs || !d->rows || !well)
		return say_error(FAILED, "out of memory");
	qsort(d->runs, d->n_runs, sizeof(*d->runs), compare_runs);
	put_rows(d);
	return OPT_GO_ON;
}

/* What differs by less is left out of tables. */
static void drop_short(struct diff *d, uint64_t least)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n_rows; i++) {
		struct row *r = &d->rows[i];
		uint64_t ns = (uint64_t)llabs(difference(r));

		if (ns >= least || !r->runs[0] || !r->runs[1])
			d->rows[kept++] = *r;
	}
	d->n_rows = kept;
}

static void put_span_line(struct out *o, const char *what, uint64_t a, uint64_t b)
{
	char line[256], x[32], y[32], z[32];

	text_span(x, sizeof(x), a);
	text_span(y, sizeof(y), b);
	text_span(z, sizeof(z), b > a ? b - a : a - b);
	snprintf(line, sizeof(line), "%s: %s, then %s (%c%s, %+.1f%%)", what, x, y, b < a ? '-' : '+', z,
		 a ? 100.0 * ((double)b - (double)a) / (double)a : 0.0);
	out_line(o, line);
}

static void below(struct out *o, void *of)
{
	struct diff *d = of;
	const struct boot *a = &d->v[0].boot, *b = &d->v[1].boot;
	const struct out_fact facts[] = {
		{ "a_end", KTALLY_TEXT, out_text(a->end.name) },
		{ "a_end_ns", KTALLY_TIME, out_u64(a->end.time) },
		{ "b_end", KTALLY_TEXT, out_text(b->end.name) },
		{ "b_end_ns", KTALLY_TIME, out_u64(b->end.time) },
	};

	if (o->writer->facts) {
		out_facts(o, "boots", facts, sizeof(facts) / sizeof(facts[0]));
		return;
	}
	for (int k = 0; k < BOOT_PHASES; k++)
		if (a->phases[k].there || b->phases[k].there)
			put_span_line(o, boot_phase_name((enum boot_phase_kind)k),
				      a->phases[k].to - a->phases[k].from,
				      b->phases[k].to - b->phases[k].from);
	put_span_line(o, "boot", a->end.time, b->end.time);
}

static int print(struct diff *d, const struct boot_args *args)
{
	const struct ktally_field *all[D_COLUMNS];
	struct boot_rows rows = { .src = {
		.schema = "ktally.boot-diff/1", .fields = all, .n_fields = D_COLUMNS,
		.columns = "change,difference,a_time_ns,b_time_ns,a_runs,b_runs,argv",
		.sort = "-distance_ns", .value = value, .of = d }, .below = below };
	double a, b;
	int status = collect(d);

	if (status != OPT_GO_ON)
		return status;
	if (args->least.set || args->show.out.format == OUT_TABLE)
		drop_short(d, args->least.set ? args->least.ns : 1000000);
	rows.src.n_rows = d->n_rows;
	for (size_t i = 0; i < D_COLUMNS; i++)
		all[i] = &fields[i];
	status = boot_show(args, &d->v[1], &rows);
	a = (double)d->v[0].boot.end.time;
	b = (double)d->v[1].boot.end.time;
	return status == DONE && b > a * (1.0 + d->threshold / 100.0) ? FAILED : status;
}

static int read_threshold(struct diff *d, const char *text)
{
	char *rest;

	d->threshold = 5.0;
	if (!text)
		return OPT_GO_ON;
	d->threshold = strtod(text, &rest);
	if (*rest == '%')
		rest++;
	if (*rest || rest == text || !(d->threshold >= 0))
		return say_error(WRONG_USE, "boot diff: --threshold '%s': a percentage, such as 5%%", text);
	return OPT_GO_ON;
}

int boot_diff(const struct boot_args *args)
{
	struct diff d = { .n_runs = 0 };
	struct reading_options in[2] = { { .live = false }, { .live = false } };
	int status = read_threshold(&d, args->threshold), opened = 0;

	if (status != OPT_GO_ON)
		return status;
	if (args->in.files.n != 2)
		return say_error(WRONG_USE, "boot diff: compares two recordings: ktally boot diff A.ktl B.ktl");
	for (; opened < 2 && status == OPT_GO_ON; opened += status == OPT_GO_ON) {
		in[opened].files.at[0] = args->in.files.at[opened];
		in[opened].files.n = 1;
		status = boot_open(&d.v[opened], args, &in[opened]);
	}
	if (status == OPT_GO_ON)
		status = print(&d, args);
	free(d.runs);
	free(d.rows);
	while (opened--)
		boot_close(&d.v[opened]);
	return status;
}
