/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * error.h - the one line a handle keeps about its last failure: what, why, what
 * to do. Every handle embeds one; nothing is printed here.
 */
#ifndef KTALLY_ERROR_H
#define KTALLY_ERROR_H

#include <stdarg.h>

struct error {
	char text[320];
};

/* Keeps the line and returns code, so that a failure is one statement. */
int error_set(struct error *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
const char *error_text(const struct error *e);	/* e NULL: memory ran out */

#endif
