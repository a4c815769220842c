/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands/commands.h - the three ways in which `ktally commands` shows what ran: a row per
 * command, per run, and the steps of scripts as a tree.
 *
 * Each gives its columns, known without a recording, and its rows as a show_source.
 */
#ifndef KTALLY_COMMANDS_H
#define KTALLY_COMMANDS_H

#include "reading.h"
#include "sel.h"
#include "show.h"

enum { COMMANDS_NARROW = 110 };

struct commands_columns {
	const char *schema, *usual, *sort;
	const char *narrow;		/* usual on a terminal below COMMANDS_NARROW */
	const struct ktally_field *fields;
	size_t n;
};

/* A row per command. */
struct counts {
	struct reading *reading;
	const struct ktally_command **commands;	/* those that have a row */
	size_t n;
	char **exits;			/* of each command: statuses of what failed */
};
extern const struct commands_columns counts_columns;
/* older: also commands of which no run began in the recording. OPT_GO_ON or an exit status after a message. */
int counts_make(struct counts *c, struct reading *r, const struct ktally_runs *runs, bool older);
struct ktally_value counts_value(void *of, size_t row, const struct ktally_field *f);
void counts_free(struct counts *c);

/* A row per run. */
struct run_rows {
	struct reading *reading;
	const struct ktally_run *runs;
	size_t n;
	bool for_people;
};
extern const struct commands_columns run_columns;
struct ktally_value run_value(void *of, size_t row, const struct ktally_field *f);

/* Scripts, and below each its steps in order. */
struct steps_options {
	bool asked;
	uint64_t depth;			/* 0 = all */
	struct opt_time gaps;		/* self time shorter than this has no row */
};
enum { STEPS_OPTS = 3 };
extern const struct opt steps_opts[];
#define STEPS_GROUP(type, member)					\
	{ .title = "STEPS OF A SCRIPT", .opts = steps_opts, .n = STEPS_OPTS, .offset = offsetof(type, member) }
#define STEPS_GAP	1000000ULL	/* shortest self time with a row, unless it was said */

extern const struct commands_columns steps_columns;
/* All of it: DONE or another exit status. */
int steps_print(struct reading *r, struct sel_match *match, const struct show *show,
		const struct steps_options *options);

/* The usual columns that the terminal has room for. */
const char *commands_usual(const struct commands_columns *c, const struct show *show);

/* Values that several of them have. */
struct ktally_value commands_text(struct ktally_str s);
struct ktally_value commands_known(bool known, uint64_t v);
bool commands_ended(const struct ktally_life *l);
struct ktally_value commands_argv(const struct ktally_image *im, bool for_people);

#endif
