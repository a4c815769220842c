// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * time.c - the boot's phases on one axis; slices of it; gaps in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "cmd.h"
#include "lib/pace.h"
#include "lib/whole.h"
#include "out/text.h"

enum { GAP_LEAST = 50000000 };
#define GAP_SHARE	0.25		/* of one CPU: the ticks of an idle machine are less */

struct span {
	const char *name;
	uint64_t from, to, processes;
	double sum[PACE_KINDS];
};

struct times {
	struct boot_view v;
	struct pace pace;
	struct gaps gaps;
	struct span *spans;
	size_t n;
	uint64_t least;
	char longest[320];	/* commands, in a line */
};

enum span_column { S_PHASE, S_FROM, S_TO, S_TIME, S_CPU, S_BUSY, S_DELAY, S_READ, S_WRITE, S_ALIVE,
		   S_BEGUN, S_COLUMNS };

static const struct ktally_field span_fields[S_COLUMNS] = {
	[S_PHASE] = COLUMN("phase", "PHASE", "kernel (before the module's load: nothing is seen), initramfs, system", KTALLY_TEXT, KTALLY_SAME, -10),
	[S_FROM] = COLUMN("from_ns", "FROM", "its beginning, since the kernel's", KTALLY_TIME, KTALLY_MIN, 9),
	[S_TO] = COLUMN("to_ns", "TO", "its end", KTALLY_TIME, KTALLY_MAX, 9),
	[S_TIME] = COLUMN("time_ns", "TIME", "its length", KTALLY_NS, KTALLY_SUM, 8),
	[S_CPU] = COLUMN("cpu_ns", "CPU", "CPU time in it, each program's spread evenly over its run", KTALLY_NS, KTALLY_SUM, 8),
	[S_BUSY] = COLUMN("busy_percent", "BUSY", "CPU time / time; 100 is one CPU", KTALLY_PERCENT, KTALLY_SAME, 6),
	[S_DELAY] = COLUMN("run_delay_ns", "DELAY", "waiting for a CPU in it", KTALLY_NS, KTALLY_SUM, 8),
	[S_READ] = COLUMN("read_bytes", "READ", "from storage", KTALLY_BYTES, KTALLY_SUM, 7),
	[S_WRITE] = COLUMN("write_bytes", "WRITTEN", "to storage", KTALLY_BYTES, KTALLY_SUM, 7),
	[S_ALIVE] = COLUMN("processes_mean", "PROCS", "mean number of processes, without kernel threads", KTALLY_COUNT, KTALLY_SAME, 6),
	[S_BEGUN] = COLUMN("begun", "BEGUN", "processes that began in it", KTALLY_COUNT, KTALLY_SUM, 6),
};

static struct ktally_value measured(double v)
{
	return (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = v };
}

/* Sums before the load are parts of lives that were met later: not what was used then. */
static struct ktally_value span_sum(const struct times *t, const struct span *s,
				    enum pace_what what)
{
	if (s->to <= t->v.boot.load)
		return (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
	return out_u64(whole_of(s->sum[what]));
}

static struct ktally_value span_rate(const struct times *t, const struct span *s,
				     enum pace_what what, double scale)
{
	if (s->to <= t->v.boot.load || s->to <= s->from)
		return (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
	return measured(scale * s->sum[what] / (double)(s->to - s->from));
}

static struct ktally_value span_value(void *of, size_t row, const struct ktally_field *f)
{
	const struct times *t = of;
	const struct span *s = &t->spans[row];

