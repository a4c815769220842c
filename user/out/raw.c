// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw.c - for the shell's own tools: one blank between columns, none within.
 *
 * Unknown is "-", an empty text is "\x", and blanks, control bytes, backslashes
 * and bytes that are no UTF-8 are \xNN, so that `read` and `cut` see the same
 * columns in every line.
 */
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "text.h"

static void put_hex(struct sink *s, const char *p, size_t n)
{
	char x[4];

	for (size_t i = 0; i < n; i++) {
		text_hex(x, (unsigned char)p[i]);
		sink_put(s, x, sizeof(x));
	}
}

static void put_text(struct out *o, const char *p, size_t n)
{
	if (!n || (n == 1 && *p == '-')) {
		sink_puts(o->sink, n ? "\\x2d" : "\\x");
		return;
	}
	for (size_t i = 0; i < n;) {
		size_t c = text_char(p + i, n - i);

		if (c && !text_control(p + i, c) && p[i] != ' ' && p[i] != '\\')
			sink_put(o->sink, p + i, c);
		else
			put_hex(o->sink, p + i, c ? c : 1);
		i += c ? c : 1;
	}
}

/* As a shell would read it, and then its blanks hidden. */
static void put_argv(struct out *o, struct ktally_str t)
{
	size_t room = text_quote_room(t.len);
	char *buf = malloc(room);

	if (buf)
		put_text(o, buf, text_quote_argv(buf, room, t.p, t.len, TEXT_FOR_SHELLS));
	else
		o->oom = true;
	free(buf);
}

static void raw_begin(struct out *o)
{
	out_names(o, ' ');
}

static void raw_row(struct out *o, const struct ktally_value *values)
{
	for (size_t i = 0; i < o->table.n; i++) {
		const struct ktally_value *v = &values[i];

		if (i)
			sink_char(o->sink, ' ');
		if (v->type == KTALLY_V_UNKNOWN)
			sink_char(o->sink, '-');
		else if (v->type == KTALLY_V_TEXT && o->table.columns[i]->unit == KTALLY_ARGV)
			put_argv(o, v->t);
		else if (v->type == KTALLY_V_TEXT)
			put_text(o, v->t.p, v->t.len);
		else
			out_number(o, o->table.columns[i], v);
	}
	sink_char(o->sink, '\n');
}

static void raw_end(struct out *o)
{
	(void)o;
}

const struct out_writer out_raw_writer = {
	.name = "raw", .begin = raw_begin, .row = raw_row, .end = raw_end,
};
