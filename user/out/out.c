// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * out.c - the table of writers, and what all of them need.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

static const struct out_writer *const writers[] = {
	[OUT_TABLE] = &out_table_writer,
	[OUT_CSV] = &out_csv_writer,
	[OUT_JSON] = &out_json_writer,
	[OUT_JSONL] = &out_jsonl_writer,
	[OUT_RAW] = &out_raw_writer,
	[OUT_INFLUX] = &out_influx_writer,
};

/* --color=always beats NO_COLOR, which counts only when it is not empty. */
static bool want_color(const struct out_options *options, const struct sink *sink)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options->color != OUT_COLOR_AUTO)
		return options->color == OUT_COLOR_ALWAYS;
	return sink_terminal(sink) && !(no && *no) && term && strcmp(term, "dumb");
}

struct out *out_open(const struct out_options *options, const struct out_table *table, int *err)
{
	struct out *o = calloc(1, sizeof(*o));

	if (!o) {
		*err = -ENOMEM;
		return NULL;
	}
	o->options = *options;
	o->table = *table;
	o->writer = writers[options->format];
	o->sink = sink_open(options->path, options->on_stderr ? 2 : 1, err);
	if (!o->sink) {
		free(o);
		return NULL;
	}
	o->color = want_color(options, o->sink);
	o->human = options->human || sink_terminal(o->sink);
	if (o->writer->for_people && !options->no_pager && !options->on_stderr && !options->grows)
		sink_page(o->sink);
	o->writer->begin(o);
	return o;
}

void out_row(struct out *o, const struct ktally_value *values)
{
	o->writer->row(o, values);
	o->rows++;
	o->prefix = NULL;
}

bool out_flush(struct out *o)
{
	if (o->writer->flush)
		o->writer->flush(o);
	sink_flush(o->sink);
	return !sink_error(o->sink);
}

void out_prefix(struct out *o, const char *prefix)
{
	o->prefix = prefix;
}

bool out_facts(struct out *o, const char *kind, const struct out_fact *facts, size_t n)
{
	if (!o->writer->facts)
		return false;
	o->writer->facts(o, kind, facts, n);
	return true;
}

void out_line(struct out *o, const char *text)
{
	size_t len = strlen(text);
	char *lines;

	if (o->writer->facts)
		return;
	lines = realloc(o->lines, o->n_lines + len + 2);
	if (!lines) {
		o->oom = true;
		return;
	}
	memcpy(lines + o->n_lines, text, len);
	o->lines = lines;
	o->n_lines += len + 1;
	lines[o->n_lines - 1] = '\n';
	lines[o->n_lines] = '\0';
}

int out_close(struct out *o, char **lines)
{
	int err;

	o->writer->end(o);
	*lines = o->lines;
	if (o->writer->for_people) {
		if (o->n_lines)
			sink_put(o->sink, o->lines, o->n_lines);
		free(o->lines);
		*lines = NULL;
	}
	err = sink_close(o->sink);
	if (o->oom)
		err = -ENOMEM;
	free(o);
	return err;
}

void out_names(struct out *o, char between)
{
	if (o->options.no_header)
		return;
	for (size_t i = 0; i < o->table.n; i++) {
		if (i)
			sink_char(o->sink, between);
		sink_puts(o->sink, o->table.columns[i]->name);
	}
	sink_char(o->sink, '\n');
}

int64_t out_point(const struct out *o, uint64_t boottime, enum out_time plain)
{
	enum out_time time = o->options.time == OUT_TIME_DEFAULT ? plain : (enum out_time)o->options.time;

	if (time == OUT_TIME_REL)
		return (int64_t)(boottime - o->table.clock.zero);
	if (time == OUT_TIME_WALL)
		return (int64_t)boottime + o->table.clock.real;
	return (int64_t)boottime;
}

struct ktally_value out_scaled(const struct out *o, const struct ktally_field *f,
			       const struct ktally_value *v)
{
	struct ktally_value out = *v;

	if (f->unit == KTALLY_PERCENT && v->type == KTALLY_V_DOUBLE && o->options.per_machine &&
	    o->table.clock.cpus)
		out.d = v->d / o->table.clock.cpus;
	return out;
}

static void put_double(struct sink *s, enum ktally_unit unit, double d)
{
	char buf[64];
	int n;

	/* Spans and sizes are whole numbers in every format for machines. */
	if (unit == KTALLY_NS || unit == KTALLY_BYTES)
		n = snprintf(buf, sizeof(buf), "%.0f", d);
	else
		n = snprintf(buf, sizeof(buf), unit == KTALLY_NONE ? "%.15g" : "%.10g", d);
	sink_put(s, buf, (size_t)n);
}

void out_number(struct out *o, const struct ktally_field *f, const struct ktally_value *v)
{
	if (f->unit == KTALLY_TIME && v->type == KTALLY_V_U64)
		sink_s64(o->sink, out_point(o, v->u, OUT_TIME_BOOT));
	else if (v->type == KTALLY_V_U64)
		sink_u64(o->sink, v->u);
	else if (v->type == KTALLY_V_S64)
		sink_s64(o->sink, v->s);
	else
		put_double(o->sink, f->unit, out_scaled(o, f, v).d);
}

struct ktally_value out_text(const char *text)
{
	struct ktally_value v = { .type = KTALLY_V_UNKNOWN };

	if (!text)
		return v;
	v.type = KTALLY_V_TEXT;
	v.t.p = text;
	v.t.len = (uint32_t)strlen(text);
	return v;
}
