// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * csv.c - strict RFC 4180 with LF: a header, the same number of fields in every
 * line, quotes only around a whole field, no control bytes outside quotes, a line
 * feed after the last line. An empty field without quotes is an unknown value.
 */
#include <string.h>

#include "judge.h"

struct csv {
	struct table *t;
	const char *p;
	size_t line;		/* of the file, for messages */
	size_t row, col;	/* row 0: the header */
};

/* Takes one field; *bare tells an empty one from "". */
static char *field(struct csv *c, bool *bare)
{
	char *out, *w;

	*bare = *c->p != '"';
	if (*bare) {
		size_t n = strcspn(c->p, ",\n\"");
		size_t i;

		for (i = 0; i < n; i++)
			if ((unsigned char)c->p[i] < ' ')
				refuse("%s:%zu: control byte outside quotes", c->t->file, c->line);
		out = text_of(c->p, n);
		c->p += n;
		return out;
	}
	out = w = text_of(c->p, strlen(c->p));
	for (c->p++; *c->p && (*c->p != '"' || c->p[1] == '"'); c->p++) {
		c->p += *c->p == '"';
		c->line += *c->p == '\n';
		*w++ = *c->p;
	}
	*w = 0;
	if (*c->p++ != '"')
		refuse("%s:%zu: quote is not closed", c->t->file, c->line);
	return text_of(out, (size_t)(w - out));
}

static void put(struct csv *c, char *text, bool bare)
{
	if (!c->row) {
		if (!*text || table_find(c->t, text) >= 0)
			refuse("%s: header: column %zu empty or twice", c->t->file, c->col + 1);
		table_column(c->t, text);
		return;
	}
	if (c->col >= c->t->cols.n)
		refuse("%s:%zu: more fields than the header has", c->t->file, c->line);
	if (*text || !bare)
		cell_text(table_cell(c->t, c->row - 1, c->col), text);
	else
		table_cell(c->t, c->row - 1, c->col)->type = UNKNOWN;
}

static void line(struct csv *c)
{
	bool bare;

	for (c->col = 0;; c->col++, c->p++) {
		char *text = field(c, &bare);

		put(c, text, bare);
		if (*c->p != ',')
			break;
	}
	if (*c->p != '\n')
		refuse("%s:%zu: %s", c->t->file, c->line,
		       *c->p ? "quote inside a field" : "no line feed at the end");
	if (c->col + 1 != c->t->cols.n)
		refuse("%s:%zu: %zu fields, header has %zu", c->t->file, c->line, c->col + 1,
		       c->t->cols.n);
	c->p++;
	c->line++;
	c->row++;
}

void csv_read(struct table *t, const char *text, size_t len)
{
	struct csv c = { .t = t, .p = text, .line = 1 };

	if (!len)
		refuse("%s: empty, not even a header", t->file);
	while (*c.p)
		line(&c);
}
