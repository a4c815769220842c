// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * boxes.c - draws distributions: for each a box from the first to the third quartile
 * with the median in it, whiskers to the last values that are no outliers, outliers as
 * dots; then a histogram of each. One far value must not squeeze all others: the axis
 * ends twice as far out as outliers begin, and what lies beyond is counted there.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "boxes.h"
#include "lib/whole.h"
#include "markup.h"
#include "text.h"

enum {
	WIDTH = 860, LEFT = 190, RIGHT = 70, TOP = 44, ROW = 34, BOX = 18, HISTOGRAM = 92, BARS = 72, AXIS = 34,
	BINS = 80, TICKS = 8, DOTS = 200,
};

struct drawing {
	struct sink *s;
	const struct boxes *b;
	double low, high;		/* of the axis, in steps */
};

struct quartiles {
	double q1, median, q3, from, to;	/* beyond from and to lie outliers */
};

static struct quartiles quartiles_of(const struct drawing *d, const struct box *x)
{
	struct quartiles q = {
		.q1 = ktally_quantile(x->sorted, x->n, 0.25), .median = ktally_quantile(x->sorted, x->n, 0.5),
		.q3 = ktally_quantile(x->sorted, x->n, 0.75),
	};

	q.from = q.q1 - d->b->far * (q.q3 - q.q1);
	q.to = q.q3 + d->b->far * (q.q3 - q.q1);
	return q;
}

static void find_axis(struct drawing *d)
{
	d->low = INFINITY;
	d->high = 0;
	for (size_t i = 0; i < d->b->n; i++) {
		const struct box *x = &d->b->box[i];
		struct quartiles q = quartiles_of(d, x);
		double reach = 2 * d->b->far * (q.q3 - q.q1);

		d->low = fmin(d->low, fmax((double)x->sorted[0], q.q1 - reach));
		d->high = fmax(d->high, fmin((double)x->sorted[x->n - 1], q.q3 + reach));
	}
	/* All the same: it stands in the middle. */
	if (d->high <= d->low) {
		double half = d->low > 0 ? d->low / 10 : 1;

		d->low -= half;
		d->high += half;
	}
}

static double x_of(const struct drawing *d, double v)
{
	double part = (v - d->low) / (d->high - d->low);

	return LEFT + fmin(1, fmax(0, part)) * (WIDTH - LEFT - RIGHT);
}

/* ---- words ---- */

static void put_number(const struct drawing *d, char *to, size_t n, double steps)
{
	if (d->b->unit == KTALLY_NS)
		text_span(to, n, whole_of(steps));
	else if (d->b->unit == KTALLY_BYTES)
		text_bytes(to, n, whole_of(steps));
	else
		snprintf(to, n, "%.4g%s", steps * d->b->scale, d->b->unit == KTALLY_PERCENT ? " %" : "");
}

