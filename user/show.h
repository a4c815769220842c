/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.h - the options of showing, the same in every command that prints rows:
 * which columns, in which order, how many, in which format.
 *
 * A command describes its rows by a struct show_source; show_rows() chooses,
 * sorts and writes them and leaves the output open for what stands below.
 */
#ifndef KTALLY_SHOW_H
#define KTALLY_SHOW_H

#include "lib/ktally.h"
#include "opt.h"
#include "out/out.h"

struct show {
	struct out_options out;
	const char *columns, *sort;
	uint64_t limit;			/* 0 = all */
	bool strict;
};
enum { SHOW_OPTS = 20 };
extern const struct opt show_opts[];
#define SHOW_GROUP(type, member)					\
	{ .title = "SHOWING ROWS", .opts = show_opts, .n = SHOW_OPTS,	\
	  .offset = offsetof(type, member), .check = show_check_given }
int show_check_given(const struct cmd *cmd, const void *show, const struct opt_rest *rest);

/* A column that a command has of its own: a struct ktally_field. */
#define COLUMN(n, t, h, u, s, w)					\
	{ .name = (n), .title = (t), .help = (h), .unit = (u), .sum = (s), .width = (w) }

struct show_source {
	const char *schema;			/* "ktally.report/1" */
	const struct ktally_field *const *fields; /* all that can be chosen */
	size_t n_fields;
	/* Names of the columns of a table, "pid,start_ns,..."; other formats give all. */
	const char *columns;
	const char *sort;			/* "name", "-name" or NULL: as they come */
	size_t n_rows;
	/* Text of up to 64 bytes need be valid only until the next call, longer text for good. */
	struct ktally_value (*value)(void *of, size_t row, const struct ktally_field *f);
	const char *(*prefix)(void *of, size_t row);	/* branches of a tree; NULL = none */
	void *of;
	struct out_clock clock;
};

/* Columns of the terminal that rows will go to; SIZE_MAX: to none. */
size_t show_width(const struct show *show);
/* True for `--columns help`: show_columns() then answers instead of rows. */
bool show_wants_help(const struct show *show);
int show_columns(const struct ktally_field *const *fields, size_t n, const char *columns);

/* OPT_GO_ON with *o open, or the exit status after a message. */
int show_rows(const struct show *show, const struct show_source *src, struct out **o);
/* Whether the columns that were named are there: OPT_GO_ON, or the exit status after a message. */
int show_check(const struct show *show, const struct show_source *src);
/* Whether the file of --output can be written, before work that would be lost. As show_check(). */
int show_check_path(const struct show *show);
/* As show_check(), and the columns that rows have, in order; *at is to be freed in any case. */
int show_chosen(const struct show *show, const struct show_source *src,
		const struct ktally_field ***at, size_t *n);
/* The same, and the one that rows are sorted by. */
int show_needs(const struct show *show, const struct show_source *src,
	       const struct ktally_field ***at, size_t *n);
/* The same in two steps, for views that grow: columns and head; then rows, again and again. */
int show_open(const struct show *show, const struct show_source *src, struct out **o);
int show_more(const struct show *show, const struct show_source *src, struct out *o);
/* Closes it: DONE, or FAILED after a message. */
int show_close(struct out *o);

/* A field by machine name or by the heading of its column, NULL if there is none. */
const struct ktally_field *show_find(const struct ktally_field *const *fields, size_t n,
				     const char *name, size_t len);

#endif
