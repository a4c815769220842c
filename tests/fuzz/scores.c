// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scores.c - any bytes as up to three of the ash profiler's files, imported. The
 * recording that is made of them must be one that can be read.
 */
#include "cmd.h"
#include "fuzz.h"
#include "import.h"

enum { FILES = 3 };

/* The shells' PIDs are small, so that commands of one file become shells of another. */
static void put(const char *dir, size_t i, const uint8_t *p, size_t n)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/scores.csv.%zu", dir, 10 + i);
	f = fopen(path, "we");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		abort();
}

static void clear(const char *dir)
{
	char path[96];

	for (size_t i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/scores.csv.%zu", dir, 10 + i);
		unlink(path);
	}
	rmdir(dir);
}

static void read_back(const char *path)
{
	struct ktally_stream *s;
	struct ktally_event ev;
	int ret = ktally_stream_open_files(&s, &path, 1);

	while (!ret && (ret = ktally_stream_next(s, &ev)) == 1)
		ret = 0;
	if (ret)
		abort();
	ktally_stream_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char dir[] = "/dev/shm/ktally-fuzz-XXXXXX", path[96];
	char *words[] = { "import", "--from", "ash-scores", dir, "--force", "-o", path, NULL };
	const uint8_t *part[FILES];
	size_t len[FILES], parts = fuzz_parts(data, n, part, len, FILES);

	fuzz_quiet();
	setenv("KTALLY_CONFIG", "", 1);
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/r.ktl", dir);
	for (size_t i = 0; i < parts; i++)
		put(dir, i, part[i], len[i]);
	if (!cmd_import.run(7, words))
		read_back(path);
	unlink(path);
	clear(dir);
	return 0;
}
