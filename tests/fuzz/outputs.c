// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outputs.c - any bytes as a recording, shown by every command that reads one and in
 * every format. An engine tries one of them for each input, replay.c all.
 */
#include "cmd.h"
#include "fuzz.h"

#define FILE_HERE "?"		/* the recording's name goes here */
#define PLOT "/dev/shm/ktally-fuzz-plot"

static const char *const lines[][8] = {
	{ "report", FILE_HERE }, { "report", FILE_HERE, "--csv", "--csv-safe", "-a" },
	{ "report", FILE_HERE, "--json", "-a" }, { "report", FILE_HERE, "--raw", "--since", "-3" },
	{ "report", FILE_HERE, "--by", "command", "--human", "--color", "always" },
	{ "report", FILE_HERE, "--by", "cgroup", "--jsonl" }, { "report", FILE_HERE, "--wide", "--time", "wall" },
	{ "tree", FILE_HERE }, { "tree", FILE_HERE, "--json", "-a" },
	{ "commands", FILE_HERE }, { "commands", FILE_HERE, "--runs", "--json" },
	{ "commands", FILE_HERE, "--steps", "*" }, { "commands", FILE_HERE, "--steps", "*", "--csv" },
	{ "dump", FILE_HERE }, { "diff", FILE_HERE, FILE_HERE },
	{ "export", FILE_HERE, "--to", "folded", "--args" },
	{ "export", FILE_HERE, "--to", "chrome", "--args" },
	{ "export", FILE_HERE, "--to", "perfetto", "--args", "-a" },
	{ "export", FILE_HERE, "--to", "openmetrics", "--step", "1" },
	{ "export", FILE_HERE, "--to", "csv", "--args", "-a" },
	{ "export", FILE_HERE, "--to", "jsonl", "--args", "-a" },
	{ "export", FILE_HERE, "--to", "sqlite", "--args", "-o", PLOT ".db" },
	{ "export", FILE_HERE, "--to", "trace.dat", "-o", PLOT ".dat" },
	{ "boot", "time", FILE_HERE }, { "boot", "blame", FILE_HERE }, { "boot", "chain", FILE_HERE },
	{ "boot", "plot", FILE_HERE, "-o", PLOT ".svg" },
	{ "boot", "plot", FILE_HERE, "-o", PLOT ".html" },
	{ "boot", "diff", FILE_HERE, FILE_HERE },
};

enum { LINES = sizeof(lines) / sizeof(lines[0]) };

static void run(const char *const *line, char *path)
{
	char *argv[9];
	int argc = 0;

	for (; argc < 8 && line[argc]; argc++)
		argv[argc] = strcmp(line[argc], FILE_HERE) ? (char *)line[argc] : path;
	argv[argc] = NULL;
	cmd_find(argv[0])->run(argc, argv);
	fflush(stdout);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	unsigned char *copy = malloc(n + 1);
	size_t first = 0, last = LINES;
	char path[32];
	int fd;

	fuzz_quiet();
	setenv("KTALLY_CONFIG", "", 1);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	for (size_t i = 0; i < n; i++)
		first += first * 30 + data[i];
	first %= LINES;
	last = first + 1;
#endif
	memcpy(copy, data, n);
	if (n && copy[n - 1] % 4)
		fuzz_make_sums_right(copy, n);
	fd = fuzz_file(copy, n, path);
	for (size_t i = first; i < last; i++)
		run(lines[i], path);
	unlink(PLOT ".svg");
	unlink(PLOT ".html");
	unlink(PLOT ".dat");
	unlink(PLOT ".db");
	close(fd);
	free(copy);
	return 0;
}
