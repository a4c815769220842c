// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * totals.c - any bytes as saved totals. What was understood must be the same once it
 * has been written and read again.
 */
#include "fuzz.h"
#include "sumfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct sumfile_id none = { "", 0 };
	struct sums first = { NULL, 0, 0 }, again = { NULL, 0, 0 };
	char path[32], copy[64];
	size_t line;
	int fd = fuzz_file(data, n, path);

	snprintf(copy, sizeof(copy), "/dev/shm/ktally-fuzz-totals-%d", getpid());
	if (!sumfile_read(path, &none, &first, &line)) {
		if (sumfile_write(copy, &none, &first, &again) || sumfile_read(copy, &none, &again, &line) ||
		    first.n != again.n)
			abort();
		for (size_t i = 0; i < first.n; i++)
			if (sums_by_all(&first.at[i], &again.at[i]) ||
			    memcmp(&first.at[i].row, &again.at[i].row, sizeof(first.at[i].row)))
				abort();
		unlink(copy);
	}
	sums_free(&first);
	sums_free(&again);
	close(fd);
	return 0;
}
