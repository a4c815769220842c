// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lay-smartcols.c - columns by libsmartcols.
 *
 * It only pads and colours: cells come escaped and cut, so its own encoding is
 * off (it would encode our backslashes again) and it is told of a terminal just wide
 * enough never to cut: it keeps a buffer of several times that width.
 */
#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "lay.h"

static int add_columns(struct libscols_table *t, const struct lay *l)
{
	for (size_t c = 0; c < l->n_columns; c++) {
		const struct lay_column *from = &l->columns[c];
		struct libscols_column *column;

		column = scols_table_new_column(t, from->title, (double)from->width,
						from->right ? SCOLS_FL_RIGHT : 0);
		if (!column)
			return -ENOMEM;
		if (l->color && scols_cell_set_color(scols_column_get_header(column), "\033[1m"))
			return -ENOMEM;
	}
	return 0;
}

static int add_row(struct libscols_table *t, const struct lay *l, size_t row)
{
	struct libscols_line *line = scols_table_new_line(t, NULL);

	if (!line)
		return -ENOMEM;
	for (size_t c = 0; c < l->n_columns; c++) {
		struct lay_cell cell = l->cell(l->of, row, c);

		if (scols_line_set_data(line, c, cell.text))
			return -ENOMEM;
		if (l->color && cell.alarm &&
		    scols_cell_set_color(scols_line_get_cell(line, c), "\033[31m"))
			return -ENOMEM;
	}
	return 0;
}

static size_t whole_width(const struct lay *l)
{
	size_t all = 1;

	for (size_t c = 0; c < l->n_columns; c++) {
		size_t width = l->columns[c].width;

		for (size_t r = 0; r < l->n_rows; r++) {
			struct lay_cell cell = l->cell(l->of, r, c);

			if (cell.width > width)
				width = cell.width;
		}
		all += width + 2;
	}
	return all;
}

static int fill(struct libscols_table *t, const struct lay *l)
{
	scols_table_enable_noencoding(t, 1);
	scols_table_enable_noheadings(t, !l->header);
	scols_table_enable_colors(t, l->color);
	scols_table_set_termforce(t, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(t, whole_width(l));
	if (scols_table_set_column_separator(t, "  ") || add_columns(t, l))
		return -ENOMEM;
	for (size_t r = 0; r < l->n_rows; r++)
		if (add_row(t, l, r))
			return -ENOMEM;
	return 0;
}

int lay_print(struct sink *s, const struct lay *l)
{
	struct libscols_table *t = scols_new_table();
	char *text = NULL;
	int err;

	if (!t)
		return -ENOMEM;
	err = fill(t, l);
	/* libsmartcols prints no header for a table without lines. */
	if (!err && (l->n_rows || l->header))
		err = scols_print_table_to_string(t, &text);
	if (!err && text && *text) {
		sink_puts(s, text);
		/* Its last line is not ended. */
		if (text[strlen(text) - 1] != '\n')
			sink_char(s, '\n');
	}
	free(text);
	scols_unref_table(t);
	return err;
}
