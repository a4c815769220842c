// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - a table of named columns, filled by the reader that belongs to the
 * file's ending. Does not know what a column means.
 */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static const struct {
	const char *ending;
	void (*read)(struct table *t, const char *text, size_t len);
} readers[] = {
	{ ".csv", csv_read },
	{ ".json", json_read },
	{ ".jsonl", jsonl_read },
};

int table_find(const struct table *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->cols.n; i++)
		if (!strcmp(t->cols.at[i], name))
			return (int)i;
	return -1;
}

size_t table_column(struct table *t, const char *name)
{
	int found = table_find(t, name);

	if (found >= 0)
		return (size_t)found;
	words_add(&t->cols, text_of(name, strlen(name)));
	return t->cols.n - 1;
}

/* The place for a value; rows and columns appear when they are first written. */
struct cell *table_cell(struct table *t, size_t row, size_t col)
{
	struct row *r;

	while (t->n_rows <= row) {
		t->rows = grow(t->rows, t->n_rows, sizeof *t->rows);
		t->n_rows++;
	}
	r = &t->rows[row];
	while (r->n <= col) {
		r->cells = grow(r->cells, r->n, sizeof *r->cells);
		r->n++;
	}
	return &r->cells[col];
}

struct table *table_read(const char *path)
{
	const char *base = strrchr(path, '/'), *dot = strrchr(path, '.');
	struct table *t = grow(NULL, 0, sizeof *t);
	size_t i, len;
	char *text;

	base = base ? base + 1 : path;
	if (!dot || dot < base)
		refuse("%s: a table's name must end in .csv, .json or .jsonl", path);
	t->file = path;
	t->name = text_of(base, (size_t)(dot - base));
	text = read_whole(path, &len);
	if (strlen(text) != len)
		refuse("%s: NUL byte at %zu", path, strlen(text));
	for (i = 0; i < sizeof readers / sizeof *readers; i++)
		if (!strcmp(dot, readers[i].ending)) {
			readers[i].read(t, text, len);
			return t;
		}
	refuse("%s: a table's name must end in .csv, .json or .jsonl", path);
}
