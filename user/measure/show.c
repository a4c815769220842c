// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * show.c - figures of series as rows, in every format, with the comparison of
 * several commands below.
 *
 * Rows have different units, so in tables values are text with a unit; other formats
 * get plain numbers, the unit's name and the values themselves.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "lib/whole.h"
#include "measure.h"
#include "out/text.h"
#include "say.h"

enum column {
	COL_COMMAND, COL_MEASURE, COL_UNIT, COL_RUNS, COL_MEAN, COL_SD, COL_MIN, COL_P25, COL_MEDIAN,
	COL_P75, COL_P90, COL_P99, COL_MAX, COL_OUTLIERS,
	COL_STAGE, COL_SUBJECT, COL_REPEAT, COL_P999, COL_TOTAL, COL_LOW, COL_HIGH, COL_SPREAD, COL_VOID,
	COL_HOST, COL_VALUES, COLUMNS
};

#define VALUE(name, title, help)	{ name, title, help, KTALLY_TEXT, KTALLY_SAME, 7, NULL, 0 }

/* Columns are only ever appended. */
static const struct ktally_field summary_fields[COLUMNS] = {
	{ "command", "CMD", "which of the commands, from 1", KTALLY_ID, KTALLY_SAME, 3, NULL, 0 },
	{ "measure", "MEASURE", "what was measured", KTALLY_TEXT, KTALLY_SAME, -11, NULL, 0 },
	{ "unit", "UNIT", "of the values: ns, bytes, count, percent or none", KTALLY_TEXT, KTALLY_SAME, -5, NULL, 0 },
	{ "runs", "RUNS", "values, without those of warming up", KTALLY_COUNT, KTALLY_SUM, 5, NULL, 0 },
	VALUE("mean", "MEAN", "arithmetic mean"),
	VALUE("sd", "SD", "standard deviation of the sample; unknown for one value"),
	VALUE("min", "MIN", "smallest"),
	VALUE("p25", "P25", "first quartile (type 7)"),
	VALUE("median", "MEDIAN", "median"),
	VALUE("p75", "P75", "third quartile (type 7)"),
	VALUE("p90", "P90", "90th percentile, of ten values and more"),
	VALUE("p99", "P99", "99th percentile, of a hundred values and more"),
	VALUE("max", "MAX", "largest"),
	{ "outliers", "OUT", "values further than 3 interquartile ranges from the quartiles", KTALLY_COUNT, KTALLY_SUM, 4, NULL, 0 },
	{ "stage", "STAGE", "part of the method: runs, or client, server, resources, solo, shared", KTALLY_TEXT, KTALLY_SAME, -6, NULL, 0 },
	{ "subject", "SUBJECT", "whose: command, role, interface or the machine", KTALLY_TEXT, KTALLY_SAME, -8, NULL, 0 },
	{ "repeat", "REP", "which of the repeats, from 1; empty: all of them together", KTALLY_ID, KTALLY_SAME, 3, NULL, 0 },
	VALUE("p999", "P99.9", "99.9th percentile, of a thousand values and more"),
	VALUE("total", "TOTAL", "all values added up"),
	VALUE("low", "LOW", "95 % confidence: the median is not below (order statistics); of repeats: the mean of their medians (Student's t)"),
	VALUE("high", "HIGH", "and not above"),
	VALUE("spread", "SPREAD", "standard deviation of the repeats' medians"),
	{ "void", "VOID", "1: records were lost meanwhile, so there are no figures", KTALLY_BOOL, KTALLY_SUM, 4, NULL, 0 },
	{ "host", "HOST", "the machine: kernel, CPUs, memory, governor, clock", KTALLY_TEXT, KTALLY_SAME, 0, NULL, 0 },
	{ "values", "VALUES", "the values themselves, in the order they were taken", KTALLY_NUMBERS, KTALLY_SAME, 0, NULL, 0 },
};

struct shown {
	const struct measure_report *report;
	const struct show *show;
	struct figures_set figures;
	size_t *row, n_rows;		/* places in figures */
	char **values;			/* of each row; formats for machines */
	char host[512];
	bool for_people;
	struct ktally_field fields[COLUMNS];
	const struct ktally_field *list[COLUMNS];
	char text[COLUMNS][32];
};

size_t measure_commands(const struct series_set *set)
{
	size_t commands = 0;

	for (size_t i = 0; i < set->n; i++)
		commands = set->at[i]->command > commands ? set->at[i]->command : commands;
	return commands;
}

