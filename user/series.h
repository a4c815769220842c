/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.h - values of one measure of one subject, in the order they were taken: what
 * every way of measuring ends in, and all that files of results hold. Memory only.
 */
#ifndef KTALLY_SERIES_H
#define KTALLY_SERIES_H

#include "lib/ktally.h"

enum { SERIES_STAGE = 24, SERIES_SUBJECT = 96, SERIES_MEASURE = 32 };

/* What tells series apart; a result has one of each. */
struct series_key {
	const char *stage;		/* "runs", "client", "solo", ... */
	uint32_t command;		/* which of several commands, from 1; 0: the subject is none */
	const char *subject;		/* command line, role, interface */
	const char *measure;
	enum ktally_unit unit;
	uint32_t repeat;		/* from 1 */
};

struct series {
	char stage[SERIES_STAGE], subject[SERIES_SUBJECT], measure[SERIES_MEASURE];
	uint32_t command, repeat;
	enum ktally_unit unit;
	bool always;			/* shown even if it is 0 throughout */
	bool void_;			/* records were lost meanwhile: its values are no measurement */
	uint64_t *values;		/* in series_scale() of the unit */
	size_t n, room;
};

struct series_set {
	struct series **at;
	size_t n, room;
	bool oom;			/* something is missing */
};

/* What one step of a value is worth: plain numbers and percent keep six decimals. */
double series_scale(enum ktally_unit unit);
/* The series of that key, which is begun if there is none; NULL: no memory (and oom is set). */
struct series *series_get(struct series_set *set, const struct series_key *key);
/* s may be NULL. */
void series_add(struct series_set *set, struct series *s, uint64_t value);
/* Whether both are of the same, but for the repeat. */
bool series_alike(const struct series *a, const struct series *b);
/* Decimal digits with or without a point to steps: 0, -EINVAL (no number, nan, below 0), -ERANGE. */
int series_parse(const char *text, size_t n, enum ktally_unit unit, uint64_t *value);
/* The values as "1 2.5 3", malloc'd; NULL: no memory. */
char *series_text(const struct series *s);
void series_free(struct series_set *set);

#endif