static void put_text(const struct drawing *d, double x, double y, const char *class, const char *text)
{
	markup_printf(d->s, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	markup_puts(d->s, text);
	sink_puts(d->s, "</text>\n");
}

/* What fits in front of the axis. */
static void put_label(const struct drawing *d, double y, const char *label)
{
	char cut[128];
	size_t n = text_fit(label, strlen(label), 28);

	snprintf(cut, sizeof(cut), "%.*s%s", (int)n, label, label[n] ? text_glyphs()->cut : "");
	put_text(d, LEFT - 10, y, "e", cut);
}

/* ---- parts ---- */

/* Where the axis has lines, and how their numbers are written. */
struct ticks {
	double unit, step;		/* steps of the series in a unit; units from line to line */
	char name[8];			/* of the unit */
	int decimals;
};

/* The largest unit that is not more than the axis' end. */
static void choose_unit(const struct drawing *d, struct ticks *t)
{
	char micro[8];
	const struct { enum ktally_unit of; double each; const char *names[6]; } rows[] = {
		{ KTALLY_NS, 1000, { " ns", micro, " ms", " s" } },
		{ KTALLY_BYTES, 1024, { "", "K", "M", "G", "T" } },
		{ KTALLY_PERCENT, 1, { " %" } },
		{ KTALLY_NONE, 1, { "" } },
	}, *row = rows;
	size_t i = 0;

	snprintf(micro, sizeof(micro), " %ss", text_glyphs()->micro);
	while (row->of != d->b->unit && row->of != KTALLY_NONE)
		row++;
	for (t->unit = 1 / d->b->scale; row->names[i + 1] && d->high >= t->unit * row->each; i++)
		t->unit *= row->each;
	snprintf(t->name, sizeof(t->name), "%s", row->names[i]);
}

/* 1, 2 or 5 times a power of ten, so that no two lines have the same number. */
static struct ticks ticks_of(const struct drawing *d)
{
	struct ticks t;
	double rough, power;

	choose_unit(d, &t);
	rough = (d->high - d->low) / TICKS / t.unit;
	power = pow(10, floor(log10(rough)));
	t.step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
	t.decimals = (int)fmax(0, -floor(log10(t.step) + 1e-9));
	return t;
}

static void put_axis(const struct drawing *d, double top, double bottom)
{
	struct ticks t = ticks_of(d);
	char text[64];

	for (double k = ceil(d->low / t.unit / t.step); k * t.step * t.unit <= d->high; k++) {
		double x = x_of(d, k * t.step * t.unit);

		markup_printf(d->s, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" class=\"g\"/>\n", x, x, top, bottom);
		snprintf(text, sizeof(text), "%.*f%s", t.decimals, k * t.step, t.name);
		put_text(d, x, bottom + 16, "m", text);
	}
}

static void put_dots(const struct drawing *d, const struct box *x, const struct quartiles *q, double y)
{
	size_t far = 0, dots = 0;
	char text[64], most[32];

	for (size_t i = 0; i < x->n; i++) {
		double v = (double)x->sorted[i];

		if (v >= q->from && v <= q->to)
			continue;
		far += v > d->high;
		if (v >= d->low && v <= d->high && dots++ < DOTS)
			markup_printf(d->s, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" class=\"o\"/>\n", x_of(d, v), y);
	}
	if (!far)
		return;
	put_number(d, most, sizeof(most), (double)x->sorted[x->n - 1]);
	snprintf(text, sizeof(text), "+%zu, to %s", far, most);
	put_text(d, WIDTH - RIGHT + 4, y - BOX / 2 - 1, "f", text);
}

static void put_box(const struct drawing *d, const struct box *x, double top)
{
	struct quartiles q = quartiles_of(d, x);
	double y = top + ROW / 2, low = q.q1, high = q.q3;

	for (size_t i = 0; i < x->n; i++) {
		double v = (double)x->sorted[i];

		if (v >= q.from && v <= q.to) {
			low = fmin(low, v);
			high = fmax(high, v);
		}
	}
	put_label(d, y + 4, x->label);
	markup_printf(d->s, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" class=\"w\"/>\n",
		      x_of(d, low), x_of(d, high), y, y);
	markup_printf(d->s, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"b c%zu\"/>\n", x_of(d, q.q1),
		      y - BOX / 2, fmax(1, x_of(d, q.q3) - x_of(d, q.q1)), BOX, (size_t)(x - d->b->box) % 4);
	markup_printf(d->s, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" class=\"k\"/>\n",
		      x_of(d, q.median), x_of(d, q.median), y - BOX / 2, y + BOX / 2);
	put_dots(d, x, &q, y);
}

static void put_histogram(const struct drawing *d, const struct box *x, double top)
{
	size_t bins[BINS] = { 0 }, most = 1;
	double width = (WIDTH - LEFT - RIGHT) / (double)BINS;
	char text[64];

	for (size_t i = 0; i < x->n; i++) {
		double part = ((double)x->sorted[i] - d->low) / (d->high - d->low);
		size_t bin;

		if (!(part >= 0 && part <= 1))
			continue;
		bin = part < 1 ? (size_t)(part * BINS) : BINS - 1;
		if (++bins[bin] > most)
			most = bins[bin];
	}
	for (size_t i = 0; i < BINS; i++) {
		double height = BARS * (double)bins[i] / (double)most;

		if (bins[i])
			markup_printf(d->s, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"h c%zu\"/>\n",
				      LEFT + width * (double)i, top + HISTOGRAM - 8 - height, width - 0.5, height,
				      (size_t)(x - d->b->box) % 4);
	}
	put_label(d, top + HISTOGRAM - 26, x->label);
	snprintf(text, sizeof(text), "%zu values, %zu at most", x->n, most);
	put_text(d, LEFT - 10, top + HISTOGRAM - 11, "s", text);
}

void boxes_write(struct sink *s, const struct boxes *b)
{
	struct drawing d = { .s = s, .b = b };
	double boxes = TOP + (double)b->n * ROW, bottom = boxes + AXIS + (double)b->n * HISTOGRAM;

	find_axis(&d);
	markup_printf(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n",
		      WIDTH, bottom + AXIS, WIDTH, bottom + AXIS);
	sink_puts(s, "<style>.t{font-size:15px;font-weight:bold}.e{text-anchor:end}.s{text-anchor:end;fill:#777;font-size:10px}"
		  ".m{text-anchor:middle;fill:#555;font-size:11px}.f{fill:#a33;font-size:10px;text-anchor:end}.g{stroke:#ddd}.w{stroke:#333}"
		  ".b{stroke:#333}.k{stroke:#000;stroke-width:2.5}.o{fill:#a33}"
		  ".c0{fill:#7fa8d0}.c1{fill:#e0a070}.c2{fill:#8fc08f}.c3{fill:#b8a0d0}</style>\n"
		  "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	put_text(&d, 20, 24, "t", b->title);
	put_axis(&d, TOP, boxes);
	for (size_t i = 0; i < b->n; i++)
		put_box(&d, &b->box[i], TOP + (double)i * ROW);
	put_axis(&d, boxes + AXIS, bottom);
	for (size_t i = 0; i < b->n; i++)
		put_histogram(&d, &b->box[i], boxes + AXIS + (double)i * HISTOGRAM);
	sink_puts(s, "</svg>\n");
}