const char *measure_columns(size_t commands)
{
	if (!commands)
		return "stage,subject,measure,min,p25,median,p75,max,mean";
	return commands > 1 ? "command,measure,mean,sd,min,p25,median,p75,max" : "measure,mean,sd,min,p25,median,p75,max";
}

/* ---- which rows ---- */

/* A table has what is of interest: no zeros throughout, and repeats only all together. */
static bool of_interest(const struct shown *s, const struct figures *f)
{
	if (!s->for_people)
		return true;
	if (f->part)
		return false;
	return f->void_ || (f->stats.n && (f->of->always || f->stats.max > 0));
}

static int make_rows(struct shown *s)
{
	int err = figures_make(&s->figures, s->report->set);
	size_t n = s->figures.n;

	s->row = calloc(n + 1, sizeof(*s->row));
	s->values = calloc(n + 1, sizeof(*s->values));
	if (err || !s->row || !s->values)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct figures *f = &s->figures.at[i];

		if (!of_interest(s, f))
			continue;
		/* Those of all repeats are those of each. */
		if (!s->for_people && f->repeat) {
			s->values[s->n_rows] = series_text(f->of);
			if (!s->values[s->n_rows])
				return -ENOMEM;
		}
		s->row[s->n_rows++] = i;
	}
	return 0;
}

/* ---- their values ---- */

static struct ktally_value unknown(void)
{
	return (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
}

/* In seven columns, so that seven figures and their names have room in 80. */
static void put_span(char *text, size_t n, double ns)
{
	if (ns >= 99950 && ns < 999950)
		snprintf(text, n, "%.0f %ss", ns / 1e3, text_glyphs()->micro);
	else if (ns >= 99.95e6 && ns < 999.95e6)
		snprintf(text, n, "%.0f ms", ns / 1e6);
	else
		text_span(text, n, whole_of(ns));
}

void measure_put_number(char *text, size_t n, const struct show *show, enum ktally_unit unit, double d)
{
	bool whole = unit == KTALLY_NS ? show->out.ns : unit == KTALLY_BYTES && show->out.bytes;

	if (whole)
		snprintf(text, n, "%.0f", d);
	else if (unit == KTALLY_NS)
		put_span(text, n, d);
	else if (unit == KTALLY_BYTES)
		text_bytes(text, n, whole_of(d));
	else
		snprintf(text, n, d == floor(d) || d >= 99999 ? "%.0f" : d < 10 ? "%.2f" : "%.1f", d);
}

static struct ktally_value number(struct shown *s, enum column c, enum ktally_unit unit, double d)
{
	if (!s->for_people)
		return (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = d };
	measure_put_number(s->text[c], sizeof(s->text[c]), s->show, unit, d);
	return out_text(s->text[c]);
}

/* A figure, in steps of its series. */
static bool figure(const struct figures *f, enum column c, double *d)
{
	const struct ktally_stats *st = &f->stats;
	const double values[COLUMNS] = {
		[COL_MEAN] = st->mean, [COL_SD] = st->sd, [COL_MIN] = st->min, [COL_P25] = st->p25,
		[COL_MEDIAN] = st->median, [COL_P75] = st->p75, [COL_P90] = f->p90, [COL_P99] = f->p99,
		[COL_MAX] = st->max, [COL_P999] = f->p999, [COL_TOTAL] = st->total, [COL_LOW] = f->low,
		[COL_HIGH] = f->high, [COL_SPREAD] = f->spread,
	};
	const size_t least[COLUMNS] = {
		[COL_SD] = 2, [COL_P90] = FIGURES_P90, [COL_P99] = FIGURES_P99, [COL_P999] = FIGURES_P999,
		[COL_LOW] = f->has_bounds ? 0 : SIZE_MAX, [COL_HIGH] = f->has_bounds ? 0 : SIZE_MAX,
		[COL_SPREAD] = f->has_spread ? 0 : SIZE_MAX,
	};

	*d = values[c] * series_scale(f->of->unit);
	return st->n && st->n >= least[c];
}

static struct ktally_value named_value(const struct shown *s, size_t row, enum column c)
{
	const struct figures *f = &s->figures.at[s->row[row]];

