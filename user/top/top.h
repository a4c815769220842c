/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top.h - the full-screen view in three nouns: rows (who is shown, in which order),
 * cells (a row's values as text) and the screen (where they stand).
 *
 * Rows and cells are memory to memory; only the screen knows a terminal. Rows point
 * into a watch and are good until its next record.
 */
#ifndef KTALLY_TOP_H
#define KTALLY_TOP_H

#include "iface.h"
#include "lib/ktally.h"
#include "machine.h"

enum top_column {
	TOP_PID, TOP_USER, TOP_STATE, TOP_CPU, TOP_CPU_TOTAL, TOP_RSS, TOP_PEAK,
	TOP_TX, TOP_RX, TOP_READ, TOP_WRITE, TOP_AGE, TOP_COMMAND, TOP_COLUMNS
};

enum { TOP_FILTER = 64, TOP_TEXT = 512 };

/* What the person at the keys chose. */
struct top_view {
	enum top_column sort;
	bool reverse;			/* against the column's usual direction */
	bool tree, groups, per_machine;
	bool io;			/* I/O in the place of the network where there is no room for both */
	enum iface_class class;		/* whose bytes TX/s and RX/s are */
	char filter[TOP_FILTER];	/* in the command, the user's name or the PID; any case */
	uint32_t cpus;
};

struct top_row {
	const struct ktally_watched *process;	/* NULL: a group */
	const struct ktally_tally *tally;	/* NULL: a process */
	struct ktally_value key;		/* that rows are sorted by */
	char text[24];				/* of it, if it is text */
	struct top_row *child, **last_child, *sibling;
	bool wanted, has_parent;
	uint8_t depth;
	uint32_t stems;			/* bit d: a sibling of the ancestor at depth d follows */
};

struct top_rows {
	struct ktally_field_ctx *ctx;
	uint64_t begin, end;		/* of the interval */
	struct top_row *row;		/* in no order */
	const struct top_row **order;	/* as they are shown */
	size_t n_rows, n, room;
	struct ktally_tally *folded;	/* by program: processes that ended, when there are too many */
	size_t n_folded;
};

/*
 * Rows of the watch's present interval. Those that ended in it are rows too, once; more
 * than most_ended of them are one row per program. 0 or -ENOMEM.
 */
int top_rows_make(struct top_rows *t, struct ktally_watch *watch, struct ktally_field_ctx *ctx,
		  const struct top_view *view, size_t most_ended);
void top_rows_free(struct top_rows *t);

/* What is sorted by and what cells are made of; text is good for as long as `text` is. */
struct ktally_value top_value(const struct top_rows *t, const struct top_row *r,
			      const struct top_view *view, enum top_column c, char *text, size_t n);

struct top_column_kind {
	const char *name, *heading, *group_heading;
	uint8_t width;
	bool left, ascending;		/* aligned to the left; smallest first */
	int key;			/* that sorts by it; 0 = none */
};
extern const struct top_column_kind top_columns[TOP_COLUMNS];

/* Columns that fit, in order: how many of list[]; COMMAND takes what is left. */
size_t top_choose(const struct top_view *view, size_t width, enum top_column list[TOP_COLUMNS]);
/* One line of text, at most `width` columns; width SIZE_MAX: as long as it is. */
size_t top_line(char *dst, size_t n, const struct top_rows *t, const struct top_row *r,
		const struct top_view *view, const enum top_column *list, size_t n_list, size_t width);
size_t top_heading(char *dst, size_t n, const struct top_view *view, const enum top_column *list,
		   size_t n_list);

/* The line above: what the machine did in the interval. */
struct top_summary {
	const struct ktally_tally *total;
	struct machine from, now;
	uint64_t begin, end;		/* of the interval */
	uint64_t lost;			/* records, since it began */
};
size_t top_summary_line(char *dst, size_t n, const struct top_summary *s, uint32_t cpus);

/* ---- the screen; without ncurses there is none ---- */

/* 0, -ENOTTY, or -ENOSYS: built without. color: may be used. */
int top_screen_open(bool color);
void top_screen_close(void);
size_t top_screen_rows(void);		/* for rows, without head and foot */
size_t top_screen_width(void);
/* The next key, 0 = none; the keys that have no letter as below. */
enum { TOP_KEY_UP = 0x200000, TOP_KEY_DOWN, TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_HOME,
       TOP_KEY_END, TOP_KEY_BACKSPACE, TOP_KEY_RESIZE, TOP_KEY_ESCAPE, TOP_KEY_ENTER };
int top_screen_key(void);

struct top_frame {
	const struct top_rows *rows;
	const struct top_view *view;
	const struct top_summary *summary;
	size_t first;			/* row at the top */
	const char *foot;
	bool help;
	bool typing;			/* a filter */
};
void top_screen_draw(const struct top_frame *f);
extern const char *const top_help[];	/* lines; NULL ends them */

#endif
