/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * secrets.h - --redact: names whose values are overwritten in arguments before a
 * recording is written. Says itself what went wrong.
 */
#ifndef KTALLY_SECRETS_H
#define KTALLY_SECRETS_H

#include "lib/ktally.h"
#include "opt.h"

/* The option's row; names is a struct opt_list of the command's arguments. */
#define SECRETS_OPT(type, names)						\
	{ 0, "redact", "NAME", "before anything is written, overwrite what stands behind NAME= or NAME:, or is the word after an option NAME, in all arguments; NAME may be a pattern: '*pass*'", \
	  opt_list, offsetof(type, names), 0, NULL }

/* *r stays NULL if there are no names. OPT_GO_ON, or the exit status after a message. */
int secrets_open(struct ktally_redact **r, const struct opt_list *names);
/* A copy of a command without secrets, to be freed at once; NULL: no memory. */
char **secrets_hide(const struct ktally_redact *r, char *const *command);

#endif
