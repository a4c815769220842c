// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - strict RFC 8259 reader into a table. The rows are the objects of a
 * list: of the whole text, of one member of the outermost object, or of the lines
 * of a .jsonl file. Objects inside a row become columns named outer.inner, lists
 * inside a row stay lists of texts. What stands beside the rows is the document.
 * Where NAME_hex stands beside NAME, NAME holds the bytes that it spells: text that
 * is no UTF-8 is written in both ways. Refused as well: the same key twice, invalid
 * UTF-8, lone surrogates.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

struct json {
	struct table *t;	/* of the rows */
	const char *start, *p;
	bool rows_seen;
};

/* Where a value goes to. */
struct place {
	struct table *t;
	size_t row;
	const char *name;	/* of the column; "" for a whole row */
};

static void value(struct json *j, struct place at);

static void bad(const struct json *j, const char *what)
{
	refuse("%s: byte %zu: %s", j->t->file, (size_t)(j->p - j->start), what);
}

static char peek(struct json *j)
{
	j->p += strspn(j->p, " \t\r\n");
	return *j->p;
}

static void expect(struct json *j, char c)
{
	char what[] = "expected ' '";

	what[10] = c;
	if (peek(j) != c)
		bad(j, what);
	j->p++;
}

static bool take(struct json *j, char c)
{
	if (peek(j) != c)
		return false;
	j->p++;
	return true;
}

/* ---- strings ---- */

static unsigned hex4(struct json *j)
{
	char digits[5] = "";

	strncpy(digits, j->p, 4);
	if (strspn(digits, "0123456789abcdefABCDEF") != 4)
		bad(j, "\\u needs four hex digits");
	j->p += 4;
	return (unsigned)strtoul(digits, NULL, 16);
}

static char *put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 63));
		*out++ = (char)(0x80 | (c & 63));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 63));
		*out++ = (char)(0x80 | (c >> 6 & 63));
		*out++ = (char)(0x80 | (c & 63));
	}
	return out;
}

static char *unicode_escape(struct json *j, char *out)
{
	uint32_t c = hex4(j), low;

	if (!c)
		bad(j, "NUL in a string");
	if (c >= 0xdc00 && c < 0xe000)
		bad(j, "lone surrogate");
	if (c >= 0xd800 && c < 0xdc00) {
		if (j->p[0] != '\\' || j->p[1] != 'u')
			bad(j, "lone surrogate");
		j->p += 2;
		low = hex4(j);
		if (low < 0xdc00 || low >= 0xe000)
			bad(j, "lone surrogate");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return put_utf8(out, c);
}

static char *escape(struct json *j, char *out)
{
	static const char names[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (*j->p == 'u') {
		j->p++;
		return unicode_escape(j, out);
	}
	at = *j->p ? strchr(names, *j->p) : NULL;
	if (!at)
		bad(j, "unknown escape");
	j->p++;
	*out++ = codes[at - names];
	return out;
}

/* Bytes of the UTF-8 sequence at p; 0: not valid. */
static int utf8_length(const unsigned char *p)
{
	uint32_t c = *p;
	int n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3
		: c >= 0xf0 && c < 0xf5 ? 4 : 0;
	int i;

	if (n > 1)
		c &= 0xff >> (n + 1);
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 63);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)))
		return 0;
	return c >= 0xd800 && c < 0xe000 ? 0 : n;
}

static char *string(struct json *j)
{
	char *text, *out;

	expect(j, '"');
	text = out = room(strcspn(j->p, "\n") + 1);
	while (*j->p != '"') {
		int n = utf8_length((const unsigned char *)j->p);

		if ((unsigned char)*j->p < ' ')
			bad(j, "control byte or end inside a string");
		if (!n)
			bad(j, "invalid UTF-8");
		if (*j->p == '\\') {
			j->p++;
			out = escape(j, out);
			continue;
		}
		while (n--)
			*out++ = *j->p++;
	}
	j->p++;
	*out = 0;
	return text;
}

/* ---- numbers and words ---- */

static size_t digits(const char *p)
{
	return strspn(p, "0123456789");
}

/* Length of the number at p by the grammar; 0: none. */
static size_t number_length(const char *p)
{
	const char *q = p;
	size_t n;

	q += *q == '-';
	n = digits(q);
	if (!n || (n > 1 && *q == '0'))
		return 0;
	q += n;
	if (*q == '.') {
		n = digits(++q);
		if (!n)
			return 0;
		q += n;
	}
	if (*q == 'e' || *q == 'E') {
		q++;
		q += *q == '-' || *q == '+';
		n = digits(q);
		if (!n)
			return 0;
		q += n;
	}
	return (size_t)(q - p);
}

static char *scalar(struct json *j)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t n = number_length(j->p), i;

	for (i = 0; !n && i < 3; i++)
		if (!strncmp(j->p, words[i], strlen(words[i])))
			n = strlen(words[i]);
	if (!n)
		bad(j, "not a value");
	j->p += n;
	return text_of(j->p - n, n);
}

