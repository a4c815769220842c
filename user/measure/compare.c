// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare.c - two results side by side: of each measure the ratio of medians,
 * between which bounds it lies, and whether that is more than noise.
 *
 * Repeats are what is compared where there are several on both sides: values within one
 * are more alike than a new repeat would be, and would make noise look like a difference.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "measure.h"
#include "out/text.h"
#include "say.h"

enum column {
	COL_STAGE, COL_SUBJECT, COL_MEASURE, COL_UNIT, COL_COMMAND, COL_RUNS_A, COL_RUNS_B, COL_A, COL_B,
	COL_RATIO, COL_LOW, COL_HIGH, COL_CHANCE, COL_VERDICT, COLUMNS
};

#define PLAIN(name, title, help)	{ name, title, help, KTALLY_NONE, KTALLY_SAME, 7, NULL, 0 }

static const struct ktally_field all_fields[COLUMNS] = {
	{ "stage", "STAGE", "part of the method", KTALLY_TEXT, KTALLY_SAME, -6, NULL, 0 },
	{ "subject", "SUBJECT", "whose, in A", KTALLY_TEXT, KTALLY_SAME, -8, NULL, 0 },
	{ "measure", "MEASURE", "what was measured", KTALLY_TEXT, KTALLY_SAME, -11, NULL, 0 },
	{ "unit", "UNIT", "of the medians", KTALLY_TEXT, KTALLY_SAME, -5, NULL, 0 },
	{ "command", "CMD", "which of several commands", KTALLY_ID, KTALLY_SAME, 3, NULL, 0 },
	{ "values_a", "NA", "values of A that are compared: repeats where both have several", KTALLY_COUNT, KTALLY_SUM, 4, NULL, 0 },
	{ "values_b", "NB", "of B", KTALLY_COUNT, KTALLY_SUM, 4, NULL, 0 },
	PLAIN("median_a", "A", "median of A"),
	PLAIN("median_b", "B", "median of B"),
	PLAIN("ratio", "B/A", "ratio of the medians"),
	PLAIN("low", "LOW", "95 % confidence: the ratio is not below (bootstrap)"),
	PLAIN("high", "HIGH", "and not above"),
	PLAIN("chance", "P", "of such a difference between equal sources (rank-sum test)"),
	{ "verdict", "VERDICT", "more, less, same (no difference beyond the noise), few (too few values to tell), or void", KTALLY_TEXT, KTALLY_SAME, -7, NULL, 0 },
};

struct row {
	const struct series *a;
	double median[2];
	size_t n[2];
	struct ktally_ratio q;
	const char *verdict;
};

struct compared {
	const struct measure_file *file;	/* two */
	const struct show *show;
	uint64_t seed;
	struct row *rows;
	size_t n;
	bool for_people;
	struct ktally_field fields[COLUMNS];
	const struct ktally_field *list[COLUMNS];
	char text[COLUMNS][32];
};

/* ---- rows ---- */

static const struct series *counterpart(const struct series_set *set, const struct series *a)
{
	for (size_t i = 0; i < set->n; i++)
		if (series_alike(set->at[i], a) && set->at[i]->unit == a->unit)
			return set->at[i];
	return NULL;
}

static bool first_of_its_kind(const struct series_set *set, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (series_alike(set->at[k], set->at[i]))
			return false;
	return true;
}

/* Values of the one repeat there is, sorted. */
static uint64_t *values_of(const struct series_set *set, const struct series *like, size_t *n)
{
	uint64_t *values = NULL;

	*n = 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = set->at[i];

		if (!series_alike(s, like) || s->void_)
			continue;
		values = malloc((s->n + 1) * sizeof(*values));
		if (!values)
			return NULL;
		*n = s->n;
		memcpy(values, s->values, s->n * sizeof(*values));
		ktally_sort(values, s->n);
		return values;
	}
	return calloc(1, sizeof(*values));
}

static const char *verdict_of(const struct row *r)
{
	if (!r->n[0] || !r->n[1])
		return "void";
	if (!r->q.known)
		return r->median[0] == r->median[1] ? "same" : "few";
	if (r->q.differs)
		return r->q.value > 1 ? "more" : "less";
	return ktally_rank_least(r->n[0], r->n[1]) > 0.01 ? "few" : "same";
}

static int make_row(struct compared *c, struct row *r, const struct series *a)
{
	uint64_t *values[2];
	size_t repeats[2];
	int err = 0;

	r->a = a;
	for (int i = 0; i < 2; i++)
		values[i] = figures_medians(&c->file[i].set, a, &repeats[i]);
	for (int i = 0; i < 2; i++) {
		if (repeats[0] > 1 && repeats[1] > 1) {
			r->n[i] = repeats[i];
		} else {
			free(values[i]);
			values[i] = values_of(&c->file[i].set, a, &r->n[i]);
		}
		if (!values[i])
			err = -ENOMEM;
		else if (r->n[i])
			r->median[i] = ktally_quantile(values[i], r->n[i], 0.5);
	}
	if (!err)
		err = ktally_ratio_of(values[0], r->n[0], values[1], r->n[1], c->seed, &r->q);
	free(values[0]);
	free(values[1]);
	r->verdict = verdict_of(r);
	return err;
}

