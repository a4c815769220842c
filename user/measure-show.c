// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure-show.c - figures over runs as rows, in every format: a row per measure, or a
 * row per run for those who want to compute themselves.
 *
 * Rows have different units, so in tables values are text with a unit; other formats
 * get plain numbers and the unit's name.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "measure.h"
#include "out/text.h"
#include "say.h"

enum column {
	COL_COMMAND, COL_MEASURE, COL_UNIT, COL_RUNS, COL_MEAN, COL_SD, COL_MIN, COL_P25, COL_MEDIAN,
	COL_P75, COL_P90, COL_P99, COL_MAX, COL_OUTLIERS, COLUMNS
};

/* No p99 from fewer values. */
enum { LEAST_FOR_P99 = 100, LEAST_FOR_P90 = 10 };

static const struct ktally_field summary_fields[COLUMNS] = {
	{ "command", "CMD", "which of the commands, from 1", KTALLY_ID, KTALLY_SAME, 3, NULL, 0 },
	{ "measure", "MEASURE", "what was measured of each run, over all its processes", KTALLY_TEXT, KTALLY_SAME, -12, NULL, 0 },
	{ "unit", "UNIT", "of the values: ns, bytes or count", KTALLY_TEXT, KTALLY_SAME, -5, NULL, 0 },
	{ "runs", "RUNS", "values, without those of warming up", KTALLY_COUNT, KTALLY_SUM, 5, NULL, 0 },
	{ "mean", "MEAN", "arithmetic mean", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "sd", "SD", "standard deviation of the sample; unknown for one value", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "min", "MIN", "smallest", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "p25", "P25", "first quartile (type 7)", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "median", "MEDIAN", "median", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "p75", "P75", "third quartile (type 7)", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "p90", "P90", "90th percentile, of ten values and more", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "p99", "P99", "99th percentile, of a hundred values and more", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "max", "MAX", "largest", KTALLY_TEXT, KTALLY_SAME, 8, NULL, 0 },
	{ "outliers", "OUT", "values further than 3 interquartile ranges from the quartiles", KTALLY_COUNT, KTALLY_SUM, 4, NULL, 0 },
};

struct row {
	uint32_t command;
	enum measure_kind kind;
	struct ktally_stats stats;
	double p90, p99;
	size_t outliers;
};

struct shown {
	const struct measure_result *result;
	bool for_people;
	struct row *rows;
	size_t n_rows;
	struct ktally_field fields[COLUMNS + MEASURES];
	const struct ktally_field *list[COLUMNS + MEASURES];
	char text[COLUMNS][32];
};

/* ---- a row per measure ---- */

static size_t count_outliers(const uint64_t *sorted, size_t n, const struct ktally_stats *s)
{
	double far = 3 * (s->p75 - s->p25);
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += (double)sorted[i] < s->p25 - far || (double)sorted[i] > s->p75 + far;
	return count;
}

static int make_row(struct shown *s, size_t command, enum measure_kind kind)
{
	size_t n;
	uint64_t *values = measure_values(s->result, command, kind, &n);
	struct row *row = &s->rows[s->n_rows];

	if (!values)
		return -ENOMEM;
	ktally_stats_of(values, n, &row->stats);
	row->command = (uint32_t)command;
	row->kind = kind;
	if (n) {
		row->p90 = ktally_quantile(values, n, 0.9);
		row->p99 = ktally_quantile(values, n, 0.99);
		row->outliers = count_outliers(values, n, &row->stats);
	}
	free(values);
	/* A table leaves out what was 0 throughout or is not measured here. */
	if (!s->for_people || (n && (measures[kind].always || row->stats.max > 0)))
		s->n_rows++;
	return 0;
}

static struct ktally_value number(struct shown *s, enum column c, const struct row *row, double d, bool known)
{
	char *text = s->text[c];

	if (!known)
		return (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
	if (!s->for_people)
		return (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = d };
	if (measures[row->kind].unit == KTALLY_NS)
		text_span(text, sizeof(s->text[c]), (uint64_t)llround(d));
	else if (measures[row->kind].unit == KTALLY_BYTES)
		text_bytes(text, sizeof(s->text[c]), (uint64_t)llround(d));
	else
		snprintf(text, sizeof(s->text[c]), d == floor(d) ? "%.0f" : "%.1f", d);
	return out_text(text);
}

static struct ktally_value summary_value(void *of, size_t i, const struct ktally_field *f)
{
	struct shown *s = of;
	const struct row *row = &s->rows[i];
	enum column c = (enum column)(f - s->fields);
	const struct ktally_stats *st = &row->stats;
	const double values[COLUMNS] = {
		[COL_MEAN] = st->mean, [COL_SD] = st->sd, [COL_MIN] = st->min, [COL_P25] = st->p25,
		[COL_MEDIAN] = st->median, [COL_P75] = st->p75, [COL_P90] = row->p90, [COL_P99] = row->p99,
		[COL_MAX] = st->max,
	};
	const size_t least[COLUMNS] = {
		[COL_SD] = 2, [COL_P90] = LEAST_FOR_P90, [COL_P99] = LEAST_FOR_P99,
	};