	switch ((enum span_column)(f - span_fields)) {
	case S_PHASE:	return out_text(s->name);
	case S_FROM:	return out_u64(s->from);
	case S_TO:	return out_u64(s->to);
	case S_TIME:	return out_u64(s->to - s->from);
	case S_CPU:	return span_sum(t, s, PACE_CPU);
	case S_BUSY:	return span_rate(t, s, PACE_CPU, 100.0);
	case S_DELAY:	return span_sum(t, s, PACE_DELAY);
	case S_READ:	return span_sum(t, s, PACE_READ);
	case S_WRITE:	return span_sum(t, s, PACE_WRITE);
	case S_ALIVE:	return span_rate(t, s, PACE_ALIVE, 1.0);
	default:	return boot_known(s->to > t->v.boot.load, s->processes);
	}
}

static void count_begun(struct times *t)
{
	const struct boot *b = &t->v.boot;

	/* Both are in order of time. */
	for (size_t i = 0, k = 0; i < b->n_lives && k < t->n; i++) {
		uint64_t start = b->lives[i]->start;

		while (k < t->n && start >= t->spans[k].to)
			k++;
		if (k < t->n && start >= t->spans[k].from && b->lives[i]->saw_fork)
			t->spans[k].processes++;
	}
}

static void add_span(struct times *t, struct pace_cursor *c, const char *name, uint64_t from,
		     uint64_t to)
{
	struct span *s = &t->spans[t->n++];
	double before[PACE_KINDS];

	*s = (struct span){ .name = name, .from = from, .to = to };
	pace_advance(c, from, before);
	pace_advance(c, to, s->sum);
}

static const char *phase_at(const struct boot *b, uint64_t time)
{
	int kind = BOOT_KERNEL;

	for (int k = 0; k < BOOT_PHASES; k++)
		if (b->phases[k].there && b->phases[k].from <= time)
			kind = k;
	return boot_phase_name((enum boot_phase_kind)kind);
}

static int make_phases(struct times *t)
{
	const struct boot *b = &t->v.boot;
	struct pace_cursor c;

	t->spans = calloc(BOOT_PHASES, sizeof(*t->spans));
	pace_begin(&c, &t->pace);
	for (int k = 0; t->spans && k < BOOT_PHASES; k++)
		if (b->phases[k].there)
			add_span(t, &c, boot_phase_name((enum boot_phase_kind)k), b->phases[k].from,
				 b->phases[k].to);
	return t->spans ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

static int make_slices(struct times *t, uint64_t every)
{
	const struct boot *b = &t->v.boot;
	uint64_t n = every ? (b->end.time - b->load) / every + 1 : 0;
	struct pace_cursor c;

	if (!every || n > 1000000)
		return say_error(WRONG_USE, "boot: --every: too short for this boot");
	t->spans = calloc(n + 1, sizeof(*t->spans));
	if (!t->spans)
		return say_error(FAILED, "out of memory");
	pace_begin(&c, &t->pace);
	for (uint64_t at = b->load; at < b->end.time; at += every)
		add_span(t, &c, phase_at(b, at), at,
			 at + every < b->end.time ? at + every : b->end.time);
	return OPT_GO_ON;
}

/* ---- gaps ---- */

enum gap_column { G_FROM, G_TO, G_TIME, G_CPU, G_PHASE, G_BY, G_PID, G_ARGV, G_COLUMNS };

static const struct ktally_field gap_fields[G_COLUMNS] = {
	[G_FROM] = COLUMN("from_ns", "FROM", "since the kernel's start", KTALLY_TIME, KTALLY_MIN, 9),
	[G_TO] = COLUMN("to_ns", "TO", "", KTALLY_TIME, KTALLY_MAX, 9),
	[G_TIME] = COLUMN("time_ns", "TIME", "its length", KTALLY_NS, KTALLY_SUM, 8),
	[G_CPU] = COLUMN("cpu_ns", "CPU", "CPU time in it, estimated", KTALLY_NS, KTALLY_SUM, 8),
	[G_PHASE] = COLUMN("phase", "PHASE", "in which phase it began", KTALLY_TEXT, KTALLY_SAME, -9),
	[G_BY] = COLUMN("ended_by", "ENDED BY", "what happened then: fork, exec, exit, or nothing", KTALLY_TEXT, KTALLY_SAME, -8),
	[G_PID] = COLUMN("pid", "PID", "whose", KTALLY_ID, KTALLY_SAME, 7),
	[G_ARGV] = COLUMN("argv", "COMMAND", "its command", KTALLY_ARGV, KTALLY_SAME, 0),
};

static struct ktally_value gap_value(void *of, size_t row, const struct ktally_field *f)
{
	static const char *const by[] = { "fork", "exec", "exit", "nothing" };
	const struct times *t = of;
	const struct gap *g = &t->gaps.all[row];

	switch ((enum gap_column)(f - gap_fields)) {
	case G_FROM:	return out_u64(g->from);
	case G_TO:	return out_u64(g->to);
	case G_TIME:	return out_u64(g->to - g->from);
	case G_CPU:	return out_u64(whole_of(g->cpu));
	case G_PHASE:	return out_text(phase_at(&t->v.boot, g->from));
	case G_BY:	return out_text(by[g->ended]);
	case G_PID:	return boot_known(g->life, g->life ? g->life->tgid : 0);
	default:	return boot_argv(g->life ? boot_image_at(g->life, g->to) : NULL);
	}
}

static uint64_t gaps_total(const struct gaps *g)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < g->n; i++)
		sum += g->all[i].to - g->all[i].from;
	return sum;
}

/* ---- below ---- */

static void put_facts(struct out *o, const struct times *t)
{
	const struct boot *b = &t->v.boot;
	const struct out_fact facts[] = {
		{ "end", KTALLY_TEXT, out_text(b->end.name) },
		{ "end_ns", KTALLY_TIME, out_u64(b->end.time) },
		{ "load_ns", KTALLY_TIME, out_u64(b->load) },
		{ "gaps", KTALLY_COUNT, out_u64(t->gaps.n) },
		{ "gaps_ns", KTALLY_NS, out_u64(gaps_total(&t->gaps)) },
	};

	out_facts(o, "boot", facts, sizeof(facts) / sizeof(facts[0]));
}

static void put_end_line(struct out *o, const struct boot *b)
{
	char line[512], at[32], name[300];

	text_span(at, sizeof(at), b->end.time);
	text_escape(name, sizeof(name), b->end.name, strlen(b->end.name));
	snprintf(line, sizeof(line), "%s from the kernel's start to %s", at, name);
	out_line(o, line);
}

static void put_gap_line(struct out *o, const struct times *t)
{
	char line[160], sum[32], least[32];

	text_span(sum, sizeof(sum), gaps_total(&t->gaps));
	text_span(least, sizeof(least), t->least);
	if (!t->gaps.n)
		snprintf(line, sizeof(line), "idle: never for %s or longer", least);
	else
		snprintf(line, sizeof(line), "idle: %s in %zu gap%s of at least %s; see: ktally boot time --gaps",
			 sum, t->gaps.n, t->gaps.n == 1 ? "" : "s", least);
	out_line(o, line);
}

static void below(struct out *o, void *of)
{
	const struct times *t = of;

	if (o->writer->facts) {
		put_facts(o, t);
		return;
	}
	put_end_line(o, &t->v.boot);
	if (t->longest[0])
		out_line(o, t->longest);
	put_gap_line(o, t);
}

static int rows_of_gaps(struct times *t, const struct boot_args *args)
{
	const struct ktally_field *fields[G_COLUMNS];
	struct boot_rows rows = { .src = {
		.schema = "ktally.boot-gaps/1", .fields = fields, .n_fields = G_COLUMNS,
		.columns = "from_ns,time_ns,cpu_ns,phase,ended_by,pid,argv",
		.n_rows = t->gaps.n, .value = gap_value, .of = t }, .below = below };

	for (size_t i = 0; i < G_COLUMNS; i++)
		fields[i] = &gap_fields[i];
	return boot_show(args, &t->v, &rows);
}

static int rows_of_spans(struct times *t, const struct boot_args *args)
{
	const struct ktally_field *fields[S_COLUMNS];
	struct boot_rows rows = { .src = {
		.schema = args->every.set ? "ktally.boot-slices/1" : "ktally.boot-time/1",
		.fields = fields, .n_fields = S_COLUMNS,
		.columns = args->every.set ?
			"from_ns,cpu_ns,busy_percent,run_delay_ns,read_bytes,write_bytes,processes_mean,begun" :
			"phase,from_ns,time_ns,cpu_ns,busy_percent,read_bytes,write_bytes,begun",
		.value = span_value, .of = t }, .below = below };
	int status = args->every.set ? make_slices(t, args->every.ns) : make_phases(t);

	if (status == OPT_GO_ON && !args->every.set)
		status = boot_commands_line(&t->v, args, t->longest, sizeof(t->longest));
	if (status != OPT_GO_ON)
		return status;
	count_begun(t);
	rows.src.n_rows = t->n;
	for (size_t i = 0; i < S_COLUMNS; i++)
		fields[i] = &span_fields[i];
	return boot_show(args, &t->v, &rows);
}

int boot_time(const struct boot_args *args)
{
	struct times t = { .least = args->least.set ? args->least.ns : GAP_LEAST };
	int status = boot_open(&t.v, args, &args->in);

	if (status != OPT_GO_ON)
		return status;
	if (pace_make(&t.pace, &t.v.boot) ||
	    gaps_find(&t.gaps, &t.v.boot, &t.pace, t.least, GAP_SHARE))
		status = say_error(FAILED, "out of memory");
	else
		status = args->gaps ? rows_of_gaps(&t, args) : rows_of_spans(&t, args);
	free(t.spans);
	gaps_free(&t.gaps);
	pace_free(&t.pace);
	boot_close(&t.v);
	return status;
}
