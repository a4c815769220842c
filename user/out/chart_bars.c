// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chart_bars.c - each process as a bar: as long as its life, filled from below as far
 * as it was on a CPU, then as far as it waited for one. A process that executes another
 * program begins a new piece of its bar.
 */
#include <stdio.h>
#include <string.h>

#include "chart.h"

enum { IO_LEAST = 65536, LANES_MANY = 260, MANY = 1500 };

static size_t command(const struct ktally_life *l, const struct ktally_image *im, char *dst,
		      size_t n)
{
	size_t len = markup_command(dst, n, l, im);

	return len < n ? len : n - 1;
}

/* The program people look for: without the path. */
static size_t label(const struct ktally_life *l, const struct ktally_image *im, char *dst, size_t n)
{
	size_t len = command(l, im, dst, n), word = strcspn(dst, " "), slash = 0;

	if (*dst == '\'')
		return len;
	for (size_t i = 0; i < word && i < len; i++)
		if (dst[i] == '/')
			slash = i + 1;
	if (slash >= len)
		return len;
	memmove(dst, dst + slash, len - slash + 1);
	return len - slash;
}

static uint64_t room_for_label(const struct lane_bar *bar, void *arg)
{
	const struct chart *c = arg;
	const struct ktally_life *l = bar->life;
	char text[1024];
	size_t n;

	if (!c->label || !l->n_images)
		return bar->to;
	n = label(l, &l->images[l->n_images - 1], text, sizeof(text));
	if (n > c->label)
		n = c->label;
	if ((double)(bar->to - bar->from) * c->scale >= (double)n * CHART_LETTER + 8)
		return bar->to;
	return bar->to + (uint64_t)(((double)n * CHART_LETTER + 10) / c->scale);
}

/* Labels beside short bars as long as the picture does not become too high for them. */
int chart_bars_make(struct chart *c)
{
	static const size_t letters[] = { 22, 12, 0 };
	struct lanes_options o = { .who = LANES_PROCESSES, .until = c->p->until, .arg = c,
				   .room = room_for_label };
	struct lanes_options kernel = { .who = LANES_KERNEL, .until = c->p->until };
	int ret = 0;

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]) && !ret; i++) {
		lanes_free(&c->lanes);
		c->label = letters[i];
		ret = lanes_make(&c->lanes, c->p->b, &o);
		if (c->lanes.lanes <= LANES_MANY)
			break;
	}
	return ret ? ret : lanes_make(&c->kernel, c->p->b, &kernel);
}

double chart_bars_height(const struct chart *c)
{
	return (double)c->lanes.lanes * CHART_LANE + CHART_HEADING +
	       (double)c->kernel.lanes * CHART_THIN_LANE;
}

/* ---- details ---- */

static void put_span(struct sink *s, const char *words, uint64_t ns)
{
	char span[32];

	text_span(span, sizeof(span), ns);
	markup_printf(s, "%s%s", words, span);
}

static bool knows(const struct ktally_life *l, enum ktally_usage bit)
{
	return l->use.known >> bit & 1;
}

static void put_use(struct sink *s, const struct ktally_life *l, uint64_t life)
{
	char bytes[32];

	if (knows(l, KTALLY_U_RUNTIME)) {
		put_span(s, "\nCPU ", l->use.runtime);
		if (life)
			markup_printf(s, " (%.0f%%)", 100.0 * (double)l->use.runtime / (double)life);
	}
	if (knows(l, KTALLY_U_RUN_DELAY) && l->use.run_delay)
		put_span(s, ", waited for a CPU ", l->use.run_delay);
	if (knows(l, KTALLY_U_PEAK_RSS) && text_bytes(bytes, sizeof(bytes), l->use.peak_rss))
		markup_printf(s, "\npeak %s", bytes);
	if (knows(l, KTALLY_U_READ_BYTES) && text_bytes(bytes, sizeof(bytes), l->use.read_bytes))
		markup_printf(s, ", read %s", bytes);
	if (knows(l, KTALLY_U_WRITE_BYTES) && text_bytes(bytes, sizeof(bytes), l->use.write_bytes))
		markup_printf(s, ", written %s", bytes);
}

