/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * muldiv.h - products of two 64-bit numbers that need 128 bits on the way. Compilers
 * for 32-bit machines have no such type, so it is done by words there.
 */
#ifndef KTALLY_MULDIV_H
#define KTALLY_MULDIV_H

#include <stdint.h>

/* The upper half of a * b; *low receives the lower one. */
static inline uint64_t mul_wide(uint64_t a, uint64_t b, uint64_t *low)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t first = al * bl, second = ah * bl + (first >> 32), third = al * bh + (uint32_t)second;

	*low = third << 32 | (uint32_t)first;
	return ah * bh + (second >> 32) + (third >> 32);
}

/* a * b / c by long division; the result must fit. */
static inline uint64_t mul_div_by_words(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t low, rest = mul_wide(a, b, &low), result = 0;

	if (!rest)
		return low / c;
	for (int bit = 63; bit >= 0; bit--) {
		uint64_t carry = rest >> 63;

		rest = rest << 1 | (low >> bit & 1);
		if (carry || rest >= c) {
			rest -= c;
			result |= 1ULL << bit;
		}
	}
	return result;
}

static inline uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((unsigned __int128)a * b / c);
#else
	return mul_div_by_words(a, b, c);
#endif
}

#endif
