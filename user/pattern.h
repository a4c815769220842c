/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h - how large a regular expression is when its repetitions are written out, as
 * regcomp(3) does: "((a{99}){99}){99}" takes gigabytes before anything is compared.
 */
#ifndef KTALLY_PATTERN_H
#define KTALLY_PATTERN_H

#include <stddef.h>

enum { PATTERN_SIZE_MAX = 4096 };

/* In characters, classes and groups; beyond PATTERN_SIZE_MAX that, whatever it is. */
size_t pattern_size(const char *extended);

#endif
