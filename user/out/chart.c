// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chart.c - a boot as an SVG: phases, CPU and disk over time, what the end waited for,
 * and each process once, as a bar below its parent's. No scripts: it zooms and prints
 * as any picture does, details are titles, dark is a style sheet's affair.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"

static const char style[] =
	"svg{font:11px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;background:#fff}"
	"text{fill:#24292f}.h1{font-size:19px;font-weight:600}.h2{fill:#66707b;font-size:12px}"
	".m{fill:#66707b}.s{fill:#66707b;font-size:10px}.halo{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}.r{text-anchor:end}.c{text-anchor:middle}"
	".bg{fill:#fff}.grid{stroke:#eceff3}.axis{stroke:#c9d1d9}.tie{stroke:#cfd6de;fill:none}"
	".k0{fill:#e4e8ed}.k1{fill:#cfe3d6}.k2{fill:#cfdcf3}.lane{fill:#f6f8fa}"
	".w{fill:#dde4ec}.i{fill:#f6d7b0}.d{fill:#c9b8ea}.u{fill:#4c84d8}"
	".cpu{fill:#4c84d8;fill-opacity:.85}.del{fill:#c9b8ea}.rd{fill:#e39a3b}.wr{fill:#b86e12}"
	".gap{fill:#8a94a0;fill-opacity:.10}.end{stroke:#c2255c;stroke-width:1.5}.mark{stroke:#2b8a3e;stroke-dasharray:3 3}"
	".endt{fill:#c2255c;font-weight:600}.markt{fill:#2b8a3e}"
	".ch rect{fill:#fbe3ec;stroke:#c2255c;stroke-width:.8}.ch .many{fill:#f7d3e0}.ch .idle{fill:#f3f5f7;stroke:#c9d1d9}.ch .idlet{fill:#66707b}.ch text{fill:#8a1742}"
	".x .w,.x .i{stroke:#c2255c;stroke-width:1.2}.p:hover .w,.p:hover .i{stroke:#24292f;stroke-width:1.2}"
	".f text{fill:#b42318}"
	"@media(prefers-color-scheme:dark){svg{background:#14181d}text{fill:#dfe4ea}.h2,.m,.s{fill:#929ca8}"
	".halo{stroke:#14181d}.bg{fill:#14181d}.grid{stroke:#20262d}.axis{stroke:#39424d}.tie{stroke:#333c46}"
	".k0{fill:#262c34}.k1{fill:#1f3a2a}.k2{fill:#213556}.lane{fill:#191e24}"
	".w{fill:#2c3540}.i{fill:#5b4526}.d{fill:#5a4b80}.u{fill:#5a94ea}.cpu{fill:#5a94ea}.del{fill:#5a4b80}"
	".rd{fill:#e0a04d}.wr{fill:#b9762a}.gap{fill:#aab4c0;fill-opacity:.07}.end{stroke:#ff6b9d}.endt{fill:#ff6b9d}"
	".mark{stroke:#69db7c}.markt{fill:#69db7c}.ch rect{fill:#3b1d2a;stroke:#ff6b9d}.ch .many{fill:#512437}.ch .idle{fill:#1d232a;stroke:#39424d}"
	".ch .idlet{fill:#929ca8}.ch text{fill:#ffc2d6}.x .w,.x .i{stroke:#ff6b9d}.p:hover .w,.p:hover .i{stroke:#fff}.f text{fill:#ff8f85}}";

double chart_x(const struct chart *c, uint64_t t)
{
	if (t > c->p->until)
		t = c->p->until;
	return CHART_LEFT + (double)t * c->scale;
}

void chart_text(struct chart *c, double x, double y, const char *class, const char *text, size_t n)
{
	markup_printf(c->s, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	markup_put(c->s, text, n);
	sink_puts(c->s, "</text>\n");
}

size_t chart_fit(const char *text, size_t n, double width, char *dst, size_t room)
{
	size_t columns = width > 0 ? (size_t)(width / CHART_LETTER) : 0, keep;

	if (text_width(text, n) <= columns && n < room) {
		memcpy(dst, text, n);
		return n;
	}
	if (columns < 3)
		return 0;
	keep = text_fit(text, n, columns - 1);
	if (keep + 4 > room)
		keep = room - 4;
	memcpy(dst, text, keep);
	memcpy(dst + keep, "\xe2\x80\xa6", 3);
	return keep + 3;
}

/* ---- head ---- */

static void put_legend(struct chart *c, double y)
{
	static const struct { const char *class, *words; double width; } items[] = {
		{ "u", "on a CPU", 66 }, { "d", "waiting for a CPU", 112 }, { "w", "waiting", 62 },
		{ "i", "waiting, used the disk", 132 },
	};
	double x = CHART_LEFT;

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		markup_printf(c->s, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" rx=\"2\" class=\"%s\"/>",
			      x, y - 9.5, items[i].class);
		chart_text(c, x + 16, y, "m", items[i].words, strlen(items[i].words));
		x += 28 + items[i].width;
	}
	markup_printf(c->s, "<g class=\"ch\"><rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" rx=\"2\"/></g>", x, y - 9.5);
	chart_text(c, x + 16, y, "m", "what the end waited for", 23);
}

