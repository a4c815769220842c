// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settings.c - any bytes as up to three files of settings, for every command.
 */
#include "cmd.h"
#include "config.h"
#include "fuzz.h"

enum { FILES = 3, ARGS = 16384 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static _Alignas(64) char args[ARGS];
	const uint8_t *part[FILES];
	char names[FILES][32], list[FILES * 33] = "";
	size_t len[FILES], parts = fuzz_parts(data, n, part, len, FILES);
	struct opt_rest rest;
	int fds[FILES];

	fuzz_quiet();
	for (size_t i = 0; i < parts; i++) {
		fds[i] = fuzz_file(part[i], len[i], names[i]);
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ":" : "", names[i]);
	}
	setenv("KTALLY_CONFIG", list, 1);
	for (size_t i = 0; cmd_table[i]; i++) {
		char *words[] = { (char *)cmd_table[i]->name, NULL };

		memset(args, 0, sizeof(args));
		opt_parse(cmd_table[i], 1, words, args, &rest);
	}
	for (size_t i = 0; i < parts; i++)
		close(fds[i]);
	return 0;
}
