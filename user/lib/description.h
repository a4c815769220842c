/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * description.h - is this text a description that libtraceevent can be given? Its
 * parser was written for the kernel's own text and crashes on other; descriptions
 * here come out of files.
 */
#ifndef KTALLY_DESCRIPTION_H
#define KTALLY_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

#define DESCRIPTION_MAX	((size_t)64 << 10)	/* the longest is below 5 KiB today */

struct description_facts {
	int id;
	size_t print_at;		/* where "print fmt:" begins */
	bool printable;			/* the print format is of the known form */
};

/* False: not of the form, or a field lies beyond the longest record. */
bool description_check(const char *text, size_t len, struct description_facts *d);

#endif
