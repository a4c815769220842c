// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pattern.c - the size of a regular expression (POSIX, extended), without making it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"

static uint64_t at_most(uint64_t size)
{
	return size < PATTERN_SIZE_MAX ? size : PATTERN_SIZE_MAX;
}

/* Behind a class such as []a-z[:digit:]], whose first bracket closes nothing. */
static const char *behind_class(const char *p)
{
	p += *p == '^';
	p += *p == ']';
	while (*p && *p != ']') {
		const char close[] = { p[1], ']', '\0' };
		const char *named = *p == '[' && p[1] && strchr(":.=", p[1]) ? strstr(p + 2, close) : NULL;

		p = named ? named + 2 : p + 1;
	}
	return *p ? p + 1 : p;
}

/*
 * How often what stands in front of it is written. Without an end it is there once more,
 * and a way back leads from each copy to each other: as much as four times that.
 */
static uint64_t copies(const char **p)
{
	uint64_t least, most;
	bool open = false;
	char *end;

	switch (*(*p)++) {
	case '+':
		return 4;
	case '{':
		least = most = at_most(strtoul(*p, &end, 10));
		if (*end == ',') {
			open = end[1] == '}';
			most = at_most(strtoul(end + 1, &end, 10));
		}
		*p = *end ? end + 1 : end;
		return ((most > least ? most : least) + 1) * (open ? 4 : 1);
	default:
		return 1;
	}
}

static uint64_t size_of(const char **p)
{
	uint64_t sum = 0, one;

	while (**p && **p != ')') {
		char c = *(*p)++;

		one = 1;
		if (c == '(') {
			one += size_of(p);
			*p += **p == ')';
		} else if (c == '[') {
			*p = behind_class(*p);
		} else if (c == '\\') {
			*p += **p != '\0';
		}
		while (**p && strchr("*+?{", **p))
			one = at_most(one * copies(p));
		sum = at_most(sum + one);
	}
	return sum;
}

size_t pattern_size(const char *extended)
{
	uint64_t sum = size_of(&extended);

	while (*extended) {	/* closes what was not opened */
		extended++;
		sum = at_most(sum + size_of(&extended));
	}
	return (size_t)sum;
}