	switch (c) {
	case COL_COMMAND:
		return f->of->command ? out_u64(f->of->command) : unknown();
	case COL_MEASURE:
		return out_text(f->of->measure);
	case COL_UNIT:
		return out_text(ktally_unit_name(f->of->unit));
	case COL_RUNS:
		return out_u64(f->stats.n);
	case COL_OUTLIERS:
		return out_u64(f->outliers);
	case COL_STAGE:
		return out_text(f->of->stage);
	case COL_SUBJECT:
		return out_text(f->of->subject);
	case COL_REPEAT:
		return f->repeat ? out_u64(f->repeat) : unknown();
	case COL_VOID:
		return out_u64(f->void_);
	case COL_HOST:
		return out_text(s->host);
	default:
		return out_text(s->values[row]);
	}
}

static struct ktally_value summary_value(void *of, size_t i, const struct ktally_field *f)
{
	struct shown *s = of;
	const struct figures *row = &s->figures.at[s->row[i]];
	enum column c = (enum column)(f - s->fields);
	double d;

	if (!(c >= COL_MEAN && c <= COL_MAX) && !(c >= COL_P999 && c <= COL_SPREAD))
		return named_value(s, i, c);
	if (figure(row, c, &d))
		return number(s, c, row->of->unit, d);
	return row->void_ && s->for_people && c == COL_MEDIAN ? out_text("VOID") : unknown();
}

/* ---- what stands below ---- */

static void put_ratio(struct out *o, const struct series *s, const struct ktally_ratio *q)
{
	char line[256];
	const char *verdict = !q->differs ? "within the noise" : q->value > 1 ? "more" : "less";

	snprintf(line, sizeof(line), "%u / 1, %s: %.4f (95 %%: %.4f to %.4f, p %.2g): %s",
		 s->command, s->measure, q->value, q->low, q->high, q->chance, verdict);
	out_line(o, line);
}

static void put_ratio_fact(struct out *o, const struct series *s, const struct ktally_ratio *q)
{
	const struct out_fact facts[] = {
		{ "command", KTALLY_ID, out_u64(s->command) },
		{ "measure", KTALLY_TEXT, out_text(s->measure) },
		{ "ratio", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = q->value } },
		{ "low", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = q->low } },
		{ "high", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = q->high } },
		{ "chance", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = q->chance } },
		{ "differs", KTALLY_BOOL, out_u64(q->differs) },
	};
	char kind_name[64];

	snprintf(kind_name, sizeof(kind_name), "ratio_%u_%s", s->command, s->measure);
	for (char *c = kind_name; *c; c++)
		*c = *c == ' ' ? '_' : *c;
	out_facts(o, kind_name, facts, sizeof(facts) / sizeof(facts[0]));
}

static const struct figures *first_of(const struct figures_set *f, const struct series *s)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].of->command == 1 && !strcmp(f->at[i].of->measure, s->measure))
			return &f->at[i];
	return NULL;
}

static int put_ratios(struct out *o, const struct shown *s)
{
	static const char *const compared[] = { "time", "cpu", "peak memory" };

	for (size_t i = 0; i < s->figures.n; i++) {
		const struct figures *b = &s->figures.at[i], *a = first_of(&s->figures, b->of);
		struct ktally_ratio q;
		bool wanted = false;

		for (size_t k = 0; k < sizeof(compared) / sizeof(compared[0]); k++)
			wanted |= !strcmp(b->of->measure, compared[k]);
		if (!wanted || !a || b->of->command < 2)
			continue;
		if (ktally_ratio_of(a->sorted, a->stats.n, b->sorted, b->stats.n, s->report->seed, &q))
			return say_error(FAILED, "out of memory");
		if (!q.known)
			continue;
		put_ratio(o, b->of, &q);
		put_ratio_fact(o, b->of, &q);
	}
	return OPT_GO_ON;
}

/* In 80 columns, but for what commands are called. */
static void put_ends(struct out *o, size_t c, const struct measure_ends *e, bool of_several)
{
	char line[256], warm_up[48] = "";

	if (e->warm_up)
		snprintf(warm_up, sizeof(warm_up), " after %llu to warm up", (unsigned long long)e->warm_up);
	if (of_several)
		snprintf(line, sizeof(line), "command %zu: %llu run%s%s, %llu of all failed: %s", c, (unsigned long long)e->runs,
			 e->runs == 1 ? "" : "s", warm_up, (unsigned long long)e->failed, e->label);
	else
		snprintf(line, sizeof(line), "%llu run%s%s; %llu of all ended with a status other than 0",
			 (unsigned long long)e->runs, e->runs == 1 ? "" : "s", warm_up, (unsigned long long)e->failed);
	out_line(o, line);
}

