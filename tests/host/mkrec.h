/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkrec.h - readable text to a recording, for tests in C. What the text may hold:
 * mkrec --help.
 */
#ifndef MKREC_H
#define MKREC_H

#include <stddef.h>
#include <stdio.h>

/* Writes the recording to path. 0, or -1 with a line in error. */
int mkrec(const char *text, const char *path, char *error, size_t n);
/* The same of any length: a line is forgotten when its record is written. */
int mkrec_lines(FILE *text, const char *path, char *error, size_t n);

#endif
