/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - a recording in other tools' formats: what cmd-export.c gives to the
 * writer of a format, which knows nothing of options, files or selections.
 *
 * Writers escape every name by their format's rules and leave out arguments unless
 * they are asked for. They return OPT_GO_ON or an exit status after a message.
 */
#ifndef KTALLY_EXPORT_H
#define KTALLY_EXPORT_H

#include "lives.h"
#include "out/sink.h"

struct export_options {
	int weight;			/* enum export_weight, of folded */
	bool args;			/* command lines may leave the machine */
	bool strict, tree;
	struct opt_time duration;	/* of a stream */
	int by;				/* enum export_by, of openmetrics */
	struct opt_time step;
	uint64_t groups;
};

enum export_by { EXPORT_BY_PROGRAM, EXPORT_BY_USER, EXPORT_BY_CGROUP, EXPORT_BY_UNIT, EXPORT_BY_CONTAINER };

enum export_weight { EXPORT_TIME, EXPORT_CPU, EXPORT_BYTES };

struct export {
	const struct export_options *options;
	const struct reading_options *in;	/* for formats that read the records again */
	struct reading *reading;
	struct sel_match *match;
	struct sink *sink;		/* NULL: not open, or the format writes the file `path` itself */
	const char *path;
	struct show_source rows;	/* the processes that are meant, as report has them */
	struct ktally_life **lives;	/* of each row, in order of start */
	size_t n;
	void *state;			/* of a stream's format */
};

/* One format a file. */
int export_folded(struct export *ex);
int export_chrome(struct export *ex);
int export_sqlite(struct export *ex);	/* a message, where built without it */
int export_tracedat(struct export *ex);
int export_ctf(struct export *ex);
int export_perfetto(struct export *ex);
int export_csv(struct export *ex);
int export_jsonl(struct export *ex);
int export_openmetrics(struct export *ex);

/*
 * The formats that can be written while processes end (stream.c): one after the other,
 * whose rows.value() takes any row for the one at hand, and whose export_row() is a
 * number of its own. Of the tree only parents are linked.
 */
struct export_stream {
	bool sink;						/* is opened just before begin() */
	int (*begin)(struct export *ex);	/* the first record is there */
	int (*track)(struct export *ex, const struct ktally_life *l);	/* will be a parent; NULL: of no interest */
	int (*put)(struct export *ex, const struct ktally_life *l);
	bool (*flush)(struct export *ex);	/* what was put appears; false: it can't any more */
	int (*end)(struct export *ex);		/* of what begin() began */
};
bool export_flush(struct export *ex);		/* for those that write to the sink */
extern const struct export_stream export_stream_csv, export_stream_jsonl, export_stream_chrome, export_stream_perfetto;
int export_stream(struct export *ex, const struct export_stream *format);

/* ex->sink, once nothing can be refused any more: it empties the file that was there. */
int export_open(struct export *ex);
/*
 * For formats that write their file or folder themselves: write() makes it under the
 * name `part`; it takes its own when it is whole, and is removed when it is not.
 */
int export_in_place(struct export *ex, int (*write)(struct export *ex, const char *part, void *arg),
		    void *arg);

/* The nearest ancestor that is meant too; NULL: none. */
struct ktally_life *export_parent(const struct ktally_life *l);
/* Row of a life that is meant. */
size_t export_row(const struct ktally_life *l);
/* A column by its name, and a row's value of it. */
const struct ktally_field *export_field(const struct export *ex, const char *name);
struct ktally_value export_value(struct export *ex, size_t row, const char *field);
/* Whether the format may show a column: all but command lines, without --args. */
bool export_shows(const struct export *ex, const struct ktally_field *f);
/* Program, or with --args the command, as a line of text without control characters. */
size_t export_name(const struct export *ex, const struct ktally_life *l,
		   const struct ktally_image *im, char *dst, size_t n);

#endif