/* ---- values ---- */

static struct cell *cell_at(struct json *j, struct place at)
{
	struct cell *c = table_cell(at.t, at.row, table_column(at.t, at.name));

	if (c->type != UNKNOWN)
		bad(j, "the same key twice");
	return c;
}

static void unhex(struct json *j, char **text)
{
	char *out = room(strlen(*text) / 2 + 1);
	unsigned byte;
	size_t i;

	for (i = 0; (*text)[i]; i += 2) {
		if (sscanf(*text + i, "%2x", &byte) != 1 || !(*text)[i + 1])
			bad(j, "not hex");
		out[i / 2] = (char)byte;
	}
	*text = out;
}

/* The true bytes of NAME, if the row has NAME_hex. */
static void true_bytes(struct json *j, struct place at, const char *name)
{
	char hex_name[520];
	struct cell *hex, *c;
	size_t i;
	int col;

	snprintf(hex_name, sizeof hex_name, "%s_hex", name);
	col = table_find(at.t, hex_name);
	if (col < 0)
		return;
	hex = table_cell(at.t, at.row, (size_t)col);
	c = table_cell(at.t, at.row, (size_t)table_find(at.t, name));
	for (i = 0; i < hex->list.n; i++)
		unhex(j, &hex->list.at[i]);
	if (hex->type == LIST) {
		c->list = hex->list;
	} else if (hex->type != UNKNOWN) {
		unhex(j, &hex->text);
		cell_text(c, hex->text);
	}
}

static void object(struct json *j, struct place at)
{
	struct words keys = { 0 };
	size_t i;

	expect(j, '{');
	if (take(j, '}'))
		return;
	do {
		char name[512], *key;

		peek(j);
		key = string(j);
		for (i = 0; i < keys.n; i++)
			if (!strcmp(keys.at[i], key))
				bad(j, "the same key twice");
		words_add(&keys, key);
		snprintf(name, sizeof name, "%s%s%s", at.name, *at.name ? "." : "", key);
		expect(j, ':');
		value(j, (struct place){ at.t, at.row, name });
	} while (take(j, ','));
	expect(j, '}');
	for (i = 0; !*at.name && i < keys.n; i++)
		true_bytes(j, at, keys.at[i]);
}

static void rows(struct json *j)
{
	j->rows_seen = true;
	do {
		table_cell(j->t, j->t->n_rows, 0);
		object(j, (struct place){ j->t, j->t->n_rows - 1, "" });
	} while (take(j, ','));
	expect(j, ']');
}

static void list(struct json *j, struct place at)
{
	struct cell *c;

	expect(j, '[');
	if (at.t != j->t && !j->rows_seen && peek(j) == '{') {
		rows(j);
		return;
	}
	c = cell_at(j, at);
	c->type = LIST;
	if (take(j, ']'))
		return;
	do {
		words_add(&c->list, peek(j) == '"' ? string(j) : scalar(j));
	} while (take(j, ','));
	expect(j, ']');
}

/* true and false are 1 and 0, as in CSV, and keep their names */
static struct cell plain(char *text)
{
	struct cell c = { .type = UNKNOWN };

	cell_text(&c, text);
	if (*text == 't' || *text == 'f') {
		c.type = NUMBER;
		c.num = *text == 't';
	}
	return c;
}

static void value(struct json *j, struct place at)
{
	char *text;

	switch (peek(j)) {
	case '{':
		object(j, at);
		return;
	case '[':
		list(j, at);
		return;
	case '"':
		cell_text(cell_at(j, at), string(j));
		return;
	}
	text = scalar(j);
	if (!strcmp(text, "null"))
		table_column(at.t, at.name);
	else
		*cell_at(j, at) = plain(text);
}

static struct json json_of(struct table *t, const char *text)
{
	t->document = grow(NULL, 0, sizeof *t);
	t->document->name = room(strlen(t->name) + sizeof ".document");
	sprintf(t->document->name, "%s.document", t->name);
	t->document->file = t->file;
	return (struct json){ .t = t, .start = text, .p = text };
}

void json_read(struct table *t, const char *text, size_t len)
{
	struct json j = json_of(t, text);

	(void)len;
	if (peek(&j) == '[') {
		j.p++;
		if (!take(&j, ']'))
			rows(&j);
	} else {
		object(&j, (struct place){ t->document, 0, "" });
	}
	if (peek(&j))
		bad(&j, "text after the end");
}

void jsonl_read(struct table *t, const char *text, size_t len)
{
	struct json j = json_of(t, text);

	if (len && text[len - 1] != '\n')
		refuse("%s: no line feed at the end", t->file);
	while (*j.p) {
		table_cell(t, t->n_rows, 0);
		object(&j, (struct place){ t, t->n_rows - 1, "" });
		if (*j.p++ != '\n')
			bad(&j, "more than an object in a line");
	}
}
