/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lacks.h - what a kernel cannot give, and what ktally does instead.
 */
#ifndef KTALLY_LACKS_H
#define KTALLY_LACKS_H

#include <stdint.h>

struct lack {
	uint64_t cured;		/* KTALLY_FEAT_*: any of them cures it */
	uint64_t within;	/* or 0: no lack of its own without this one */
	const char *what;
	const char *instead;	/* NULL: nothing, it is shown as unknown */
};

/* The first behind AFTER, or behind none, that the features do not cure; NULL: no more. */
const struct lack *lacks_next(const struct lack *after, uint64_t features);

#endif