	switch (c) {
	case COL_COMMAND:
		return out_u64(row->command + 1);
	case COL_MEASURE:
		return out_text(measures[row->kind].name);
	case COL_UNIT:
		return out_text(ktally_unit_name(measures[row->kind].unit));
	case COL_RUNS:
		return out_u64(st->n);
	case COL_OUTLIERS:
		return out_u64(row->outliers);
	default:
		return number(s, c, row, values[c], st->n && st->n >= least[c]);
	}
}

static int make_summary(struct shown *s, const struct measure_plan *plan)
{
	s->rows = calloc(plan->n_commands * MEASURES, sizeof(*s->rows));
	for (size_t i = 0; i < plan->n_commands; i++)
		for (int k = 0; k < MEASURES; k++)
			if (!s->rows || make_row(s, i, k))
				return say_error(FAILED, "out of memory");
	return OPT_GO_ON;
}

/* ---- a row per run ---- */

enum each_column { EACH_RUN, EACH_COMMAND, EACH_WARM_UP, EACH_STATUS, EACH_FIRST };

static const struct ktally_field each_fields[EACH_FIRST] = {
	{ "run", "RUN", "in order of time, from 1", KTALLY_ID, KTALLY_SAME, 5, NULL, 0 },
	{ "command", "CMD", "which of the commands, from 1", KTALLY_ID, KTALLY_SAME, 3, NULL, 0 },
	{ "warm_up", "WARM", "1: it is in no figures", KTALLY_BOOL, KTALLY_SUM, 4, NULL, 0 },
	{ "status", "EXIT", "how it ended", KTALLY_STATUS, KTALLY_SAME, 4, NULL, 0 },
};

static struct ktally_value each_value(void *of, size_t i, const struct ktally_field *f)
{
	struct shown *s = of;
	const struct measure_run *run = &s->result->run[i];
	size_t c = (size_t)(f - s->fields);

	switch (c) {
	case EACH_RUN:
		return out_u64(i + 1);
	case EACH_COMMAND:
		return out_u64(run->command + 1);
	case EACH_WARM_UP:
		return out_u64(run->warm_up);
	case EACH_STATUS:
		return out_u64((uint32_t)run->wait_status);
	default:
		c -= EACH_FIRST;
		return run->known >> c & 1 ? out_u64(run->v[c]) : (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
	}
}

static size_t each_columns(struct shown *s)
{
	static const char *const names[MEASURES] = {
		"time_ns", "cpu_ns", "cpu_user_ns", "cpu_sys_ns", "peak_rss_bytes", "read_bytes", "write_bytes",
		"rx_wire_bytes", "tx_wire_bytes", "loop_rx_wire_bytes", "loop_tx_wire_bytes", "minflt", "majflt",
		"nvcsw", "nivcsw", "count",
	};
	static const char *const titles[MEASURES] = {
		"TIME", "CPU", "USER-CPU", "SYS-CPU", "PEAK", "READ", "WRITE", "RX", "TX", "LO-RX", "LO-TX",
		"MINFLT", "MAJFLT", "CSW", "ICSW", "PROCS",
	};

	memcpy(s->fields, each_fields, sizeof(each_fields));
	for (int k = 0; k < MEASURES; k++)
		s->fields[EACH_FIRST + k] = (struct ktally_field){
			names[k], titles[k], measures[k].name, measures[k].unit, KTALLY_SUM, 8, NULL, 0
		};
	return EACH_FIRST + MEASURES;
}

/* ---- what stands below ---- */

static void put_statuses(struct out *o, const struct measure_plan *plan, const struct measure_result *r)
{
	for (size_t c = 0; c < plan->n_commands; c++) {
		uint64_t n = 0, failed = 0, warm = 0;
		char line[256], which[32] = "";

		for (size_t i = 0; i < r->n; i++) {
			if (r->run[i].command != c)
				continue;
			warm += r->run[i].warm_up;
			n += !r->run[i].warm_up;
			failed += r->run[i].wait_status != 0;
		}
		if (plan->n_commands > 1)
			snprintf(which, sizeof(which), "command %zu: ", c + 1);
		snprintf(line, sizeof(line), "%s%llu runs after %llu to warm up; %llu of all ended with a status other than 0",
			 which, (unsigned long long)n, (unsigned long long)warm, (unsigned long long)failed);
		out_line(o, line);
	}
}

int measure_compare(const struct measure_result *r, size_t i, enum measure_kind kind, uint64_t seed,
		    struct ktally_ratio *ratio)
{
	size_t n, m;
	uint64_t *a = measure_values(r, 0, kind, &n), *b = measure_values(r, i, kind, &m);
	int err = a && b ? ktally_ratio_of(a, n, b, m, seed, ratio) : -ENOMEM;

