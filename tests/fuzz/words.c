// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - any bytes as command lines: a word per line, an empty line between two of
 * them. Options are parsed by every command's own tables, and what they gave is made
 * into a selection and points in time; nothing is run. The tool that `stat --style=pp`
 * speaks like is left out: it measures while it parses.
 */
#include "cmd.h"
#include "fuzz.h"
#include "sel.h"
#include "when.h"

enum { WORDS = 100, ARGS = 16384 };

static void select_by(const char *args, const struct cmd *cmd, const struct opt_rest *rest)
{
	for (size_t g = 0; g < cmd->n_groups; g++) {
		const struct sel *sel = (const void *)(args + cmd->groups[g].offset);
		struct sel_match *match;
		int status;

		if (cmd->groups[g].opts != sel_opts)
			continue;
		match = sel_compile(sel, rest->words, rest->n_words, &status);
		if (match && sel->since)
			when_like(sel->since);
		sel_past(sel);
		sel_free(match);
	}
}

static void parse(char **words, int n)
{
	static _Alignas(64) char args[ARGS];
	const struct cmd *cmd = n ? cmd_find(words[0]) : NULL;
	struct opt_rest rest;

	if (n && !cmd)
		cmd_unknown(words[0]);
	if (!cmd)
		return;
	memset(args, 0, sizeof(args));
	words[n] = NULL;
	if (opt_parse(cmd, n, words, args, &rest) != OPT_GO_ON)
		return;
	if (rest.n_words < 0 || rest.n_words > n || rest.n_command < 0 || rest.n_command > n)
		abort();
	select_by(args, cmd, &rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1), *at = text, *word, *words[WORDS + 1];
	int k = 0;

	fuzz_quiet();
	setenv("KTALLY_CONFIG", "", 1);
	memcpy(text, data, n);
	text[n] = '\0';
	while ((word = strsep(&at, "\n"))) {
		if (*word && k < WORDS)
			words[k++] = word;
		if (*word && at)
			continue;
		parse(words, k);
		k = 0;
	}
	fflush(stdout);
	free(text);
	return 0;
}
