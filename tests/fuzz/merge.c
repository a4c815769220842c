// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c - any bytes as up to four recordings that are read as one: boots, sessions
 * and CPUs in one order, losses counted. Time must not run backwards within a boot,
 * and every record that is counted must have been given.
 */
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
	while ((ret = ktally_stream_next(s, &ev)) == 1)
		records++;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *paths[FILES] = { NULL };
	const uint8_t *part[FILES];
	char names[FILES][32];
	size_t len[FILES], parts = fuzz_parts(data, n, part, len, FILES);
	struct ktally_stream *s;
	int fds[FILES];

	for (size_t i = 0; i < parts; i++) {
		unsigned char *copy = malloc(len[i] + 1);

		memcpy(copy, part[i], len[i]);
		if (len[i] && copy[len[i] - 1] % 4)
			fuzz_make_sums_right(copy, len[i]);
		fds[i] = fuzz_file(copy, len[i], names[i]);
		paths[i] = names[i];
		free(copy);
	}
	if (!ktally_stream_open_files(&s, paths, parts))
		read_all(s);
	ktally_stream_error(s);
	ktally_stream_close(s);
	for (size_t i = 0; i < parts; i++)
		close(fds[i]);
	return 0;
}
