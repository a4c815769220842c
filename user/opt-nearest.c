// SPDX-License-Identifier: GPL-2.0-or-later
/* opt-nearest.c - which of some words was meant by one that is mistyped. */
#include <string.h>

#include "opt.h"

/* Edits from a to b; rows of the usual table, words longer than a row are never near. */
static size_t distance(const char *a, const char *b)
{
	enum { LONGEST = 32 };
	size_t row[LONGEST + 1], len = strlen(b);

	if (len > LONGEST || strlen(a) > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t corner = row[0]++;

		for (size_t j = 1; j <= len; j++) {
			size_t best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[len];
}

const char *opt_nearest(const char *word, size_t n, const char *(*name)(const void *of, size_t i),
			const void *of)
{
	const char *nearest = NULL;
	size_t best = strlen(word) / 3 + 1;	/* a third of it mistyped is still meant */

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, name(of, i));

		/* "stat" for "status": a start counts as one edit. */
		if (d > 1 && strlen(word) > 2 && !strncmp(word, name(of, i), strlen(word)))
			d = 1;
		if (d <= best) {
			if (nearest && d == best)
				continue;
			nearest = name(of, i);
			best = d;
		}
	}
	return nearest;
}
