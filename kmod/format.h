/* SPDX-License-Identifier: GPL-2.0-only */
/* format.h - descriptions of the kinds, in the grammar libtraceevent parses. */
#ifndef KTALLY_FORMAT_H
#define KTALLY_FORMAT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stddef.h>
#endif

#define KT_FORMAT_MAX	8192	/* no description is longer */

/*
 * Writes the description of a kind, not NUL-terminated, and returns its length;
 * a value above `size` means it was cut. 0: there is no such kind.
 */
size_t kt_format(unsigned int kind, char *buf, size_t size);

#endif
