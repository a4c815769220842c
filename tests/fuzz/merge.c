// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c - any bytes as up to four recordings that are read as one, by their names or
 * as a folder, and the first one alone in memory; and as four sub-buffers that are pushed
 * one after the other: boots, sessions and CPUs in one order, losses counted. Every record
 * that is counted must have been given.
 */
#include <errno.h>

#include "fuzz.h"
#include "ktally.h"

enum { FILES = 4 };

static void read_all(struct ktally_stream *s)
{
	const struct ktally_stream_info *info = ktally_stream_info(s);
	const struct ktally_gap *gaps;
	struct ktally_extent extent;
	struct ktally_event ev;
	uint64_t records = 0;
	size_t len;
	int ret;

	ktally_stream_extent(s, 0, &extent);
	ktally_stream_extent(s, FILES, &extent);
	while ((ret = ktally_stream_next(s, &ev)) == 1) {
		if (!ktally_stream_wire(s))
			abort();
		records++;
	}
	if (ret || records != info->records)
		abort();
	for (size_t i = 0; i < ktally_stream_gaps(s, &gaps); i++)
		if (!gaps[i].lost)
			abort();
	info = ktally_stream_info(s);
	for (size_t i = 0; ktally_stream_warning(s, i); i++)
		;
	ktally_stream_note(s, "units", &len);
}

/* The files in a folder, which is empty before and after. */
static void read_folder(char names[][32], size_t parts)
{
	char folder[] = "/dev/shm/ktally-fuzz-XXXXXX", path[FILES][64];
	const char *paths[] = { folder };
	struct ktally_stream *s;

	if (!mkdtemp(folder))
		abort();
	for (size_t i = 0; i < parts; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%zu.ktl", folder, i);
		if (symlink(names[i], path[i]))
			abort();
	}
	if (!ktally_stream_open_files(&s, paths, 1))
		read_all(s);
	ktally_stream_close(s);
	for (size_t i = 0; i < parts; i++)
		unlink(path[i]);
	if (ktally_stream_open_files(&s, paths, 1) != -ENOENT)
		abort();
	ktally_stream_close(s);
	rmdir(folder);
	if (ktally_stream_open_files(&s, paths, 1) != -ENOENT)
		abort();
	ktally_stream_close(s);
}

static void read_memory(const void *p, size_t n)
{
	struct ktally_stream *s;

	if (!ktally_stream_open_memory(&s, p, n))
		read_all(s);
	ktally_stream_close(s);
}

static void push_all(const uint8_t **part, const size_t *len, size_t parts)
{
	struct ktally_stream *s;
	struct ktally_event ev;

	if (ktally_stream_open_push(&s))
		abort();
	for (size_t i = 0; i < parts; i++) {
		ktally_stream_push(s, part[i], len[i]);
		/* between two of them all is given, or nothing */
		ktally_stream_settled(s, i % 2 ? UINT64_MAX - 1 : 0);
		while (ktally_stream_next(s, &ev) == 1)
			;
	}
	ktally_stream_settled(s, UINT64_MAX);
	while (ktally_stream_next(s, &ev) == 1)
		;
	ktally_stream_error(s);
	ktally_stream_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *paths[FILES] = { NULL };
	const uint8_t *part[FILES];
	char names[FILES][32];
	size_t len[FILES], parts = fuzz_parts(data, n, part, len, FILES);
	struct ktally_stream *s;
	int fds[FILES];

	push_all(part, len, parts);
	for (size_t i = 0; i < parts; i++) {
		unsigned char *copy = malloc(len[i] + 1);

		memcpy(copy, part[i], len[i]);
		if (len[i] && copy[len[i] - 1] % 4)
			fuzz_make_sums_right(copy, len[i]);
		if (!i)
			read_memory(copy, len[i]);
		fds[i] = fuzz_file(copy, len[i], names[i]);
		paths[i] = names[i];
		free(copy);
	}
	if (!ktally_stream_open_files(&s, paths, parts))
		read_all(s);
	ktally_stream_error(s);
	ktally_stream_close(s);
	if (n && data[n - 1] % 4 == 3)
		read_folder(names, parts);
	for (size_t i = 0; i < parts; i++)
		close(fds[i]);
	return 0;
}
