// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw.c - for the shell's own tools: one blank between columns, none within.
 *
 * Unknown is "-", an empty text is "\x", and blanks, control bytes, backslashes
 * and bytes that are no UTF-8 are \xNN, so that `read` and `cut` see the same
 * columns in every line.
 */
#include <string.h>

#include "out.h"
#include "text.h"

static void put_hex(struct sink *s, unsigned char c)
{
	static const char digit[] = "0123456789abcdef";
	char x[4] = { '\\', 'x', digit[c >> 4], digit[c & 15] };

	sink_put(s, x, sizeof(x));
}

static void put_text(struct out *o, struct ktally_str t)
{
	if (!t.len || (t.len == 1 && *t.p == '-')) {
		sink_puts(o->sink, t.len ? "\\x2d" : "\\x");
		return;
	}
	for (size_t i = 0; i < t.len;) {
		size_t c = text_char(t.p + i, t.len - i);

		if (c && !text_control(t.p + i, c) && t.p[i] != ' ' && t.p[i] != '\\')
			sink_put(o->sink, t.p + i, c);
		else
			for (size_t k = 0; k < (c ? c : 1); k++)
				put_hex(o->sink, (unsigned char)t.p[i + k]);
		i += c ? c : 1;
	}
}

static void raw_begin(struct out *o)
{
	if (o->options.no_header)
		return;
	for (size_t i = 0; i < o->table.n; i++) {
		if (i)
			sink_char(o->sink, ' ');
		sink_puts(o->sink, o->table.columns[i]->name);
	}
	sink_char(o->sink, '\n');
}

static void raw_row(struct out *o, const struct ktally_value *values)
{
	for (size_t i = 0; i < o->table.n; i++) {
		const struct ktally_value *v = &values[i];

		if (i)
			sink_char(o->sink, ' ');
		if (v->type == KTALLY_V_UNKNOWN)
			sink_char(o->sink, '-');
		else if (v->type == KTALLY_V_TEXT)
			put_text(o, v->t);
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
