// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modes.c - says which option that was typed does not go with the mode that is meant.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "modes.h"

enum { NAMES_ROOM = 160 };

static bool is_among(const char *name, const char *options)
{
	size_t len = strlen(name);

	for (const char *at = options; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == len && !strncmp(at, name, len))
			return true;
		at += word;
	}
	return false;
}

static void list_modes(const struct modes *m, unsigned int with, char *text, size_t room)
{
	size_t at = 0;

	for (size_t i = 0; m->names[i]; i++) {
		bool last = !(with >> i >> 1);

		if (!(with >> i & 1) || at >= room)
			continue;
		at += (size_t)snprintf(text + at, room - at, "%s%s", !at ? "" : last ? " and " : ", ", m->names[i]);
	}
}

static int refuse(const struct modes *m, const struct modes_row *row, int mode, const struct cmd *cmd,
		  const char *option)
{
	char names[NAMES_ROOM] = "";

	list_modes(m, row->with, names, sizeof(names));
	return say_error(WRONG_USE, "%s: --%s goes with %s, not with %s", cmd->name, option, names, m->names[mode]);
}

int modes_check(const struct modes *m, int mode, const struct cmd *cmd, const struct opt_rest *rest)
{
	for (size_t i = 0; i < rest->n_given; i++)
		for (size_t k = 0; k < m->n; k++)
			if (!(m->rows[k].with & MODE(mode)) && is_among(rest->given[i], m->rows[k].options))
				return refuse(m, &m->rows[k], mode, cmd, rest->given[i]);
	return OPT_GO_ON;
}
