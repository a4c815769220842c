// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - the table for people.
 *
 * Cells are made as rows come and laid out at the end, when widths are known. On
 * a terminal numbers have units and the last column is cut to what is left; in a
 * pipe times are seconds, sizes bytes, and nothing is cut. Unknown is "-".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lay.h"
#include "lib/whole.h"
#include "out.h"
#include "text.h"

enum {
	LEAST_COMMAND = 8,	/* columns the last one keeps on the narrowest terminal */
	CUT_ROOM = 3,		/* bytes by which the mark of a cut may be longer than what it replaces */
	ROWS_A_HEADER = 22,	/* of a view that grows: about a screen */
};

struct cell {
	size_t at;		/* in text */
	uint32_t width;
	bool alarm;
};

struct table {
	bool utf8;		/* letters beyond ASCII can be shown */
	struct lay_column *columns;
	struct cell *cells;
	size_t n_cells, room_cells;
	char *text;		/* all cells, each ended by NUL */
	size_t n_text, room_text;
	size_t since_header;	/* rows, of a view that grows */
	bool flushed;
};

/* Room for n more bytes of text and one more cell. */
static bool reserve(struct out *o, struct table *t, size_t n)
{
	if (t->n_text + n > t->room_text) {
		size_t room = 2 * t->room_text + n;
		char *text = realloc(t->text, room);

		if (!text)
			goto failed;
		t->text = text;
		t->room_text = room;
	}
	if (t->n_cells == t->room_cells) {
		size_t room = 2 * t->room_cells + 64;
		struct cell *cells = realloc(t->cells, room * sizeof(*cells));

		if (!cells)
			goto failed;
		t->cells = cells;
		t->room_cells = room;
	}
	return true;
failed:
	o->oom = true;
	return false;
}

static size_t put_span(const struct out *o, char *dst, size_t n, uint64_t ns)
{
	if (o->options.ns)
		return (size_t)snprintf(dst, n, "%llu", (unsigned long long)ns);
	if (o->human)
		return text_span(dst, n, ns);
	return text_seconds(dst, n, ns, 9);
}

static size_t put_wall(const struct out *o, char *dst, size_t n, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	int rest = (int)(ns % 1000000000);
	char stamp[40];
	struct tm tm;

	if (o->options.utc)
		gmtime_r(&s, &tm);
	else
		localtime_r(&s, &tm);
	if (o->human) {
		strftime(stamp, sizeof(stamp), "%H:%M:%S", &tm);
		return (size_t)snprintf(dst, n, "%s.%03d", stamp, rest / 1000000);
	}
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
	return (size_t)snprintf(dst, n, "%s.%09d%s", stamp, rest, o->options.utc ? "Z" : "");
}

static size_t put_point(const struct out *o, char *dst, size_t n, uint64_t boottime)
{
	int64_t ns = out_point(o, boottime, OUT_TIME_REL);
	size_t sign = ns < 0;

	if (o->options.ns)
		return (size_t)snprintf(dst, n, "%lld", (long long)ns);
	if (o->options.time == OUT_TIME_WALL)
		return put_wall(o, dst, n, ns);
	if (sign)
		dst[0] = '-';
	return sign + text_seconds(dst + sign, n - sign, sign ? -(uint64_t)ns : (uint64_t)ns,
				   o->human ? 3 : 9);
}

static size_t put_status(char *dst, size_t n, uint64_t status)
{
	size_t len;

	if (!(status & 0x7f))
		return (size_t)snprintf(dst, n, "%u", (unsigned int)(status >> 8 & 0xff));
	len = text_signal(dst, n, (int)(status & 0x7f));
	if (status & 0x80)
		len += (size_t)snprintf(dst + len, n - len, "+core");
	return len;
}

static uint64_t rounded(const struct ktally_value *v)
{
	if (v->type == KTALLY_V_DOUBLE)
		return whole_of(v->d);
	return v->u;
}

