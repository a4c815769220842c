/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - reads JSON as it is written: each value is given with the place it has, and
 * nothing is kept. Strict: what RFC 8259 does not allow is refused. Memory only.
 */
#ifndef KTALLY_JSON_H
#define KTALLY_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT };
enum { JSON_DEPTH = 16, JSON_KEY = 64 };

struct json_place {
	size_t depth;			/* of what follows, the outermost first: */
	bool in_array[JSON_DEPTH];
	size_t index[JSON_DEPTH];	/* in an array, */
	char key[JSON_DEPTH][JSON_KEY];	/* in an object; cut where it is longer */
};

struct json_value {
	enum json_kind kind;
	const char *text;		/* of a text, or the digits of a number; not NUL-terminated */
	size_t len;
};

/* Asked for each value that is neither array nor object; what is not 0 ends the reading and is returned. */
typedef int json_visit(void *arg, const struct json_place *place, const struct json_value *v);

/* 0, visit()'s answer, -EBADMSG with *wrong the place of the byte that is wrong, or -ENOMEM. */
int json_walk(const char *text, size_t n, json_visit *visit, void *arg, size_t *wrong);

#endif
