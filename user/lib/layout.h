/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * layout.h - what this library knows of each kind's fields, made from the lists of
 * linux/ktally.h: name, place in the host struct, size.
 */
#ifndef KTALLY_LAYOUT_H
#define KTALLY_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct layout_field {
	const char *name;
	uint16_t offset, size;		/* in struct ktally_<kind>, common fields included */
	uint16_t element;		/* size of one element; 0: a string (__data_loc) */
};

struct layout {
	const char *name;		/* of the kind */
	const struct layout_field *fields;
	unsigned int n_fields;
	uint16_t size;			/* of struct ktally_<kind> */
};

const struct layout *layout_of(uint32_t kind);	/* NULL if unknown */

#endif