static void put_end(struct sink *s, const struct ktally_life *l)
{
	char name[32];

	if (l->state != KTALLY_ENDED) {
		sink_puts(s, "\nran on");
	} else if (l->status & 0x7f) {
		text_signal(name, sizeof(name), (int)(l->status & 0x7f));
		markup_printf(s, "\nended by %s", name);
	} else {
		markup_printf(s, "\nexit status %u", (unsigned int)(l->status >> 8 & 0xff));
	}
}

static void put_title(struct chart *c, const struct lane_bar *bar)
{
	const struct ktally_life *l = bar->life;
	struct ktally_str unit = boot_unit_of(c->p->b, l);
	char text[2048];

	sink_puts(c->s, "<title>");
	for (size_t i = 0; i < l->n_images; i++) {
		if (i && l->images[i].begin > c->p->until)
			break;
		if (i)
			sink_puts(c->s, "\n\xe2\x86\x92 ");
		markup_put(c->s, text, command(l, &l->images[i], text, sizeof(text)));
	}
	markup_printf(c->s, "\nPID %u, parent %u, %.3f s + ", l->tgid, l->ppid, (double)l->start / 1e9);
	put_span(c->s, "", bar->to - bar->from);
	put_use(c->s, l, boot_life_end(c->p->b, l) - l->start);
	put_end(c->s, l);
	if (unit.len) {
		sink_puts(c->s, "\n");
		markup_put(c->s, unit.p, unit.len);
	}
	sink_puts(c->s, "</title>");
}

/* ---- bars ---- */

struct piece {
	double x, width, y, height;
	double cpu, delay;		/* shares of its time */
	bool io;
};

static void put_piece(struct chart *c, const struct piece *p)
{
	double cpu = p->cpu > 1 ? 1 : p->cpu, delay = cpu + p->delay > 1 ? 1 - cpu : p->delay;
	double width = p->width > 1.2 ? p->width - 0.4 : 0.8, bottom = p->y + p->height;

	markup_printf(c->s, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\"%s/>",
		      p->io ? "i" : "w", p->x, p->y, width, p->height, width > 4 ? " rx=\"2\"" : "");
	if (cpu * p->height >= 0.3)
		markup_printf(c->s, "<rect class=\"u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"%s/>", p->x,
			      bottom - cpu * p->height, width, cpu * p->height, width > 4 ? " rx=\"1.5\"" : "");
	if (delay * p->height >= 0.5)
		markup_printf(c->s, "<rect class=\"d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", p->x,
			      bottom - (cpu + delay) * p->height, width, delay * p->height);
}

static double delay_share(const struct boot *b, const struct ktally_life *l)
{
	uint64_t life = boot_life_end(b, l) - l->start;

	return life && knows(l, KTALLY_U_RUN_DELAY) ? (double)l->use.run_delay / (double)life : 0;
}

static void put_image(struct chart *c, const struct lane_bar *bar, size_t i, double y, double height)
{
	const struct ktally_life *l = bar->life;
	const struct ktally_image *im = &l->images[i];
	uint64_t from = i ? im->begin : bar->from, to = boot_image_end(c->p->b, l, i);
	struct piece p = { .y = y, .height = height };
	struct ktally_use use;

	if (from > c->p->until || to < from)
		return;
	ktally_image_use(l, i, &use);
	if (!use.known && l->n_images == 1)
		use = l->use;
	p.x = chart_x(c, from);
	p.width = chart_x(c, to) - p.x;
	if (to > from && use.known >> KTALLY_U_RUNTIME & 1)
		p.cpu = (double)use.runtime / (double)(to - from);
	p.delay = delay_share(c->p->b, l);
	p.io = use.read_bytes + use.write_bytes >= IO_LEAST;
	put_piece(c, &p);
}