static void put_head(struct chart *c)
{
	char text[1024];
	size_t n;

	markup_printf(c->s, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
		      c->width, c->height, c->width, c->height);
	n = picture_title(c->p, text, sizeof(text));
	markup_put(c->s, text, n);
	sink_puts(c->s, "</title>\n<style>");
	sink_puts(c->s, style);
	sink_puts(c->s, "</style>\n<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
	chart_text(c, CHART_LEFT, 36, "h1", text, n);
	n = picture_subtitle(c->p, text, sizeof(text));
	chart_text(c, CHART_LEFT, 56, "h2", text, n);
	put_legend(c, 80);
}

/* ---- axis ---- */

static double tick_step(const struct chart *c)
{
	static const double steps[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600 };
	size_t i = 0, last = sizeof(steps) / sizeof(steps[0]) - 1;

	while (i < last && steps[i] * 1e9 * c->scale < 70)
		i++;
	return steps[i];
}

static void put_axis(struct chart *c, double y, double bottom)
{
	double step = tick_step(c);
	char text[32];

	for (int i = 0; i * step * 1e9 <= (double)c->p->until; i++) {
		double x = CHART_LEFT + i * step * 1e9 * c->scale;
		int n = snprintf(text, sizeof(text), step < 1 ? "%.*f s" : "%.*f s",
				 step < 0.1 ? 2 : step < 1 ? 1 : 0, i * step);

		markup_printf(c->s, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, y, bottom);
		chart_text(c, x, y - 5, i ? "s c" : "s", text, (size_t)n);
	}
}

static void put_phases(struct chart *c, double y)
{
	for (int k = 0; k < BOOT_PHASES; k++) {
		const struct boot_phase *ph = &c->p->b->phases[k];
		double x = chart_x(c, ph->from), width = chart_x(c, ph->to) - x;
		char words[96], span[32], cut[128];
		size_t n;

		if (!ph->there)
			continue;
		text_span(span, sizeof(span), ph->to - ph->from);
		n = (size_t)snprintf(words, sizeof(words), "%s  %s%s", boot_phase_name((enum boot_phase_kind)k), span,
				     k == BOOT_KERNEL ? "  (before the module: not recorded)" : "");
		if (width < (double)n * CHART_LETTER + 12)
			n = (size_t)snprintf(words, sizeof(words), "%s  %s", boot_phase_name((enum boot_phase_kind)k), span);
		markup_printf(c->s, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"20\" rx=\"3\" class=\"k%d\"/>",
			      x, y, width > 1 ? width - 1 : 1.0, k);
		n = chart_fit(words, n, width - 10, cut, sizeof(cut));
		chart_text(c, x + 7, y + 14, "", cut, n);
	}
}

/* ---- curves ---- */

static double cpu_of(const struct picture_slice *s)
{
	return s->cpu < 1 ? s->cpu : 1;
}

/* CPU and what waited for one share the height: together they may be more than all CPUs. */
static double delayed_of(const struct picture_slice *s)
{
	double all = cpu_of(s) + s->delay / 2;

	return all < 1 ? all : 1;
}

static double read_of(const struct picture_slice *s)
{
	return s->read;
}

static double disk_of(const struct picture_slice *s)
{
	return s->read + s->write;
}

static void put_curve(struct chart *c, const char *class, double y, double height, double full,
		      double (*of)(const struct picture_slice *s))
{
	double ns = (double)c->p->until / PICTURE_SLICES;

	markup_printf(c->s, "<path class=\"%s\" d=\"M%.1f %.1f", class, (double)CHART_LEFT, y + height);
	for (int i = 0; i < PICTURE_SLICES; i++) {
		double v = full > 0 ? of(&c->slices[i]) / full : 0;

		markup_printf(c->s, "V%.1fH%.1f", y + height - v * height, CHART_LEFT + ns * (i + 1) * c->scale);
	}
	markup_printf(c->s, "V%.1fz\"/>\n", y + height);
}

static double highest(const struct chart *c, double (*of)(const struct picture_slice *s))
{
	double most = 0;

	for (int i = 0; i < PICTURE_SLICES; i++)
		if (of(&c->slices[i]) > most)
			most = of(&c->slices[i]);
	return most;
}

static void put_curves(struct chart *c, double y)
{
	double disk = highest(c, disk_of), width = c->width - CHART_LEFT - CHART_RIGHT;
	char text[64], bytes[32];
	int n;

	markup_printf(c->s, "<rect class=\"lane\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"56\"/>", CHART_LEFT, y, width);
	put_curve(c, "del", y, 56, 1, delayed_of);
	put_curve(c, "cpu", y, 56, 1, cpu_of);
	n = snprintf(text, sizeof(text), "CPU, %u = full height; above it: waiting for one", c->p->cpus);
	chart_text(c, CHART_LEFT + 5, y + 13, "s halo", text, (size_t)n);
	y += 62;
	markup_printf(c->s, "<rect class=\"lane\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"32\"/>", CHART_LEFT, y, width);
	put_curve(c, "wr", y, 32, disk, disk_of);
	put_curve(c, "rd", y, 32, disk, read_of);
	text_bytes(bytes, sizeof(bytes), (uint64_t)disk);
	n = snprintf(text, sizeof(text), "disk, read and written; at most %sB/s", bytes);
	chart_text(c, CHART_LEFT + 5, y + 13, "s halo", text, (size_t)n);
}

/* ---- what the end waited for ---- */

static void put_row(struct chart *c, const struct chain_row *r, double y)
{
	double x = chart_x(c, r->from), width = chart_x(c, r->to) - x;
	char words[2048], cut[512], span[32];
	bool idle = r->link->kind != CHAIN_PROCESS;
	size_t n = picture_row_words(r, words, sizeof(words));

	if (n >= sizeof(words))
		n = sizeof(words) - 1;
	text_span(span, sizeof(span), r->to - r->from);
	sink_puts(c->s, "<g><title>");
	markup_put(c->s, words, n);
	markup_printf(c->s, "\n%.3f s + %s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"20\" rx=\"2\"%s/>",
		      (double)r->from / 1e9, span, x, y, width > 1.5 ? width - 1 : 0.5,
		      idle ? " class=\"idle\"" : r->links > 1 ? " class=\"many\"" : "");
	n = chart_fit(words, n, width - 8, cut, sizeof(cut));
	if (n)
		chart_text(c, x + 4, y + 14, idle ? "idlet" : "", cut, n);
	sink_puts(c->s, "</g>\n");
}

/* Steps too narrow to be seen are drawn as one. */
static int put_chain(struct chart *c, double y)
{
	struct chain_row *rows = calloc(c->p->chain.n + 1, sizeof(*rows));
	size_t n = rows ? chain_fold(&c->p->chain, (uint64_t)(6 / c->scale), rows) : 0;

	sink_puts(c->s, "<g class=\"ch\">\n");
	for (size_t i = 0; i < n; i++)
		put_row(c, &rows[i], y);
	sink_puts(c->s, "</g>\n");
	free(rows);
	return rows ? 0 : -ENOMEM;
}

/* ---- points in time ---- */

static void put_points(struct chart *c, double y, double bottom)
{
	const struct boot *b = c->p->b;
	double free_from = 0;

	for (size_t i = 0; i < b->n_marks; i++) {
		const struct boot_mark *m = &b->marks[i];
		double x = chart_x(c, m->time);
		char cut[128];
		size_t n = chart_fit(m->text, strlen(m->text), 160, cut, sizeof(cut));

		if (m->time > c->p->until || m->time == b->end.time)
			continue;
		markup_printf(c->s, "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/>", x, y, bottom);
		if (x > free_from)
			chart_text(c, x + 4, y + 10, "markt halo", cut, n);
		free_from = x + (double)n * CHART_LETTER + 8;
	}
	markup_printf(c->s, "<path class=\"end\" d=\"M%.1f %.1fV%.1f\"/>", chart_x(c, b->end.time), y, bottom);
	chart_text(c, chart_x(c, b->end.time) - 5, y + 10, "endt r halo", b->end.name, strlen(b->end.name));
}

static void put_gaps(struct chart *c, double y, double bottom)
{
	for (size_t i = 0; i < c->p->gaps.n; i++) {
		const struct gap *g = &c->p->gaps.all[i];
		double x = chart_x(c, g->from);
		char span[32];

		text_span(span, sizeof(span), g->to - g->from);
		markup_printf(c->s, "<rect class=\"gap\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>idle for %s</title></rect>\n",
			      x, y, chart_x(c, g->to) - x, bottom - y, span);
	}
}

int chart_write(struct sink *s, const struct picture *p)
{
	struct chart *c = calloc(1, sizeof(*c));
	int ret = c ? 0 : -ENOMEM;
	double bottom;

	if (ret)
		return ret;
	c->s = s;
	c->p = p;
	c->width = 1440;
	if ((double)p->until / 1e9 * 30 > c->width)
		c->width = (double)p->until / 1e9 * 30;
	c->scale = (c->width - CHART_LEFT - CHART_RIGHT) / (double)(p->until ? p->until : 1);
	picture_slices(p, c->slices);
	ret = chart_bars_make(c);
	if (!ret) {
		bottom = CHART_BARS + chart_bars_height(c);
		c->height = bottom + 24;
		put_head(c);
		put_phases(c, 96);
		put_curves(c, 124);
		ret = put_chain(c, 228);
		put_axis(c, 270, bottom);
		put_gaps(c, 270, bottom);
		chart_bars_put(c);
		put_points(c, 272, bottom);
		sink_puts(s, "</svg>\n");
	}
	chart_bars_free(c);
	free(c);
	return ret;
}