void measure_put_ends(struct out *o, const struct measure_report *report)
{
	for (size_t c = 0; c < report->n_ends; c++) {
		const struct measure_ends *e = &report->ends[c];
		const struct out_fact facts[] = {
			{ "label", KTALLY_TEXT, out_text(e->label) },
			{ "runs", KTALLY_COUNT, out_u64(e->runs) },
			{ "warm_up", KTALLY_COUNT, out_u64(e->warm_up) },
			{ "failed", KTALLY_COUNT, out_u64(e->failed) },
		};
		char name[32];

		put_ends(o, c + 1, e, report->n_ends > 1);
		snprintf(name, sizeof(name), "command_%zu", c + 1);
		out_facts(o, name, facts, sizeof(facts) / sizeof(facts[0]));
	}
}

void measure_put_host(struct out *o, const struct measure_report *r)
{
	const struct measure_host *h = r->host;
	const struct out_fact facts[] = {
		{ "kernel", KTALLY_TEXT, out_text(h->kernel) },
		{ "machine", KTALLY_TEXT, out_text(h->machine) },
		{ "cpu", KTALLY_TEXT, out_text(h->cpu[0] ? h->cpu : NULL) },
		{ "cpus", KTALLY_COUNT, out_u64(h->cpus) },
		{ "memory_bytes", KTALLY_BYTES, out_u64(h->memory) },
		{ "governor", KTALLY_TEXT, out_text(h->governor[0] ? h->governor : NULL) },
		{ "clocksource", KTALLY_TEXT, out_text(h->clock[0] ? h->clock : NULL) },
		{ "clock_resolution_ns", KTALLY_NS, out_u64(r->resolution) },
		{ "clock_cost_ns", KTALLY_NS, out_u64(r->cost) },
		{ "seed", KTALLY_COUNT, out_u64(r->seed) },
		{ "lost_records", KTALLY_COUNT, out_u64(r->lost) },
		{ "stopped_early", KTALLY_BOOL, out_u64(r->stopped) },
		{ "load", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = h->load } },
		{ "swap_used_bytes", KTALLY_BYTES, out_u64(h->swap_used) },
		{ "lost_before", KTALLY_COUNT, out_u64(h->lost) },
		{ "others", KTALLY_PERCENT, h->others < 0 ? unknown() : (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = h->others } },
	};

	out_facts(o, "measurement", facts, sizeof(facts) / sizeof(facts[0]));
}

/* ---- all of it ---- */

static void source_of(struct shown *s, struct show_source *src)
{
	memcpy(s->fields, summary_fields, sizeof(summary_fields));
	/* Numbers, but for people, who get each with its own unit. */
	for (size_t i = 0; i < COLUMNS; i++) {
		if (!s->for_people && ((i >= COL_MEAN && i <= COL_MAX) || (i >= COL_P999 && i <= COL_SPREAD)))
			s->fields[i].unit = KTALLY_NONE;
		s->list[i] = &s->fields[i];
	}
	*src = (struct show_source){
		.schema = "ktally.measure/1", .fields = s->list, .n_fields = COLUMNS,
		.columns = s->report->columns, .n_rows = s->n_rows, .value = summary_value, .of = s,
	};
}

int measure_check(const struct show *show, const char *columns)
{
	const struct measure_report report = { .columns = columns };
	struct shown s = { .report = &report };
	struct show_source src;

	source_of(&s, &src);
	if (show_wants_help(show))
		return show_columns(s.list, COLUMNS, columns);
	return show_check(show, &src);
}

static void release(struct shown *s)
{
	for (size_t i = 0; s->values && i < s->n_rows; i++)
		free(s->values[i]);
	free(s->values);
	free(s->row);
	figures_free(&s->figures);
}

int measure_show(const struct measure_report *report, struct show *show)
{
	struct shown s = { .report = report, .show = show, .for_people = show->out.format == OUT_TABLE };
	struct show_source src;
	struct out *o;
	int status = OPT_GO_ON, closed;

	measure_host_text(report, s.host, sizeof(s.host));
	if (make_rows(&s))
		status = say_error(FAILED, "out of memory");
	source_of(&s, &src);
	if (status == OPT_GO_ON)
		status = show_rows(show, &src, &o);
	if (status == OPT_GO_ON) {
		measure_put_ends(o, report);
		status = put_ratios(o, &s);
		measure_put_host(o, report);
		closed = show_close(o);
		status = status == OPT_GO_ON ? closed : status;
	}
	if (status == DONE && report->pictures) {
		status = measure_plot(report->pictures, &s.figures);
		status = status == OPT_GO_ON ? DONE : status;
	}
	release(&s);
	return status;
}
