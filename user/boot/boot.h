/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot.h - what the parts of `ktally boot` share: its options, and a recording read
 * as a boot. Each part is a file; cmd-boot.c has their table.
 *
 * Functions say what went wrong themselves and return an exit status.
 */
#ifndef KTALLY_BOOT_CMD_H
#define KTALLY_BOOT_CMD_H

#include "lib/boot.h"
#include "lives.h"
#include "reading.h"
#include "sel.h"
#include "show.h"

#define BOOT_SAVE_PATH	"/var/lib/ktally/boot.ktl"

struct boot_args {
	struct reading_options in;
	struct show show;
	const char *end;		/* NULL = the default */
	struct opt_time least, every;
	bool gaps, units, all, once;
	int by;				/* 1 + enum ktally_run_key; 0 = a row per run */
	bool fold;
	const char *threshold;
	const char *root;		/* enable, disable: of another system */
	struct opt_list parameters;	/* enable: of the module */
	struct opt_list secrets;	/* save: names of arguments to overwrite */
	struct opt_rest *rest;		/* words behind the verb */
};

/* A recording that was read, with its boot. */
struct boot_view {
	struct reading reading;
	struct boot boot;
	struct sel sel;			/* nothing is selected: everything */
	struct sel_match *match;
};

/* files: of args->in unless told otherwise. OPT_GO_ON or an exit status after a message. */
int boot_open(struct boot_view *v, const struct boot_args *args, const struct reading_options *in);
void boot_close(struct boot_view *v);
/* Points in time count from the kernel's start here. */
struct out_clock boot_clock(const struct boot_view *v);

struct boot_rows {
	struct show_source src;		/* of, value, fields, n_rows and columns are set */
	void (*below)(struct out *o, void *of);	/* lines and facts; NULL = none */
};
/* Writes rows, what is below them and the balance: an exit status. */
int boot_show(const struct boot_args *args, struct boot_view *v, struct boot_rows *rows);

/* The parts. */
int boot_time(const struct boot_args *args);
int boot_blame(const struct boot_args *args);
int boot_chain(const struct boot_args *args);
int boot_plot(const struct boot_args *args);
int boot_diff(const struct boot_args *args);
int boot_save(const struct boot_args *args);
int boot_enable(const struct boot_args *args);
int boot_disable(const struct boot_args *args);

/* Commands put together, as a table; the longest ones as a line of 80 columns. An exit status, OPT_GO_ON. */
int boot_commands_show(struct boot_view *v, const struct boot_args *args);
int boot_commands_line(struct boot_view *v, const struct boot_args *args, char *line, size_t n);

/* What people read of an image, and the arguments it is known by. */
struct ktally_value boot_argv(const struct ktally_image *im);
/* The program that started it; unknown if nobody is known. */
struct ktally_value boot_starter(const struct ktally_life *l);
struct ktally_value boot_known(bool known, uint64_t v);

#endif