static size_t put_number(const struct out *o, const struct ktally_field *f, char *dst, size_t n,
			 const struct ktally_value *value)
{
	struct ktally_value v = out_scaled(o, f, value);

	switch (f->unit) {
	case KTALLY_NS:
		return put_span(o, dst, n, rounded(&v));
	case KTALLY_TIME:
		return put_point(o, dst, n, v.u);
	case KTALLY_BYTES:
		if (o->human && !o->options.bytes)
			return text_bytes(dst, n, rounded(&v));
		return (size_t)snprintf(dst, n, "%llu", (unsigned long long)rounded(&v));
	case KTALLY_STATUS:
		return put_status(dst, n, v.u);
	case KTALLY_BOOL:
		return (size_t)snprintf(dst, n, "%s", v.u ? "yes" : "no");
	default:
		break;
	}
	if (v.type == KTALLY_V_DOUBLE)
		return (size_t)snprintf(dst, n, "%.1f", v.d);
	if (v.type == KTALLY_V_S64)
		return (size_t)snprintf(dst, n, "%lld", (long long)v.s);
	return (size_t)snprintf(dst, n, "%llu", (unsigned long long)v.u);
}

static size_t put_value(const struct out *o, const struct ktally_field *f, char *dst, size_t n,
			const struct ktally_value *v)
{
	size_t at = 0;

	if (v->type == KTALLY_V_UNKNOWN)
		return (size_t)snprintf(dst, n, "-");
	if (v->type == KTALLY_V_TEXT) {
		if (f->unit == KTALLY_ARGV)
			at = text_quote_argv(dst, n, v->t.p, v->t.len, TEXT_FOR_PEOPLE);
		else
			at = text_escape(dst, n, v->t.p, v->t.len);
		/* There was more of it. */
		if (v->lower)
			at += (size_t)snprintf(dst + at, n - at, "%s", text_glyphs()->cut);
		return at;
	}
	/* At most 0 is 0. In pipes one byte is one column, so that fields can be cut out. */
	if (v->lower || (v->upper && (v->type != KTALLY_V_U64 || v->u)))
		at = (size_t)snprintf(dst, n, "%s", v->upper ? (o->human ? text_glyphs()->upper : "<=") :
							       (o->human ? text_glyphs()->lower : ">="));
	if (v->mark)
		at += (size_t)snprintf(dst + at, n - at, "%s", v->mark);
	return at + put_number(o, f, dst + at, n - at, v);
}

static size_t room_for(const struct table *t, const struct ktally_value *v, const char *prefix)
{
	size_t text = v->type == KTALLY_V_TEXT ? text_quote_room(v->t.len) : 0;

	return 128 + strlen(prefix) + (t->utf8 ? text : 4 * text);
}

static bool alarming(const struct ktally_field *f, const struct ktally_value *v)
{
	return f->unit == KTALLY_STATUS && v->type == KTALLY_V_U64 && v->u;
}

static void add_cell(struct out *o, size_t column, const struct ktally_value *v)
{
	const struct ktally_field *f = o->table.columns[column];
	const char *prefix = o->prefix && column + 1 == o->table.n ? o->prefix : "";
	size_t room, n = strlen(prefix);
	struct table *t = o->own;
	struct cell *c;
	char *dst;

	if (!t || o->oom)
		return;
	room = room_for(t, v, prefix);
	if (!reserve(o, t, room))
		return;
	dst = t->text + t->n_text;
	memcpy(dst, prefix, n);
	n += put_value(o, f, dst + n, room - n, v);
	if (!t->utf8)
		n = text_ascii(dst, n, room);
	c = &t->cells[t->n_cells++];
	c->at = t->n_text;
	c->width = (uint32_t)text_width(dst, n);
	c->alarm = alarming(f, v);
	t->n_text += n + 1 + CUT_ROOM;
}

static void table_row(struct out *o, const struct ktally_value *values)
{
	for (size_t i = 0; i < o->table.n; i++)
		add_cell(o, i, &values[i]);
}

static void table_begin(struct out *o)
{
	struct table *t = calloc(1, sizeof(*t));

	o->own = t;
	if (t)
		t->columns = calloc(o->table.n + 1, sizeof(*t->columns));
	if (t)
		t->utf8 = text_utf8();
	if (!t || !t->columns) {
		o->oom = true;
		return;
	}
	for (size_t i = 0; i < o->table.n; i++) {
		const struct ktally_field *f = o->table.columns[i];

		t->columns[i].title = f->title;
		t->columns[i].right = f->width > 0;
		t->columns[i].width = strlen(f->title);
		/* Else all cells are known before the first is put out. */
		if (o->options.grows && t->columns[i].width < (size_t)abs(f->width))
			t->columns[i].width = (size_t)abs(f->width);
	}
}

