/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status/price.h - what the module's work costs by the figures of the bench, in instructions.
 */
#ifndef KTALLY_PRICE_H
#define KTALLY_PRICE_H

#include <stdint.h>

#include <linux/ktally.h>

struct price {
	uint64_t records, packets, instructions;
	const char *kernel;		/* on which the bench counted */
};

void price_of(const struct ktally_work *w, struct price *p);

#endif
