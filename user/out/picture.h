/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - a boot made ready to be drawn: what the SVG chart and the HTML page have
 * in common. Nothing here prints errors; the sink keeps its own.
 */
#ifndef KTALLY_OUT_PICTURE_H
#define KTALLY_OUT_PICTURE_H

#include "../lib/chain.h"
#include "../lib/pace.h"
#include "sink.h"

struct picture {
	const struct boot *b;
	struct chain chain;
	struct pace pace;
	struct gaps gaps;
	uint64_t until;			/* where the axis ends */
	unsigned int cpus;
	size_t shown, later;		/* processes that began before until, and behind it */
	uint64_t lost;			/* records */
	double cpu_ns;			/* used up to the end */
	unsigned char *in_chain;	/* by place in b->lives */
};

enum { PICTURE_SLICES = 400 };

/* Of the whole axis in equal slices: 0 to 1 of all CPUs, bytes per second. */
struct picture_slice {
	double cpu, delay, read, write;
};

/* 0 or -ENOMEM. */
int picture_make(struct picture *p, const struct boot *b, uint64_t lost);
void picture_slices(const struct picture *p, struct picture_slice slices[PICTURE_SLICES]);
bool picture_in_chain(const struct picture *p, const struct ktally_life *l);
/* "10.43 s to multi-user.target", "Debian 6.1.0 · 412 processes · ...": text, not markup. */
size_t picture_title(const struct picture *p, char *dst, size_t n);
size_t picture_subtitle(const struct picture *p, char *dst, size_t n);
/* What a row of the chain is called; the length, without a cut, may be more than n. */
size_t picture_row_words(const struct chain_row *r, char *dst, size_t n);
void picture_free(struct picture *p);

int chart_write(struct sink *s, const struct picture *p);	/* SVG; out/chart.c. 0 or -ENOMEM */
int page_write(struct sink *s, const struct picture *p);	/* HTML; out/page.c. 0 or -ENOMEM */

#endif
