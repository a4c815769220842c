// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page.c - a boot as one HTML page that needs nothing else: page.html, which is built
 * into the program, with the boot's data put in as JSON. Nothing of a process becomes
 * markup or script: the page makes text of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/lanes.h"
#include "markup.h"
#include "picture.h"
#include "text.h"

__asm__(".section .rodata\n"
	".global page_template\n"
	"page_template: .incbin \"" PAGE_HTML "\"\n"
	".byte 0\n"
	".previous\n");
extern const char page_template[];

enum row_flags { ROW_KERNEL = 1, ROW_CHAIN = 2, ROW_BAD = 4, ROW_RAN_ON = 8 };

struct page {
	struct sink *s;
	const struct picture *p;
	struct lanes processes, kernel;	/* for the order of the tree */
	char text[16384];
};

static void put_text(struct page *g, size_t (*make)(const struct picture *p, char *dst, size_t n))
{
	size_t n = make(g->p, g->text, sizeof(g->text));

	markup_json(g->s, g->text, n < sizeof(g->text) ? n : sizeof(g->text) - 1);
}

static void put_us(struct page *g, uint64_t ns)
{
	sink_u64(g->s, (ns + 500) / 1000);
}

static void put_known(struct page *g, const struct ktally_life *l, enum ktally_usage bit, uint64_t v)
{
	sink_char(g->s, ',');
	if (l->use.known >> bit & 1)
		sink_u64(g->s, v);
	else
		sink_puts(g->s, "null");
}

/* ---- the machine ---- */

static void put_phases(struct page *g)
{
	bool more = false;

	sink_puts(g->s, ",\n\"phases\":[");
	for (int k = 0; k < BOOT_PHASES; k++) {
		const struct boot_phase *ph = &g->p->b->phases[k];

		if (!ph->there)
			continue;
		markup_printf(g->s, "%s[\"%s\",%.0f,%.0f,%d]", more ? "," : "", boot_phase_name((enum boot_phase_kind)k),
			      (double)ph->from / 1e3, (double)ph->to / 1e3, k);
		more = true;
	}
	sink_puts(g->s, "]");
}

static void put_marks(struct page *g)
{
	const struct boot *b = g->p->b;
	bool more = false;

	sink_puts(g->s, ",\n\"marks\":[");
	for (size_t i = 0; i < b->n_marks; i++) {
		if (b->marks[i].time > g->p->until)
			continue;
		sink_puts(g->s, more ? ",[" : "[");
		put_us(g, b->marks[i].time);
		sink_char(g->s, ',');
		markup_json(g->s, b->marks[i].text, strlen(b->marks[i].text));
		sink_char(g->s, ']');
		more = true;
	}
	sink_puts(g->s, "]");
}

static void put_slices(struct page *g)
{
	struct picture_slice slices[PICTURE_SLICES];

	picture_slices(g->p, slices);
	sink_puts(g->s, ",\n\"slices\":[");
	for (int i = 0; i < PICTURE_SLICES; i++)
		markup_printf(g->s, "%s[%.3f,%.3f,%.0f,%.0f]", i ? "," : "", slices[i].cpu, slices[i].delay,
			      slices[i].read, slices[i].write);
	sink_puts(g->s, "]");
}

static int put_chain(struct page *g)
{
	struct chain_row *rows = calloc(g->p->chain.n + 1, sizeof(*rows));
	size_t n = rows ? chain_fold(&g->p->chain, g->p->until / 250, rows) : 0;

	sink_puts(g->s, ",\n\"chain\":[");
	for (size_t i = 0; i < n; i++) {
		size_t len = picture_row_words(&rows[i], g->text, 512);

		markup_printf(g->s, "%s[%.0f,%.0f,%d,", i ? "," : "", (double)rows[i].from / 1e3,
			      (double)rows[i].to / 1e3, rows[i].link->kind == CHAIN_PROCESS);
		markup_json(g->s, g->text, len < 512 ? len : 511);
		sink_char(g->s, ']');
	}
	sink_puts(g->s, "]");
	free(rows);
	return rows ? 0 : -ENOMEM;
}

/* ---- processes ---- */

static void put_command(struct page *g, const struct ktally_life *l, const struct ktally_image *im)
{
	size_t n = markup_command(g->text, sizeof(g->text), l, im);

	markup_json(g->s, g->text, n < sizeof(g->text) ? n : sizeof(g->text) - 1);
}

static void put_exit(struct page *g, const struct ktally_life *l)
{
	char name[32];

	if (l->state != KTALLY_ENDED) {
		sink_puts(g->s, ",null");
	} else if (l->status & 0x7f) {
		text_signal(name, sizeof(name), (int)(l->status & 0x7f));
		markup_printf(g->s, ",\"%s\"", name);
	} else {
		markup_printf(g->s, ",%u", (unsigned int)(l->status >> 8 & 0xff));
	}
}

