/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - settings from files: defaults of options, by command.
 *
 * Read in this order, the later the stronger: /etc/ktally.conf, what ends in .conf in
 * /etc/ktally.conf.d by name, $XDG_CONFIG_HOME/ktally/config (~/.config). KTALLY_CONFIG
 * names others in their place, divided by colons; empty: none.
 */
#ifndef KTALLY_CONFIG_H
#define KTALLY_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct config_setting {
	const char *file;
	int line, n_file;	/* n_file: which of the files, from 1 */
	const char *section;	/* name of a command; "" = for every command that has the option */
	const char *key;	/* long name of an option */
	const char *value;	/* NULL: the key stood alone */
};

/*
 * Each setting that may concern the command, in order; text is valid for the program's
 * life. OPT_GO_ON, or an exit status after a message: set()'s or its own.
 */
int config_each(const char *command, int (*set)(void *arg, const struct config_setting *s), void *arg);

/* "ktally: FILE:LINE: ..."; WRONG_USE. */
int config_error(const struct config_setting *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