static double room_beside(const struct chart *c, const struct lane_bar *bar)
{
	double label = (double)c->label * CHART_LETTER, left = c->width - chart_x(c, bar->to) - 6;

	return label < left ? label : left;
}

/* Within the piece if it fits, else beside the whole bar, where its lane was kept free. */
static void put_label(struct chart *c, const struct lane_bar *bar, size_t i, double y)
{
	const struct ktally_life *l = bar->life;
	uint64_t from = i ? l->images[i].begin : bar->from;
	double x = chart_x(c, from), end = chart_x(c, boot_image_end(c->p->b, l, i));
	char text[1024], cut[256];
	size_t n = label(l, &l->images[i], text, sizeof(text)), fits;
	bool last = i + 1 == l->n_images;

	fits = chart_fit(text, n, end - x - 7, cut, sizeof(cut));
	if (fits && (fits == n || !last || end - x > (double)c->label * CHART_LETTER))
		chart_text(c, x + 4, y + CHART_BAR - 3, "", cut, fits);
	else if (last && c->label && (fits = chart_fit(text, n, room_beside(c, bar), cut, sizeof(cut))))
		chart_text(c, chart_x(c, bar->to) + 3, y + CHART_BAR - 3, "halo", cut, fits);
}

static bool failed(const struct ktally_life *l)
{
	return l->state == KTALLY_ENDED && l->status;
}

static void put_bar(struct chart *c, const struct lane_bar *bar, double y, double height)
{
	const struct ktally_life *l = bar->life;

	markup_printf(c->s, "<g class=\"p%s%s\" id=\"p%u-%llu\">", picture_in_chain(c->p, l) ? " x" : "",
		      failed(l) ? " f" : "", l->tgid, (unsigned long long)l->start);
	put_title(c, bar);
	for (size_t i = 0; i < l->n_images; i++)
		put_image(c, bar, i, y, height);
	for (size_t i = 0; i < l->n_images && height > CHART_THIN_BAR; i++)
		if (i + 1 == l->n_images || l->images[i].end > l->images[i].begin)
			put_label(c, bar, i, y);
	sink_puts(c->s, "</g>\n");
}

/* From the parent's bar down to where the child begins. */
static void put_tie(struct chart *c, const struct lane_bar *bar)
{
	double x = chart_x(c, bar->from) + 0.5;

	if (bar->parent)
		markup_printf(c->s, "M%.1f %uV%u", x, CHART_BARS + bar->parent->lane * CHART_LANE + CHART_BAR,
			      CHART_BARS + bar->lane * CHART_LANE);
}

static void put_bars(struct chart *c, const struct lanes *l, double y, double lane, double height)
{
	for (size_t i = 0; i < l->n; i++)
		put_bar(c, &l->bars[i], y + (double)l->bars[i].lane * lane, height);
}

void chart_bars_put(struct chart *c)
{
	double y = CHART_BARS + (double)c->lanes.lanes * CHART_LANE;

	markup_printf(c->s, "<path class=\"tie\" stroke-opacity=\"%s\" d=\"M0 0", c->lanes.n > MANY ? ".3" : "1");
	for (size_t i = 0; i < c->lanes.n; i++)
		put_tie(c, &c->lanes.bars[i]);
	sink_puts(c->s, "\"/>\n");
	put_bars(c, &c->lanes, CHART_BARS, CHART_LANE, CHART_BAR);
	chart_text(c, CHART_LEFT, y + CHART_HEADING - 10, "m", "kernel threads", 14);
	y += CHART_HEADING;
	put_bars(c, &c->kernel, y, CHART_THIN_LANE, CHART_THIN_BAR);
}

void chart_bars_free(struct chart *c)
{
	lanes_free(&c->lanes);
	lanes_free(&c->kernel);
}