/* What the columns before the last take, the blanks between them included. */
static size_t taken(const struct out *o, const struct table *t)
{
	size_t all = 0;

	for (size_t c = 0; c + 1 < o->table.n; c++) {
		size_t width = t->columns[c].width;

		for (size_t at = c; at < t->n_cells; at += o->table.n)
			if (t->cells[at].width > width)
				width = t->cells[at].width;
		all += width + 2;
	}
	return all;
}

static void cut_cell(struct table *t, struct cell *c, size_t left)
{
	const char *mark = text_glyphs()->cut;
	size_t mark_width = text_width(mark, strlen(mark)), keep;
	char *text = t->text + c->at;

	if (c->width <= left || left < mark_width)
		return;
	keep = text_fit(text, strlen(text), left - mark_width);
	memcpy(text + keep, mark, strlen(mark) + 1);
	c->width = (uint32_t)text_width(text, strlen(text));
}

static void cut_last(struct out *o, struct table *t)
{
	size_t columns = sink_columns(o->sink), used = taken(o, t);
	size_t left = columns > used + LEAST_COMMAND ? columns - used : LEAST_COMMAND;

	for (size_t at = o->table.n - 1; at < t->n_cells; at += o->table.n)
		cut_cell(t, &t->cells[at], left);
}

static struct lay_cell give_cell(const void *of, size_t row, size_t column)
{
	const struct out *o = of;
	const struct table *t = o->own;
	const struct cell *c = &t->cells[row * o->table.n + column];

	return (struct lay_cell){ .text = t->text + c->at, .width = c->width, .alarm = c->alarm };
}

static bool wants_header(const struct out *o, const struct table *t)
{
	if (o->options.no_header)
		return false;
	if (!t->flushed)
		return true;
	return sink_terminal(o->sink) && t->since_header >= ROWS_A_HEADER;
}

static void lay_out(struct out *o, struct table *t)
{
	const struct lay lay = {
		.columns = t->columns, .n_columns = o->table.n,
		.n_rows = t->n_cells / o->table.n,
		.header = wants_header(o, t), .color = o->color,
		.cell = give_cell, .of = o,
	};

	if (sink_terminal(o->sink) && !o->options.wide && !o->table.columns[o->table.n - 1]->width)
		cut_last(o, t);
	if (lay_print(o->sink, &lay))
		o->oom = true;
	t->since_header = (lay.header ? 0 : t->since_header) + lay.n_rows;
}

/* Columns of a view that grows keep their places; names too long for theirs are cut on a terminal. */
static void keep_widths(struct out *o, struct table *t)
{
	bool cut = sink_terminal(o->sink) && !o->options.wide;

	for (size_t at = 0; at < t->n_cells; at++) {
		const struct ktally_field *f = o->table.columns[at % o->table.n];
		struct lay_column *column = &t->columns[at % o->table.n];

		if (cut && f->width < 0)
			cut_cell(t, &t->cells[at], column->width);
		if (column->width < t->cells[at].width)
			column->width = t->cells[at].width;
	}
}

static void table_flush(struct out *o)
{
	struct table *t = o->own;

	if (!t || o->oom || !o->table.n || !t->n_cells)
		return;
	keep_widths(o, t);
	lay_out(o, t);
	t->flushed = true;
	t->n_cells = t->n_text = 0;
}

static void table_end(struct out *o)
{
	struct table *t = o->own;

	if (!t)
		return;
	if (!o->oom && o->table.n && (t->n_cells || !t->flushed))
		lay_out(o, t);
	free(t->columns);
	free(t->cells);
	free(t->text);
	free(t);
}

const struct out_writer out_table_writer = {
	.name = "table", .for_people = true, .begin = table_begin, .row = table_row,
	.flush = table_flush, .end = table_end,
};
