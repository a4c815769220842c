// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * series.c - values of one measure of one subject. Whole numbers of small steps, so that
 * what is written and read again is the same to the last digit.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"

enum { DECIMALS = 6, STEPS = 1000000 };

static bool has_decimals(enum ktally_unit unit)
{
	return unit == KTALLY_NONE || unit == KTALLY_PERCENT;
}

double series_scale(enum ktally_unit unit)
{
	return has_decimals(unit) ? 1.0 / STEPS : 1;
}

bool series_alike(const struct series *a, const struct series *b)
{
	return a->command == b->command && !strcmp(a->measure, b->measure) && !strcmp(a->stage, b->stage) &&
	       (a->command || !strcmp(a->subject, b->subject));
}

static struct series *begin(const struct series_key *key)
{
	struct series *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	snprintf(s->stage, sizeof(s->stage), "%s", key->stage);
	snprintf(s->subject, sizeof(s->subject), "%s", key->subject);
	snprintf(s->measure, sizeof(s->measure), "%s", key->measure);
	s->command = key->command;
	s->repeat = key->repeat;
	s->unit = key->unit;
	return s;
}

/* Twice the room if it is full; false: no memory. */
static bool make_room(void **at, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *bigger;

	if (n < *room)
		return true;
	bigger = realloc(*at, more * size);
	if (!bigger)
		return false;
	*at = bigger;
	*room = more;
	return true;
}

struct series *series_get(struct series_set *set, const struct series_key *key)
{
	struct series *s = begin(key);

	if (!s || !make_room((void **)&set->at, set->n, &set->room, sizeof(*set->at))) {
		free(s);
		set->oom = true;
		return NULL;
	}
	/* From the newest back, for that is who is asked for again. */
	for (size_t i = set->n; i-- > 0;)
		if (set->at[i]->repeat == s->repeat && series_alike(set->at[i], s)) {
			free(s);
			return set->at[i];
		}
	set->at[set->n++] = s;
	return s;
}

void series_add(struct series_set *set, struct series *s, uint64_t value)
{
	if (!s || !make_room((void **)&s->values, s->n, &s->room, sizeof(*s->values)))
		set->oom = true;
	else
		s->values[s->n++] = value;
}

int series_parse(const char *text, size_t n, enum ktally_unit unit, uint64_t *value)
{
	size_t i = 0, decimals = has_decimals(unit) ? DECIMALS : 0, kept = 0;
	bool digits = false;
	uint64_t v = 0;

	for (; i < n && isdigit((unsigned char)text[i]); i++) {
		digits = true;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, text[i] - '0', &v))
			return -ERANGE;
	}
	if (i < n && text[i] == '.')
		for (i++; i < n && isdigit((unsigned char)text[i]); i++) {
			digits = true;
			if (kept == decimals)
				continue;
			kept++;
			if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, text[i] - '0', &v))
				return -ERANGE;
		}
	if (i < n || !digits)
		return -EINVAL;
	for (; kept < decimals; kept++)
		if (__builtin_mul_overflow(v, 10, &v))
			return -ERANGE;
	*value = v;
	return 0;
}

static size_t put(char *to, enum ktally_unit unit, uint64_t v)
{
	size_t n;

	if (!has_decimals(unit))
		return (size_t)sprintf(to, "%" PRIu64, v);
	n = (size_t)sprintf(to, "%" PRIu64 ".%06u", v / STEPS, (unsigned int)(v % STEPS));
	while (to[n - 1] == '0')
		n--;
	return n - (to[n - 1] == '.');
}

char *series_text(const struct series *s)
{
	enum { LONGEST = 24 };	/* 20 digits, a point, a blank */
	char *text = malloc(s->n * LONGEST + 1), *at = text, *fits;

	for (size_t i = 0; text && i < s->n; i++) {
		if (i)
			*at++ = ' ';
		at += put(at, s->unit, s->values[i]);
	}
	if (!text)
		return NULL;
	*at = '\0';
	fits = realloc(text, (size_t)(at - text) + 1);
	return fits ? fits : text;
}

void series_free(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->at[i]->values);
		free(set->at[i]);
	}
	free(set->at);
	*set = (struct series_set){ .n = 0 };
}
