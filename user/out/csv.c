// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * csv.c - RFC 4180 with LF: a header, unknown values empty, numbers whole.
 *
 * argv is one field that a shell reads back. Other text is given byte for byte,
 * except on a terminal, which must not meet control bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "text.h"

static bool stands_bare(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] == '"' || p[i] == ',' || (unsigned char)p[i] < ' ' || p[i] == 0x7f)
			return false;
	/* A blank at an end is dropped by some readers unless quoted. */
	return !n || (p[0] != ' ' && p[n - 1] != ' ');
}

/* An only field that is empty is an empty line, which readers pass over: they lose a row. */
static bool must_show(const struct out *o)
{
	return o->table.n == 1;
}

static void put_field(struct out *o, const char *p, size_t n)
{
	bool guard = o->options.csv_safe && n && strchr("=+-@\t\r", *p) && *p;

	if (!guard && stands_bare(p, n) && (n || !must_show(o))) {
		sink_put(o->sink, p, n);
		return;
	}
	sink_char(o->sink, '"');
	if (guard)
		sink_char(o->sink, '\'');
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '"')
			sink_char(o->sink, '"');
		sink_char(o->sink, p[i]);
	}
	sink_char(o->sink, '"');
}

static void put_text(struct out *o, const struct ktally_field *f, struct ktally_str t)
{
	size_t room = text_quote_room(t.len), n;
	char stack[1024], *buf;

	if (f->unit != KTALLY_ARGV && !sink_terminal(o->sink)) {
		put_field(o, t.p, t.len);
		return;
	}
	buf = room <= sizeof(stack) ? stack : malloc(room);
	if (!buf) {
		o->oom = true;
		return;
	}
	if (f->unit == KTALLY_ARGV)
		n = text_quote_argv(buf, room, t.p, t.len, TEXT_FOR_SHELLS);
	else
		n = text_escape(buf, room, t.p, t.len);
	put_field(o, buf, n);
	if (buf != stack)
		free(buf);
}

static void csv_begin(struct out *o)
{
	out_names(o, ',');
}

static void put_value(struct out *o, const struct ktally_field *f, const struct ktally_value *v)
{
	if (v->type == KTALLY_V_TEXT)
		put_text(o, f, v->t);
	else if (v->type == KTALLY_V_UNKNOWN)
		put_field(o, "", 0);
	else
		out_number(o, f, v);
}

/* Most cells are counts or unknown: these go straight into the sink's buffer. */
static void csv_row(struct out *o, const struct ktally_value *values)
{
	char *end, *p = sink_room(o->sink, &end);

	for (size_t i = 0; i < o->table.n; i++) {
		const struct ktally_field *f = o->table.columns[i];
		const struct ktally_value *v = &values[i];

		if (end - p < SINK_ROOM) {
			sink_filled(o->sink, p);
			p = sink_room(o->sink, &end);
		}
		if (i)
			*p++ = ',';
		if (v->type == KTALLY_V_UNKNOWN && !must_show(o))
			continue;
		if (v->type == KTALLY_V_U64 && f->unit != KTALLY_TIME) {
			p = sink_digits(p, v->u);
			continue;
		}
		sink_filled(o->sink, p);
		put_value(o, f, v);
		p = sink_room(o->sink, &end);
	}
	*p++ = '\n';
	sink_filled(o->sink, p);
}

static void csv_end(struct out *o)
{
	(void)o;
}

const struct out_writer out_csv_writer = {
	.name = "csv", .begin = csv_begin, .row = csv_row, .end = csv_end,
};
