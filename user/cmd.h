/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd.h - what a command is: a row in the program's table and a file.
 *
 * The row carries everything help, manual and completion say about it. run()
 * gets argv with the command's own name first and returns the exit status.
 */
#ifndef KTALLY_CMD_H
#define KTALLY_CMD_H

#include "opt.h"
#include "say.h"

enum cmd_bits {
	CMD_FILES	= 1 << 0,	/* positionals are recordings */
	CMD_RUNS	= 1 << 1,	/* takes -- CMD */
	CMD_STOPS	= 1 << 2,	/* the first word begins CMD, -- or not */
	CMD_HIDDEN	= 1 << 3,	/* not in the list of commands */
	CMD_SAVES	= 1 << 4,	/* its verb tells whether -o may replace a recording */
};

struct cmd {
	const char *name;
	const char *words;		/* synopsis behind the name */
	const char *verbs;		/* what else than a file may be the first word, parted by blanks */
	const char *help;		/* one line, no full stop */
	const char *about;		/* a paragraph for --help and the manual */
	unsigned int bits;
	int (*run)(int argc, char **argv);
	const struct opt_group *groups;
	size_t n_groups;
	const char *const *examples;	/* words behind "ktally ", NULL-ended */
};

#define CMD_GROUPS(table)	.groups = (table), .n_groups = sizeof(table) / sizeof((table)[0])

extern const struct cmd cmd_record, cmd_report, cmd_run, cmd_commands, cmd_tree, cmd_diff, cmd_dump;
extern const struct cmd cmd_totals;
extern const struct cmd cmd_status, cmd_doctor, cmd_load, cmd_unload, cmd_schema, cmd_mark;
extern const struct cmd cmd_boot, cmd_stat, cmd_top, cmd_events, cmd_measure, cmd_import, cmd_export, cmd_metrics, cmd_ship;
extern const struct cmd cmd_help;

/* The program's table, in the order of the help; ends with NULL. */
extern const struct cmd *const cmd_table[];
const struct cmd *cmd_find(const char *name);
/* Says that there is no such command, and which was probably meant: WRONG_USE. */
int cmd_unknown(const char *name);

/* Help of the whole program and of one command, on standard output or standard error. */
void cmd_usage(int fd);
int cmd_help_for(const struct cmd *cmd);

#endif
