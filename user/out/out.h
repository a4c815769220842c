/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out.h - one way to show rows of named values, in every format.
 *
 * A format is a row in the table of writers: begin, row, end. Writers get the
 * columns from the field table and know units, not fields, so a new field
 * appears in all of them untouched. Nothing here prints errors: out_close()
 * returns them.
 */
#ifndef KTALLY_OUT_H
#define KTALLY_OUT_H

#include "../lib/ktally.h"
#include "sink.h"

enum out_format { OUT_TABLE, OUT_CSV, OUT_JSON, OUT_JSONL, OUT_RAW, OUT_INFLUX };
enum out_color { OUT_COLOR_AUTO, OUT_COLOR_ALWAYS, OUT_COLOR_NEVER };
enum out_time { OUT_TIME_DEFAULT, OUT_TIME_REL, OUT_TIME_BOOT, OUT_TIME_WALL };

/* How people want to see it: one struct, filled by options. */
struct out_options {
	int format;		/* enum out_format */
	int color;		/* enum out_color */
	int time;		/* enum out_time */
	bool no_header, wide, human, ns, bytes, per_machine, utc, csv_safe, no_pager;
	bool on_stderr;		/* beside a command's own output */
	bool grows;		/* watched while it comes: rows appear when they are flushed */
	const char *path;	/* -o; NULL = standard output */
};

/* What points in time and percentages refer to. */
struct out_clock {
	uint64_t zero;		/* BOOTTIME that --time rel counts from */
	int64_t real;		/* REALTIME - BOOTTIME */
	uint32_t cpus;		/* of the machine; for -I */
};

struct out_table {
	const char *schema;	/* "ktally.report/1" */
	const struct ktally_field *const *columns;
	size_t n;
	struct out_clock clock;
};

/* A named value beside the rows: of the balance, of the recording. */
struct out_fact {
	const char *name;
	enum ktally_unit unit;
	struct ktally_value value;
};

struct out {
	const struct out_writer *writer;
	struct out_options options;
	struct out_table table;
	struct sink *sink;
	bool color;		/* decided: colour is on */
	bool human;		/* decided: units instead of plain numbers */
	uint64_t rows;
	const char *prefix;	/* drawn before the last column of the next row, in tables */
	void *own;		/* the writer's */
	char *lines;		/* below the rows: in a table, else for whoever closes it */
	size_t n_lines;
	bool oom;
};

struct out_writer {
	const char *name;
	bool for_people;	/* footers as text belong into it */
	void (*begin)(struct out *o);
	void (*row)(struct out *o, const struct ktally_value *values);
	/* Rows so far are to appear; NULL: they have been put out already. */
	void (*flush)(struct out *o);
	/* Facts of one kind; NULL: the format has no place for them. */
	void (*facts)(struct out *o, const char *kind, const struct out_fact *facts, size_t n);
	void (*end)(struct out *o);
};

extern const struct out_writer out_table_writer, out_csv_writer, out_json_writer,
	out_jsonl_writer, out_raw_writer, out_influx_writer;

/* NULL and *err = -errno on failure. options and table are copied; columns must outlive it. */
struct out *out_open(const struct out_options *options, const struct out_table *table, int *err);
void out_row(struct out *o, const struct ktally_value *values);
/* For views that grow: what was given so far appears. False: it can't any more, out_close() says why. */
bool out_flush(struct out *o);
/* Branches of a tree, drawn before the last column of the next row; only tables do. */
void out_prefix(struct out *o, const char *prefix);
/* False if the format has no place for them: then they are words for standard error. */
bool out_facts(struct out *o, const char *kind, const struct out_fact *facts, size_t n);
/* A line below the rows. Formats with facts leave it out, tables print it, others keep it. */
void out_line(struct out *o, const char *text);
/*
 * 0 or -errno. lines receives what the format had no place for, each line ended: words
 * for standard error once all went well; NULL if there are none. The caller's to free.
 */
int out_close(struct out *o, char **lines);

/* Shared by the writers: the line of column names, and values as machines want them. */
void out_names(struct out *o, char between);
void out_number(struct out *o, const struct ktally_field *f, const struct ktally_value *v);
/* A point in time moved to the clock that was asked for; plain is what machines get by default. */
int64_t out_point(const struct out *o, uint64_t boottime, enum out_time plain);
struct ktally_value out_scaled(const struct out *o, const struct ktally_field *f,
			       const struct ktally_value *v);

static inline struct ktally_value out_u64(uint64_t u)
{
	return (struct ktally_value){ .type = KTALLY_V_U64, .u = u };
}

static inline struct ktally_value out_s64(int64_t s)
{
	return (struct ktally_value){ .type = KTALLY_V_S64, .s = s };
}

struct ktally_value out_text(const char *text);	/* unknown if NULL */

#endif
