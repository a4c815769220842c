// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * influx.c - Influx line protocol, for VictoriaMetrics, InfluxDB and what reads the same:
 * "ktally_exit,host=nas,program=cc1 cpu_ns=1200i,user="a" 1795980000123456789".
 *
 * Of the columns `event` names the measurement and `unix_ns` the time; some are tags,
 * which make series; all others are fields. What is unknown is left out. Readers part
 * lines before they look at quotes, so no control character stays.
 */
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "text.h"

static const char *const tags[] = { "host", "cpu", "program", "user", "unit", "container" };

enum part { MEASUREMENT, TIME, TAG, FIELD };

static enum part part_of(const struct ktally_field *f)
{
	if (!strcmp(f->name, "event"))
		return MEASUREMENT;
	if (!strcmp(f->name, "unix_ns"))
		return TIME;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (!strcmp(f->name, tags[i]))
			return TAG;
	return FIELD;
}

static void put_hex(struct sink *s, unsigned char c)
{
	char x[4];

	text_hex(x, c);
	/* A backslash of its own would speak of what comes behind it. */
	sink_char(s, '\\');
	sink_put(s, x, sizeof(x));
}

/* escape: what gets a backslash before it. */
static void put_text(struct sink *s, struct ktally_str t, const char *escape)
{
	for (size_t i = 0; i < t.len;) {
		size_t c = text_char(t.p + i, t.len - i);

		if (!c || text_control(t.p + i, c) || t.p[i] == '\\') {
			for (size_t k = 0; k < (c ? c : 1); k++)
				put_hex(s, (unsigned char)t.p[i + k]);
		} else {
			if (strchr(escape, t.p[i]))
				sink_char(s, '\\');
			sink_put(s, t.p + i, c);
		}
		i += c ? c : 1;
	}
}

static void put_field(struct out *o, const struct ktally_field *f, const struct ktally_value *v)
{
	if (v->type == KTALLY_V_TEXT) {
		sink_char(o->sink, '"');
		put_text(o->sink, v->t, "\"");
		sink_char(o->sink, '"');
		return;
	}
	out_number(o, f, v);
	if (v->type != KTALLY_V_DOUBLE)
		sink_char(o->sink, 'i');
}

/* Lists have no form there, an empty tag is none, and numbers are signed. */
static bool has_place(const struct ktally_field *f, const struct ktally_value *v, enum part part)
{
	if (v->type == KTALLY_V_UNKNOWN || f->unit == KTALLY_ARGV || f->unit == KTALLY_NUMBERS)
		return false;
	if (v->type == KTALLY_V_U64 && v->u > INT64_MAX)
		return false;
	return part != TAG || v->type != KTALLY_V_TEXT || v->t.len;
}

static void put_part(struct out *o, const struct ktally_value *values, enum part part)
{
	size_t n = 0;

	for (size_t i = 0; i < o->table.n; i++) {
		const struct ktally_field *f = o->table.columns[i];

		if (part_of(f) != part || !has_place(f, &values[i], part))
			continue;
		if (part == TAG || n++)
			sink_char(o->sink, ',');
		if (part == TAG || part == FIELD) {
			sink_puts(o->sink, f->name);
			sink_char(o->sink, '=');
		}
		if (part == FIELD)
			put_field(o, f, &values[i]);
		else if (values[i].type == KTALLY_V_TEXT)
			put_text(o->sink, values[i].t, ", =");
		else
			out_number(o, f, &values[i]);
	}
}

static void influx_row(struct out *o, const struct ktally_value *values)
{
	sink_puts(o->sink, "ktally_");
	put_part(o, values, MEASUREMENT);
	put_part(o, values, TAG);
	sink_char(o->sink, ' ');
	put_part(o, values, FIELD);
	sink_char(o->sink, ' ');
	put_part(o, values, TIME);
	sink_char(o->sink, '\n');
}

static void nothing(struct out *o)
{
	(void)o;
}

const struct out_writer out_influx_writer = {
	.name = "influx", .begin = nothing, .row = influx_row, .end = nothing,
};