	free(a);
	free(b);
	return err;
}

static void put_ratio(struct out *o, size_t i, enum measure_kind kind, const struct ktally_ratio *q)
{
	char line[256];
	const char *verdict = !q->differs ? "no difference beyond the noise" : q->value > 1 ? "more" : "less";

	if (!q->known)
		return;
	snprintf(line, sizeof(line), "command %zu / 1, %s: %.4f (95 %%: %.4f to %.4f, p %.2g): %s",
		 i + 1, measures[kind].name, q->value, q->low, q->high, q->chance, verdict);
	out_line(o, line);
}

static void put_ratio_fact(struct out *o, size_t i, enum measure_kind kind, const struct ktally_ratio *q)
{
	const struct out_fact facts[] = {
		{ "command", KTALLY_ID, out_u64(i + 1) },
		{ "measure", KTALLY_TEXT, out_text(measures[kind].name) },
		{ "ratio", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = q->value } },
		{ "low", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = q->low } },
		{ "high", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = q->high } },
		{ "chance", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = q->chance } },
		{ "differs", KTALLY_BOOL, out_u64(q->differs) },
	};
	char kind_name[48];

	if (!q->known)
		return;
	snprintf(kind_name, sizeof(kind_name), "ratio_%zu_%s", i + 1, measures[kind].name);
	for (char *c = kind_name; *c; c++)
		*c = *c == ' ' ? '_' : *c;
	out_facts(o, kind_name, facts, sizeof(facts) / sizeof(facts[0]));
}

static int put_ratios(struct out *o, const struct measure_plan *plan, const struct measure_result *r, uint64_t seed)
{
	static const enum measure_kind compared[] = { MEASURE_TIME, MEASURE_CPU, MEASURE_PEAK };

	for (size_t i = 1; i < plan->n_commands; i++)
		for (size_t k = 0; k < sizeof(compared) / sizeof(compared[0]); k++) {
			struct ktally_ratio q;

			if (measure_compare(r, i, compared[k], seed, &q))
				return say_error(FAILED, "out of memory");
			put_ratio(o, i, compared[k], &q);
			put_ratio_fact(o, i, compared[k], &q);
		}
	return OPT_GO_ON;
}

static void put_host(struct out *o, const struct measure_result *r, uint64_t seed)
{
	struct measure_host h;

	measure_host_read(&h);
	{
		const struct out_fact facts[] = {
			{ "kernel", KTALLY_TEXT, out_text(h.kernel) },
			{ "machine", KTALLY_TEXT, out_text(h.machine) },
			{ "cpu", KTALLY_TEXT, out_text(h.cpu[0] ? h.cpu : NULL) },
			{ "cpus", KTALLY_COUNT, out_u64(h.cpus) },
			{ "memory_bytes", KTALLY_BYTES, out_u64(h.memory) },
			{ "governor", KTALLY_TEXT, out_text(h.governor[0] ? h.governor : NULL) },
			{ "clocksource", KTALLY_TEXT, out_text(h.clock[0] ? h.clock : NULL) },
			{ "clock_resolution_ns", KTALLY_NS, out_u64(r->resolution) },
			{ "clock_cost_ns", KTALLY_NS, out_u64(r->cost) },
			{ "seed", KTALLY_COUNT, out_u64(seed) },
			{ "lost_records", KTALLY_COUNT, out_u64(r->lost) },
			{ "stopped_early", KTALLY_BOOL, out_u64(r->stopped) },
		};

		out_facts(o, "measurement", facts, sizeof(facts) / sizeof(facts[0]));
	}
}

/* ---- all of it ---- */

static void source_of(struct shown *s, const struct measure_plan *plan, bool each, struct show_source *src)
{
	size_t n = COLUMNS;

	if (each)
		n = each_columns(s);
	else
		memcpy(s->fields, summary_fields, sizeof(summary_fields));
	/* Numbers, but for people, who get each with its own unit. */
	for (size_t i = COL_MEAN; !each && !s->for_people && i <= COL_MAX; i++)
		s->fields[i].unit = KTALLY_NONE;
	for (size_t i = 0; i < n; i++)
		s->list[i] = &s->fields[i];
	*src = (struct show_source){
		.schema = each ? "ktally.measure-runs/1" : "ktally.measure/1",
		.fields = s->list, .n_fields = n,
		.columns = each ? "run,command,time_ns,cpu_user_ns,cpu_sys_ns,peak_rss_bytes,count,status" :
			plan->n_commands > 1 ? "command,measure,mean,sd,min,p25,median,p75,max" :
			"measure,mean,sd,min,p25,median,p75,max",
		.n_rows = each ? s->result->n : s->n_rows,
		.value = each ? each_value : summary_value, .of = s,
	};
}

int measure_show(const struct measure_plan *plan, const struct measure_result *r, const struct measure_look *look)
{
	struct shown s = { .result = r, .for_people = look->show->out.format == OUT_TABLE };
	struct show_source src;
	struct out *o;
	int status = look->each ? OPT_GO_ON : make_summary(&s, plan);

	source_of(&s, plan, look->each, &src);
	if (status == OPT_GO_ON)
		status = show_rows(look->show, &src, &o);
	if (status == OPT_GO_ON) {
		put_statuses(o, plan, r);
		status = put_ratios(o, plan, r, look->seed);
		put_host(o, r, look->seed);
		if (status == OPT_GO_ON)
			status = show_close(o);
		else
			show_close(o);
	}
	free(s.rows);
	return status;
}
