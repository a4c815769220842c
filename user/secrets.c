// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * secrets.c - names of secrets from options to the library, and the one command line
 * that does not come through the module: that of the command which is recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "secrets.h"

int secrets_open(struct ktally_redact **r, const struct opt_list *names)
{
	*r = names->n ? ktally_redact_open(names->at, names->n) : NULL;
	return *r || !names->n ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

/* Pointers in front, the words behind them. */
char **secrets_hide(const struct ktally_redact *r, char *const *command)
{
	size_t words = 0, bytes = 0;
	char **copy, *at;

	for (; command[words]; words++)
		bytes += strlen(command[words]) + 1;
	copy = malloc((words + 1) * sizeof(*copy) + bytes);
	if (!copy)
		return NULL;
	at = (char *)(copy + words + 1);
	for (size_t i = 0; i < words; i++) {
		copy[i] = at;
		at = stpcpy(at, command[i]) + 1;
	}
	copy[words] = NULL;
	if (r)
		ktally_redact_words(r, (char *)(copy + words + 1), bytes);
	return copy;
}
