/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chart.h - what the two files of the SVG chart share.
 */
#ifndef KTALLY_OUT_CHART_H
#define KTALLY_OUT_CHART_H

#include "../lib/lanes.h"
#include "markup.h"
#include "picture.h"
#include "text.h"

enum {
	CHART_LEFT = 24, CHART_RIGHT = 24,
	CHART_BARS = 292,		/* where the bars begin */
	CHART_LANE = 18, CHART_BAR = 13,
	CHART_THIN_LANE = 9, CHART_THIN_BAR = 6,	/* kernel threads */
	CHART_HEADING = 30,
};
#define CHART_LETTER	6.3		/* mean width of a letter of 11 px */

struct chart {
	struct sink *s;
	const struct picture *p;
	double width, height, scale;	/* px; px per ns */
	struct picture_slice slices[PICTURE_SLICES];
	struct lanes lanes, kernel;
	size_t label;			/* letters for which a short bar's lane is kept free */
};

double chart_x(const struct chart *c, uint64_t t);
void chart_text(struct chart *c, double x, double y, const char *class, const char *text, size_t n);
/* As much of a text as fits into so many px, with a mark where it was cut; its length in dst, 0 = nothing. */
size_t chart_fit(const char *text, size_t n, double width, char *dst, size_t room);

int chart_bars_make(struct chart *c);	/* chart_bars.c; 0 or -ENOMEM */
double chart_bars_height(const struct chart *c);
void chart_bars_put(struct chart *c);
void chart_bars_free(struct chart *c);

#endif
