/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lay.h - puts ready-made cells into columns.
 *
 * Cells are already escaped and cut; laying out never shortens anything.
 */
#ifndef KTALLY_OUT_LAY_H
#define KTALLY_OUT_LAY_H

#include <stdbool.h>
#include <stddef.h>

#include "sink.h"

struct lay_cell {
	const char *text;	/* NUL-terminated */
	size_t width;		/* on a terminal */
	bool alarm;		/* coloured, when colour is on */
};

struct lay_column {
	const char *title;
	size_t width;		/* at least this wide */
	bool right;		/* aligned */
};

struct lay {
	const struct lay_column *columns;
	size_t n_columns, n_rows;
	bool header, color;
	struct lay_cell (*cell)(const void *of, size_t row, size_t column);
	const void *of;
};

/* 0 or -ENOMEM. */
int lay_print(struct sink *s, const struct lay *l);

#endif