/* The first program, then those it executed. */
static void put_images(struct page *g, const struct ktally_life *l)
{
	bool more = false;

	put_command(g, l, l->n_images ? &l->images[l->n_images - 1] : NULL);
	sink_puts(g->s, ",[");
	for (size_t i = 0; l->n_images > 2 && i < l->n_images; i++) {
		if (!l->images[i].has_exec)
			continue;
		sink_puts(g->s, more ? ",[" : "[");
		put_us(g, l->images[i].begin);
		sink_char(g->s, ',');
		put_command(g, l, &l->images[i]);
		sink_char(g->s, ']');
		more = true;
	}
	sink_puts(g->s, "]]");
}

static unsigned int flags_of(const struct page *g, const struct ktally_life *l)
{
	return (l->kthread ? ROW_KERNEL : 0) | (picture_in_chain(g->p, l) ? ROW_CHAIN : 0) |
	       (l->state == KTALLY_ENDED && l->status ? ROW_BAD : 0) |
	       (l->state != KTALLY_ENDED ? ROW_RAN_ON : 0);
}

static void put_row(struct page *g, const struct lane_bar *bar, unsigned int depth)
{
	const struct ktally_life *l = bar->life;
	struct ktally_str unit = boot_unit_of(g->p->b, l);

	markup_printf(g->s, "[%u,%u,%u,", l->tgid, l->ppid, depth);
	put_us(g, bar->from);
	sink_char(g->s, ',');
	put_us(g, bar->to);
	put_known(g, l, KTALLY_U_RUNTIME, l->use.runtime / 1000);
	put_known(g, l, KTALLY_U_RUN_DELAY, l->use.run_delay / 1000);
	put_known(g, l, KTALLY_U_READ_BYTES, l->use.read_bytes);
	put_known(g, l, KTALLY_U_WRITE_BYTES, l->use.write_bytes);
	put_known(g, l, KTALLY_U_PEAK_RSS, l->use.peak_rss);
	put_exit(g, l);
	markup_printf(g->s, ",%u,", flags_of(g, l));
	if (unit.len)
		markup_json(g->s, unit.p, unit.len);
	else
		sink_puts(g->s, "null");
	sink_char(g->s, ',');
	put_images(g, l);
}

static int put_rows(struct page *g, const struct lanes *l, bool *more)
{
	unsigned int *depth = calloc(l->n + 1, sizeof(*depth));

	for (size_t i = 0; depth && i < l->n; i++) {
		const struct lane_bar *bar = &l->bars[i];

		depth[i] = bar->parent ? depth[bar->parent - l->bars] + 1 : 0;
		sink_puts(g->s, *more ? ",\n" : "\n");
		put_row(g, bar, depth[i]);
		*more = true;
	}
	free(depth);
	return depth ? 0 : -ENOMEM;
}

static int put_data(struct page *g)
{
	bool more = false;
	int ret;

	sink_puts(g->s, "{\"title\":");
	put_text(g, picture_title);
	sink_puts(g->s, ",\n\"sub\":");
	put_text(g, picture_subtitle);
	markup_printf(g->s, ",\n\"until\":%.0f,\"end\":%.0f,\"load\":%.0f,\"cpus\":%u", (double)g->p->until / 1e3,
		      (double)g->p->b->end.time / 1e3, (double)g->p->b->load / 1e3, g->p->cpus);
	put_phases(g);
	put_marks(g);
	put_slices(g);
	ret = put_chain(g);
	sink_puts(g->s, ",\n\"rows\":[");
	if (!ret)
		ret = put_rows(g, &g->processes, &more);
	if (!ret)
		ret = put_rows(g, &g->kernel, &more);
	sink_puts(g->s, "\n]}");
	return ret;
}

/* ---- the page ---- */

static int put_template(struct page *g)
{
	const char *title = strstr(page_template, "@TITLE@"), *data = strstr(page_template, "@DATA@");
	size_t n;
	int ret;

	sink_put(g->s, page_template, (size_t)(title - page_template));
	n = picture_title(g->p, g->text, sizeof(g->text));
	markup_put(g->s, g->text, n < sizeof(g->text) ? n : sizeof(g->text) - 1);
	title += strlen("@TITLE@");
	sink_put(g->s, title, (size_t)(data - title));
	ret = put_data(g);
	sink_puts(g->s, data + strlen("@DATA@"));
	return ret;
}

int page_write(struct sink *s, const struct picture *p)
{
	struct lanes_options o = { .who = LANES_PROCESSES, .until = p->until };
	struct page *g = calloc(1, sizeof(*g));
	int ret = g ? 0 : -ENOMEM;

	if (ret)
		return ret;
	g->s = s;
	g->p = p;
	ret = lanes_make(&g->processes, p->b, &o);
	o.who = LANES_KERNEL;
	if (!ret)
		ret = lanes_make(&g->kernel, p->b, &o);
	if (!ret)
		ret = put_template(g);
	lanes_free(&g->processes);
	lanes_free(&g->kernel);
	free(g);
	return ret;
}