static int make_rows(struct compared *c)
{
	const struct series_set *a = &c->file[0].set;
	int err = 0;

	c->rows = calloc(a->n + 1, sizeof(*c->rows));
	if (!c->rows)
		return -ENOMEM;
	for (size_t i = 0; !err && i < a->n; i++) {
		struct row *r = &c->rows[c->n];

		if (!first_of_its_kind(a, i) || !counterpart(&c->file[1].set, a->at[i]))
			continue;
		err = make_row(c, r, a->at[i]);
		/* What is 0 on both sides is of no interest to people. */
		if (!c->for_people || r->median[0] > 0 || r->median[1] > 0 || !strcmp(r->verdict, "void"))
			c->n++;
	}
	return err;
}

/* ---- values ---- */

static struct ktally_value median(struct compared *c, enum column which, const struct row *r, double d)
{
	char *text = c->text[which];

	d *= series_scale(r->a->unit);
	if (!c->for_people)
		return (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = d };
	measure_put_number(text, sizeof(c->text[which]), c->show, r->a->unit, d);
	return out_text(text);
}

static struct ktally_value part(struct compared *c, enum column which, const struct row *r, double d)
{
	if (!r->q.known)
		return (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
	if (!c->for_people)
		return (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = d };
	snprintf(c->text[which], sizeof(c->text[which]), which == COL_CHANCE ? "%.2g" : "%.4f", d);
	return out_text(c->text[which]);
}

static struct ktally_value value(void *of, size_t i, const struct ktally_field *f)
{
	struct compared *c = of;
	const struct row *r = &c->rows[i];
	enum column which = (enum column)(f - c->fields);

	switch (which) {
	case COL_STAGE:
		return out_text(r->a->stage);
	case COL_SUBJECT:
		return out_text(r->a->subject);
	case COL_MEASURE:
		return out_text(r->a->measure);
	case COL_UNIT:
		return out_text(ktally_unit_name(r->a->unit));
	case COL_COMMAND:
		return r->a->command ? out_u64(r->a->command) : (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
	case COL_RUNS_A:
	case COL_RUNS_B:
		return out_u64(r->n[which - COL_RUNS_A]);
	case COL_A:
	case COL_B:
		if (!r->n[which - COL_A])
			return (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
		return median(c, which, r, r->median[which - COL_A]);
	case COL_RATIO:
		return part(c, which, r, r->q.value);
	case COL_LOW:
		return part(c, which, r, r->q.low);
	case COL_HIGH:
		return part(c, which, r, r->q.high);
	case COL_CHANCE:
		return part(c, which, r, r->q.chance);
	default:
		return out_text(r->verdict);
	}
}

/* ---- all of it ---- */

static void warn_of_machines(const struct measure_file *file)
{
	const struct measure_host *a = &file[0].host, *b = &file[1].host;
	const struct { const char *name, *a, *b; } texts[] = {
		{ "the kernel", a->kernel, b->kernel }, { "the processor", a->cpu, b->cpu },
		{ "the frequency governor", a->governor, b->governor }, { "the clock", a->clock, b->clock },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i].a, texts[i].b))
			say_warning("%s is another: '%s' in %s, '%s' in %s", texts[i].name, texts[i].a, file[0].path,
				    texts[i].b, file[1].path);
	if (a->cpus != b->cpus)
		say_warning("the number of CPUs is another: %u in %s, %u in %s", a->cpus, file[0].path, b->cpus, file[1].path);
}

static void make_fields(struct compared *c)
{
	memcpy(c->fields, all_fields, sizeof(all_fields));
	for (int i = 0; i < COLUMNS; i++) {
		/* For people each number has its own unit. */
		if (c->for_people && i >= COL_A && i < COL_VERDICT)
			c->fields[i].unit = KTALLY_TEXT;
		c->list[i] = &c->fields[i];
	}
}

static const char *columns_of(const struct compared *c)
{
	if (!strcmp(c->file[0].set.at[0]->stage, "runs"))
		return "command,measure,values_a,values_b,median_a,median_b,ratio,low,high,verdict";
	return "stage,subject,measure,median_a,median_b,ratio,low,high,verdict";
}

static int show_compared(struct compared *c, struct show *show)
{
	const struct show_source src = {
		.schema = "ktally.measure-compare/1", .fields = c->list, .n_fields = COLUMNS,
		.columns = columns_of(c), .n_rows = c->n, .value = value, .of = c,
	};
	size_t differ = 0;
	struct out *o;
	char line[128];
	int status = show_rows(show, &src, &o);

	if (status != OPT_GO_ON)
		return status;
	for (size_t i = 0; i < c->n; i++)
		differ += c->rows[i].q.differs;
	snprintf(line, sizeof(line), "%zu of %zu measures differ by more than the noise", differ, c->n);
	out_line(o, line);
	return show_close(o);
}

int measure_compare_files(const char *a, const char *b, uint64_t seed, struct show *show)
{
	struct measure_file file[2] = { { .path = a }, { .path = b } };
	struct compared c = { .file = file, .show = show, .seed = seed, .for_people = show->out.format == OUT_TABLE };
	int status = measure_read(&file[0], a);

	if (status == OPT_GO_ON)
		status = measure_read(&file[1], b);
	if (status == OPT_GO_ON) {
		warn_of_machines(file);
		make_fields(&c);
		status = make_rows(&c) ? say_error(FAILED, "out of memory") : OPT_GO_ON;
	}
	if (status == OPT_GO_ON && !c.n)
		status = say_error(NOTHING_MATCHED, "measure: %s and %s have no measure in common", a, b);
	if (status == OPT_GO_ON && show_wants_help(show))
		status = show_columns(c.list, COLUMNS, columns_of(&c));
	else if (status == OPT_GO_ON)
		status = show_compared(&c, show);
	free(c.rows);
	measure_file_free(&file[0]);
	measure_file_free(&file[1]);
	return status;
}
