// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - one JSON document, or one object per line.
 *
 * Integers are exact (readers that keep doubles lose digits beyond 2^53). Text is
 * valid UTF-8: other bytes become U+FFFD, and then the true bytes stand beside it
 * as NAME_hex. argv is an array. An emitter of its own because the libraries of
 * the distribution either round u64 or pass bad bytes through.
 */
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "text.h"

static void put_escaped(struct sink *s, const char *p)
{
	static const char digit[] = "0123456789abcdef";
	unsigned char c = (unsigned char)*p;

	if (c == '"' || c == '\\') {
		sink_char(s, '\\');
		sink_char(s, *p);
		return;
	}
	if (c == 0xc2)
		c = (unsigned char)p[1];	/* C1: U+0080 to U+009F */
	sink_puts(s, "\\u00");
	sink_char(s, digit[c >> 4]);
	sink_char(s, digit[c & 15]);
}

/* Bytes at p that stand for themselves. */
static size_t plain(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] >= ' ' && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
		i++;
	return i;
}

/* True if every byte was valid. */
static bool put_string(struct sink *s, const char *p, size_t n)
{
	bool valid = true;

	sink_char(s, '"');
	for (size_t i = 0; i < n;) {
		size_t run = plain(p + i, n - i), c;

		sink_put(s, p + i, run);
		i += run;
		if (i == n)
			break;
		c = text_char(p + i, n - i);
		if (!c)
			sink_puts(s, "\xef\xbf\xbd");
		else if (text_control(p + i, c) || p[i] == '"' || p[i] == '\\')
			put_escaped(s, p + i);
		else
			sink_put(s, p + i, c);
		valid = valid && c;
		i += c ? c : 1;
	}
	sink_char(s, '"');
	return valid;
}

static void put_hex(struct sink *s, const char *p, size_t n)
{
	static const char digit[] = "0123456789abcdef";

	sink_char(s, '"');
	for (size_t i = 0; i < n; i++) {
		sink_char(s, digit[(unsigned char)p[i] >> 4]);
		sink_char(s, digit[(unsigned char)p[i] & 15]);
	}
	sink_char(s, '"');
}

static void put_key(struct sink *s, const char *name, const char *suffix)
{
	sink_char(s, '"');
	sink_puts(s, name);
	if (*suffix)
		sink_puts(s, suffix);
	sink_put(s, "\":", 2);
}

static bool put_array(struct sink *s, struct ktally_str t, bool hex)
{
	size_t pos = 0, len, n = 0;
	bool valid = true;
	const char *arg;

	sink_char(s, '[');
	while (text_next_arg(t.p, t.len, &pos, &arg, &len)) {
		if (n++)
			sink_char(s, ',');
		if (hex)
			put_hex(s, arg, len);
		else
			valid = put_string(s, arg, len) && valid;
	}
	sink_char(s, ']');
	return valid;
}

/* "1 2 3" as [1,2,3]. */
static void put_numbers(struct sink *s, struct ktally_str t)
{
	sink_char(s, '[');
	for (const char *p = t.p, *end = t.p + t.len; p < end;) {
		const char *blank = memchr(p, ' ', (size_t)(end - p));
		size_t n = (size_t)((blank ? blank : end) - p);

		sink_put(s, p, n);
		p += n + !!blank;
		if (blank)
			sink_char(s, ',');
	}
	sink_char(s, ']');
}

static void put_text(struct out *o, const struct ktally_field *f, struct ktally_str t)
{
	struct sink *s = o->sink;

	if (f->unit == KTALLY_NUMBERS) {
		put_numbers(s, t);
		return;
	}
	if (f->unit == KTALLY_ARGV) {
		if (put_array(s, t, false))
			return;
		sink_char(s, ',');
		put_key(s, f->name, "_hex");
		put_array(s, t, true);
		return;
	}
	if (put_string(s, t.p, t.len))
		return;
	sink_char(s, ',');
	put_key(s, f->name, "_hex");
	put_hex(s, t.p, t.len);
}

static void put_value(struct out *o, const struct ktally_field *f, const struct ktally_value *v)
{
	if (v->type == KTALLY_V_UNKNOWN)
		sink_put(o->sink, "null", 4);
	else if (v->type == KTALLY_V_TEXT)
		put_text(o, f, v->t);
	else if (f->unit == KTALLY_BOOL)
		sink_puts(o->sink, v->u ? "true" : "false");
	else
		out_number(o, f, v);
}

static void put_members(struct out *o, const struct ktally_value *values, bool first)
{
	for (size_t i = 0; i < o->table.n; i++) {
		if (i || !first)
			sink_char(o->sink, ',');
		put_key(o->sink, o->table.columns[i]->name, "");
		put_value(o, o->table.columns[i], &values[i]);
	}
}

static void put_facts(struct out *o, const struct out_fact *facts, size_t n, bool first)
{
	for (size_t i = 0; i < n; i++) {
		const struct ktally_field f = { .name = facts[i].name, .unit = facts[i].unit };

		if (i || !first)
			sink_char(o->sink, ',');
		put_key(o->sink, f.name, "");
		put_value(o, &f, &facts[i].value);
	}
}

static void json_begin(struct out *o)
{
	sink_puts(o->sink, "{\"schema\":");
	put_string(o->sink, o->table.schema, strlen(o->table.schema));
	sink_puts(o->sink, ",\"rows\":[");
}

static void json_row(struct out *o, const struct ktally_value *values)
{
	sink_puts(o->sink, o->rows ? ",\n{" : "\n{");
	put_members(o, values, true);
	sink_char(o->sink, '}');
}

/* The array of rows is closed before the first facts, else at the end. */
static void close_rows(struct out *o)
{
	if (!o->own)
		sink_puts(o->sink, "\n]");
	o->own = o;
}

static void json_facts(struct out *o, const char *kind, const struct out_fact *facts, size_t n)
{
	close_rows(o);
	sink_char(o->sink, ',');
	put_key(o->sink, kind, "");
	sink_char(o->sink, '{');
	put_facts(o, facts, n, true);
	sink_char(o->sink, '}');
}

static void json_end(struct out *o)
{
	close_rows(o);
	sink_puts(o->sink, "}\n");
}

static void jsonl_begin(struct out *o)
{
	(void)o;
}

static void jsonl_row(struct out *o, const struct ktally_value *values)
{
	sink_puts(o->sink, "{\"schema\":");
	put_string(o->sink, o->table.schema, strlen(o->table.schema));
	put_members(o, values, false);
	sink_puts(o->sink, "}\n");
}

static void jsonl_facts(struct out *o, const char *kind, const struct out_fact *facts, size_t n)
{
	sink_puts(o->sink, "{\"schema\":\"ktally.");
	sink_puts(o->sink, kind);
	sink_puts(o->sink, "/1\"");
	put_facts(o, facts, n, false);
	sink_puts(o->sink, "}\n");
}

const struct out_writer out_json_writer = {
	.name = "json", .begin = json_begin, .row = json_row, .facts = json_facts, .end = json_end,
};

const struct out_writer out_jsonl_writer = {
	.name = "jsonl", .begin = jsonl_begin, .row = jsonl_row, .facts = jsonl_facts,
	.end = jsonl_begin,
};
