// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * error.c - the one line a handle keeps about its last failure. Control bytes of
 * paths and names are made visible, so that the line can go to a terminal.
 */
#include <stdio.h>

#include "error.h"

static void make_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

int error_set(struct error *e, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	make_printable(e->text);
	return code;
}

const char *error_text(const struct error *e)
{
	return e ? e->text : "out of memory";
}
