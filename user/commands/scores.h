/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands/scores.h - the files of the ash profiler, byte for byte: a folder with one
 * scores.csv.PID per shell, and `all` and `sortedAll` made of them. docs/commands.md
 * has the format.
 *
 * Functions say what went wrong themselves and return OPT_GO_ON or an exit status.
 */
#ifndef KTALLY_SCORES_H
#define KTALLY_SCORES_H

#include <stdio.h>

#include "reading.h"
#include "sel.h"

#define SCORES_HEADER	"command!start!pid!end\n"
#define SCORES_PREFIX	"scores.csv."

/* A line: "COMMAND!START!PID" or "!!PID!END". The command may hold '!' as well. */
struct score {
	bool end;
	const char *command;		/* not NUL-ended */
	size_t len;
	int64_t time;			/* wall clock, us; -1 = not known when it was written */
	uint32_t pid;
};
bool scores_parse(const char *line, size_t len, struct score *s);

/* The shells whose scores lie in a folder, by PID. */
struct scores_folder {
	uint32_t *pids;
	size_t n;
};
int scores_list(struct scores_folder *f, const char *dir);
void scores_list_free(struct scores_folder *f);
/* Opens a file of the folder; NULL after a message. */
FILE *scores_open(const char *dir, const char *name, const char *mode);
int scores_close(FILE *f, const char *dir, const char *name);

/* scores.csv.PID of every wanted shell, then all and sortedAll. */
int scores_write(const char *dir, struct reading *r, struct sel_match *match);
/* all and sortedAll of every scores.csv.PID in the folder. */
int scores_merge(const char *dir);

#endif
