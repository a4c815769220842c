/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkrec.h - readable text to a recording, for tests in C. What the text may hold:
 * mkrec --help.
 */
#ifndef MKREC_H
#define MKREC_H

#include <stddef.h>

/* Writes the recording to path. 0, or -1 with a line in error. */
int mkrec(const char *text, const char *path, char *error, size_t n);

#endif
