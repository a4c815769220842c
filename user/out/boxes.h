/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boxes.h - distributions as an SVG picture: box plots below each other on one axis,
 * and histograms on the same axis below them. Memory only, but for the sink.
 */
#ifndef KTALLY_OUT_BOXES_H
#define KTALLY_OUT_BOXES_H

#include "../lib/ktally.h"
#include "sink.h"

struct box {
	const char *label;
	const uint64_t *sorted;
	size_t n;			/* at least 1 */
};

struct boxes {
	const char *title;
	enum ktally_unit unit;
	double scale;			/* what one step of a value is worth */
	double far;			/* outliers lie so many interquartile ranges beyond the quartiles */
	const struct box *box;
	size_t n;
};

void boxes_write(struct sink *s, const struct boxes *b);

#endif
