/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opt.h - options as tables: one row is parsed, explained by --help, described
 * in the manual and completed by the shells.
 *
 * A command lists groups of rows; a group's rows write into one struct inside
 * the command's arguments, so that SEL and the ways to show are the same
 * everywhere. Parsing says what is wrong itself and never exits.
 */
#ifndef KTALLY_OPT_H
#define KTALLY_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opt;
struct cmd;
struct opt_rest;

/* Puts value (NULL for a flag) to `to`; on refusal says in `why` what would be right: -EINVAL. */
typedef int opt_set(const struct opt *o, void *to, const char *value, char *why, size_t n);

struct opt {
	char letter;		/* 0 = only the long name */
	const char *name;
	const char *arg;	/* name of the value in help; NULL = a flag */
	const char *help;
	opt_set *set;
	size_t offset;		/* in the group's struct */
	int value;		/* for opt_constant and opt_word */
	const char *words;	/* possible values; "@file", "@user", "@pid", "@column": for the shells */
};

struct opt_group {
	const char *title;
	const struct opt *opts;
	size_t n;
	size_t offset;		/* of the group's struct in the command's arguments */
	/* Whether those that were typed go together; NULL: always. As opt_parse(). */
	int (*check)(const struct cmd *cmd, const void *group, const struct opt_rest *rest);
};

/* Rows of the command itself: their offsets are those of its arguments. */
#define OPT_OWN(heading, table)						\
	{ .title = (heading), .opts = (table), .n = sizeof(table) / sizeof((table)[0]) }

enum { OPT_LIST_MAX = 64 };

struct opt_list {
	const char *at[OPT_LIST_MAX];
	size_t n;
	bool by_default;	/* from a file of settings: what is said in words takes its place */
};

struct opt_time {
	bool set;
	uint64_t ns;
};

opt_set opt_flag;	/* bool = true */
opt_set opt_constant;	/* int = .value */
opt_set opt_string;	/* const char * */
opt_set opt_output;	/* const char *, a file to write anew: no recording, and nothing that is read here */
opt_set opt_list;	/* struct opt_list, one more */
opt_set opt_count;	/* uint64_t from decimal digits */
opt_set opt_time;	/* struct opt_time; 0.5, 500ms, 2m */
opt_set opt_word;	/* int = .value + place of the word in .words */

/* "0.5", "500ms", "2m", "1h", "3us", "10ns"; a bare number is seconds. 0 or -EINVAL. */
int opt_parse_time(const char *text, uint64_t *ns);
int opt_parse_u64(const char *text, uint64_t *value);

/* The letter of one of the command's rows; 0: none, or an earlier row has it. */
char opt_letter(const struct cmd *cmd, const struct opt *o);

/* What stands beside the options. */
enum { OPT_GIVEN_MAX = 96 };

struct opt_rest {
	const char *given[OPT_GIVEN_MAX];	/* long names of the options that were typed, each once */
	size_t n_given;
	int n_words, n_command;
	char **words;		/* positionals */
	char **command;		/* behind --, NULL at its end */
};

enum { OPT_GO_ON = -1 };

/* OPT_GO_ON, or the exit status: 0 after --help, 2 after a message. */
int opt_parse(const struct cmd *cmd, int argc, char **argv, void *args, struct opt_rest *rest);

/* Whether path (NULL: none) may be written anew; opt_parse() asks it unless CMD_SAVES. As opt_parse(). */
int opt_check_output(const struct cmd *cmd, const char *path);

/* The nearest of n names if it is near enough to be meant, else NULL; row i's name by name(i). */
const char *opt_nearest(const char *word, size_t n, const char *(*name)(const void *of, size_t i),
			const void *of);

#endif
