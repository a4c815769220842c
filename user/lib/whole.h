/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * whole.h - doubles as the nearest whole number that 64 bits can hold.
 */
#ifndef KTALLY_WHOLE_H
#define KTALLY_WHOLE_H

#include <stdint.h>

/* Neither negative nor no number at all: 0 for these. */
static inline uint64_t whole_of(double d)
{
	if (!(d > 0))
		return 0;
	return d < 0x1p64 ? (uint64_t)(d + 0.5) : UINT64_MAX;
}

#endif
