// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-mark.c - writes a named point into every recording that is under way.
 */
#include <string.h>

#include "cmd.h"
#include "lib/ktally.h"

static int run_mark(int argc, char **argv)
{
	struct opt_rest rest;
	char args[1], text[KTALLY_MARK_MAX + 1], why[256];
	size_t n = 0;
	int status = opt_parse(&cmd_mark, argc, argv, args, &rest), err;

	if (status != OPT_GO_ON)
		return status;
	for (int i = 0; i < rest.n_words; i++) {
		size_t len = strlen(rest.words[i]);

		if (n + !!n + len > KTALLY_MARK_MAX)
			return say_error(WRONG_USE, "mark: at most %d bytes of text", KTALLY_MARK_MAX);
		if (n)
			text[n++] = ' ';
		memcpy(text + n, rest.words[i], len);
		n += len;
	}
	if (!n)
		return say_error(WRONG_USE, "mark: what? for example: ktally mark tests begin");
	err = ktally_mark(NULL, text, n, why, sizeof(why));
	return err ? say_error(status_of(err), "%s", why) : DONE;
}

static const char *const mark_examples[] = { "mark tests begin", NULL };

const struct cmd cmd_mark = {
	.name = "mark",
	.words = "TEXT",
	.help = "a named point in the recordings under way",
	.about = "Writes TEXT as a record into every recording that may see the caller.",
	.run = run_mark,
	.examples = mark_examples,
};
