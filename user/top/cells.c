// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cells.c - the columns of the full-screen view: what a row has for each, and how
 * that is written in a few places. Memory to memory.
 */
#include <stdio.h>
#include <string.h>

#include "lib/whole.h"
#include "out/text.h"
#include "top.h"

const struct top_column_kind top_columns[TOP_COLUMNS] = {
	[TOP_PID]	= { "pid", "PID", "PROCS", 7, false, true, 'p' },
	[TOP_USER]	= { "user", "USER", "", 8, true, true, 'u' },
	[TOP_STATE]	= { "state", "S", "S", 1, true, true, 0 },
	[TOP_CPU]	= { "cpu", "%CPU", "%CPU", 5, false, false, 'P' },
	[TOP_CPU_TOTAL]	= { "time", "CPU+", "CPU+", 7, false, false, 'T' },
	[TOP_RSS]	= { "rss", "RSS", "RSS", 6, false, false, 'M' },
	[TOP_PEAK]	= { "peak", "PEAK", "PEAK", 7, false, false, 'K' },
	[TOP_TX]	= { "tx", "TX/s", "TX/s", 6, false, false, 'N' },
	[TOP_RX]	= { "rx", "RX/s", "RX/s", 6, false, false, 'R' },
	[TOP_READ]	= { "read", "READ/s", "READ/s", 6, false, false, 'D' },
	[TOP_WRITE]	= { "write", "WRT/s", "WRT/s", 6, false, false, 'W' },
	[TOP_AGE]	= { "age", "AGE", "", 6, false, true, 'A' },
	[TOP_COMMAND]	= { "command", "COMMAND", "COMMAND", 0, true, true, 'C' },
};

/* ---- what a row has ---- */

static const struct ktally_value unknown;

static struct ktally_value count_value(uint64_t u)
{
	return (struct ktally_value){ .type = KTALLY_V_U64, .u = u };
}

static struct ktally_value rate(double d)
{
	return (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = d };
}

static struct ktally_value text_value(const char *text)
{
	return (struct ktally_value){ .type = KTALLY_V_TEXT, .t = { .p = text, .len = (uint32_t)strlen(text) } };
}

static double seconds(const struct top_rows *t)
{
	return t->end > t->begin ? (double)(t->end - t->begin) / 1e9 : 1e-9;
}

/* The place of the chosen class in struct ktally_cost, and what must be known for it. */
static int cost_place(const struct top_view *view, enum top_column c, unsigned int *bit)
{
	static const int first[] = { KTALLY_COST_PHYS, KTALLY_COST_LOOP, KTALLY_COST_VIRT };

	*bit = KTALLY_U_NET;
	switch (c) {
	case TOP_TX:
		return first[view->class] + KTALLY_N_TX_WIRE;
	case TOP_RX:
		return first[view->class] + KTALLY_N_RX_WIRE;
	case TOP_READ:
		*bit = KTALLY_U_READ_BYTES;
		return KTALLY_COST_READ;
	default:
		*bit = KTALLY_U_WRITE_BYTES;
		return KTALLY_COST_WRITE;
	}
}

static struct ktally_value rate_value(const struct top_rows *t, const struct top_row *r,
				      const struct top_view *view, enum top_column c)
{
	const struct ktally_cost *spent = r->process ? &r->process->interval : &r->tally->interval;
	uint64_t known = r->process ? r->process->life.use.known | r->process->life.net_known : r->tally->known;
	unsigned int bit;
	int place = cost_place(view, c, &bit);

	return known >> bit & 1 ? rate((double)spent->of[place] / seconds(t)) : unknown;
}

static struct ktally_value cpu_value(double cpu, const struct top_view *view)
{
	return rate(100 * cpu / (view->per_machine && view->cpus ? view->cpus : 1));
}

static struct ktally_value use_value(const struct ktally_watched *p, unsigned int bit, uint64_t u)
{
	struct ktally_value v = count_value(u);

	v.upper = p->life.use.upper >> bit & 1;
	return p->life.use.known >> bit & 1 ? v : unknown;
}

static struct ktally_value user_value(const struct top_rows *t, const struct ktally_watched *p, char *text, size_t n)
{
	struct ktally_value v = ktally_field_value(ktally_field_find("user"), &p->life, t->ctx);

	if (v.type != KTALLY_V_TEXT)
		return unknown;
	text_escape(text, n, v.t.p, v.t.len);
	return text_value(text);
}

/* The exact command line; of kernel threads and where it is unknown the name. */
static struct ktally_value command_value(const struct top_rows *t, const struct ktally_watched *p, char *text, size_t n)
{
	struct ktally_value v = ktally_field_value(ktally_field_find("argv"), &p->life, t->ctx);
	char comm[4 * KTALLY_COMM_LEN + 1];

	if (v.type == KTALLY_V_TEXT && v.t.len) {
		text_quote_argv(text, n, v.t.p, v.t.len, TEXT_FOR_PEOPLE);
		return text_value(text);
	}
	text_escape(comm, sizeof(comm), p->life.owner.comm, strnlen(p->life.owner.comm, KTALLY_COMM_LEN));
	snprintf(text, n, "[%s]", comm);
	return text_value(text);
}

static struct ktally_value process_value(const struct top_rows *t, const struct ktally_watched *p,
					 const struct top_view *view, enum top_column c, char *text, size_t n)
{
	const struct ktally_use *use = &p->life.use;

	switch (c) {
	case TOP_PID:
		return count_value(p->life.tgid);
	case TOP_USER:
		return user_value(t, p, text, n);
	case TOP_STATE:
		snprintf(text, n, "%c", p->ended ? 'x' : p->life.run_state ? p->life.run_state : '?');
		return text_value(text);
	case TOP_CPU:
		return use->known >> KTALLY_U_RUNTIME & 1 ? cpu_value(p->rate.cpu, view) : unknown;
	case TOP_CPU_TOTAL:
		return use_value(p, KTALLY_U_RUNTIME, use->runtime);
	case TOP_RSS:
		return p->ended ? unknown : use_value(p, KTALLY_U_RSS, use->rss);
	case TOP_PEAK:
		return use_value(p, KTALLY_U_PEAK_RSS, use->peak_rss);
	case TOP_AGE:
		return count_value((p->ended && p->life.end ? p->life.end : t->end) - p->life.start);
	case TOP_COMMAND:
		return command_value(t, p, text, n);
	default:
		return unknown;
	}
}

static struct ktally_value group_name(const struct ktally_tally *g, char *text, size_t n)
{
	size_t at;

	if (!g->name.p)
		return unknown;
	at = text_escape(text, n, g->name.p, g->name.len);
	if (!g->alive && g->ended > 1)
		snprintf(text + at, n - at, " (%u ended)", g->ended);
	return text_value(text);
}

static struct ktally_value group_value(const struct ktally_tally *g, const struct top_view *view,
				       enum top_column c, char *text, size_t n)
{
	struct ktally_value v = unknown;

	switch (c) {
	case TOP_PID:
		return count_value(g->alive ? g->alive : g->ended);
	case TOP_STATE:
		return text_value(g->alive ? "" : "x");
	case TOP_CPU:
		return g->known >> KTALLY_U_RUNTIME & 1 ? cpu_value(g->rate.cpu, view) : unknown;
	case TOP_CPU_TOTAL:
		v = count_value(g->total.of[KTALLY_COST_CPU]);
		return g->known >> KTALLY_U_RUNTIME & 1 ? v : unknown;
	case TOP_RSS:
		return g->alive && g->known >> KTALLY_U_RSS & 1 ? count_value(g->rss) : unknown;
	case TOP_PEAK:
		v = count_value(g->peak);
		v.upper = g->shared || g->upper >> KTALLY_U_PEAK_RSS & 1;
		return g->known >> KTALLY_U_PEAK_RSS & 1 ? v : unknown;
	case TOP_COMMAND:
		return group_name(g, text, n);
	default:
		return unknown;
	}
}

struct ktally_value top_value(const struct top_rows *t, const struct top_row *r,
			      const struct top_view *view, enum top_column c, char *text, size_t n)
{
	if (c >= TOP_TX && c <= TOP_WRITE)
		return rate_value(t, r, view, c);
	if (r->process)
		return process_value(t, r->process, view, c, text, n);
	return group_value(r->tally, view, c, text, n);
}

/* ---- how it is written ---- */

/* As people know it from top, in seven places: m:ss.hh, mm:ss.t, h:mm:ss, 41h07. */
static size_t cpu_clock(char *dst, size_t n, uint64_t ns)
{
	unsigned long long hundredths = ns / 10000000, s = hundredths / 100;

	if (s < 600)
		return (size_t)snprintf(dst, n, "%llu:%02llu.%02llu", s / 60, s % 60, hundredths % 100);
	if (s < 3600)
		return (size_t)snprintf(dst, n, "%llu:%02llu.%llu", s / 60, s % 60, hundredths / 10 % 10);
	if (s < 10 * 3600)
		return (size_t)snprintf(dst, n, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
	return (size_t)snprintf(dst, n, "%lluh%02llu", s / 3600, s / 60 % 60);
}

/* A life in six places: 0.8s, 12s, 0:41, 3h12, 41d. */
static size_t age(char *dst, size_t n, uint64_t ns)
{
	unsigned long long ms = ns / 1000000, s = ms / 1000;

	if (s < 10)
		return (size_t)snprintf(dst, n, "%llu.%llus", s, ms / 100 % 10);
	if (s < 3600)
		return (size_t)snprintf(dst, n, "%llu:%02llu", s / 60, s % 60);
	if (s < 100 * 3600)
		return (size_t)snprintf(dst, n, "%lluh%02llu", s / 3600, s / 60 % 60);
	return (size_t)snprintf(dst, n, "%llud", s / 86400);
}

/* Bytes; nothing at all is a dash less to read, and small amounts need no unit. */
static void write_number(char *dst, size_t n, enum top_column c, const struct ktally_value *v)
{
	uint64_t u = v->type == KTALLY_V_DOUBLE ? whole_of(v->d) : v->u;
	size_t at = 0;

	if (v->upper && u)
		at = (size_t)snprintf(dst, n, "%s", text_glyphs()->upper);
	switch (c) {
	case TOP_PID:
		snprintf(dst, n, "%llu", (unsigned long long)u);
		break;
	case TOP_CPU:
		snprintf(dst, n, v->d < 999.95 ? "%.1f" : "%.0f", v->d);
		break;
	case TOP_CPU_TOTAL:
		cpu_clock(dst, n, u);
		break;
	case TOP_AGE:
		age(dst, n, u);
		break;
	default:
		text_bytes(dst + at, n - at, u);
	}
}

/* Branches of the tree before a command. */
static size_t write_branches(char *dst, size_t n, const struct top_row *r)
{
	const struct text_glyphs *g = text_glyphs();
	size_t at = 0;

	dst[0] = '\0';
	for (unsigned int d = 1; d <= r->depth && at < n; d++) {
		bool follows = r->stems >> d & 1;
		const char *part = d == r->depth ? (follows ? g->branch : g->last) : follows ? g->stem : g->blank;

		at += (size_t)snprintf(dst + at, n - at, "%s", part);
	}
	return at < n ? at : n - 1;
}

static void write_cell(char *dst, size_t n, const struct top_rows *t, const struct top_row *r,
		       const struct top_view *view, enum top_column c)
{
	size_t at = c == TOP_COMMAND && view->tree ? write_branches(dst, n, r) : 0;
	struct ktally_value v = top_value(t, r, view, c, dst + at, n - at);
	bool empty = view->groups && (c == TOP_USER || c == TOP_AGE);

	if (v.type == KTALLY_V_UNKNOWN)
		snprintf(dst + at, n - at, "%s", empty ? "" : "-");
	else if (v.type == KTALLY_V_TEXT && v.t.p != dst + at)
		snprintf(dst + at, n - at, "%s", v.t.p);
	else if (v.type != KTALLY_V_TEXT)
		write_number(dst + at, n - at, c, &v);
}

/* Adds a cell of `width` columns, cut or filled; width SIZE_MAX: as it is. */
static size_t put_cell(char *dst, size_t n, const char *cell, size_t width, bool left)
{
	size_t len = strlen(cell), fit = text_fit(cell, len, width), used, at = 0;

	if (fit < len && width > text_width(text_glyphs()->cut, strlen(text_glyphs()->cut))) {
		fit = text_fit(cell, len, width - text_width(text_glyphs()->cut, strlen(text_glyphs()->cut)));
		return (size_t)snprintf(dst, n, "%.*s%s", (int)fit, cell, text_glyphs()->cut);
	}
	used = text_width(cell, fit);
	if (!left && width != SIZE_MAX)
		at = (size_t)snprintf(dst, n, "%*s", (int)(width - used), "");
	at += (size_t)snprintf(dst + at, n - at, "%.*s", (int)fit, cell);
	if (left && width != SIZE_MAX)
		at += (size_t)snprintf(dst + at, n - at, "%*s", (int)(width - used), "");
	return at;
}

size_t top_line(char *dst, size_t n, const struct top_rows *t, const struct top_row *r,
		const struct top_view *view, const enum top_column *list, size_t n_list, size_t width)
{
	char cell[2 * TOP_TEXT];
	size_t at = 0, used = 0;

	for (size_t i = 0; i < n_list; i++) {
		const struct top_column_kind *kind = &top_columns[list[i]];
		size_t room = kind->width;

		if (!room)
			room = width == SIZE_MAX ? SIZE_MAX : width > used ? width - used : 0;
		write_cell(cell, sizeof(cell), t, r, view, list[i]);
		at += put_cell(dst + at, n - at, cell, room, kind->left);
		used += kind->width + 1;
		if (kind->width)
			at += (size_t)snprintf(dst + at, n - at, " ");
	}
	return at;
}

size_t top_heading(char *dst, size_t n, const struct top_view *view, const enum top_column *list, size_t n_list)
{
	static const char *const mark[] = { "", "lo:", "v:" };
	char word[24];
	size_t at = 0;

	for (size_t i = 0; i < n_list; i++) {
		const struct top_column_kind *kind = &top_columns[list[i]];
		bool net = list[i] == TOP_TX || list[i] == TOP_RX;
		const char *heading = view->groups ? kind->group_heading : kind->heading;

		snprintf(word, sizeof(word), "%s%.*s", net ? mark[view->class] : "",
			 net && view->class ? 2 : 16, heading);
		at += put_cell(dst + at, n - at, word, kind->width ? kind->width : SIZE_MAX, kind->left);
		if (kind->width)
			at += (size_t)snprintf(dst + at, n - at, " ");
	}
	return at;
}

/* Both have their places if there is room, else the ones that were chosen. */
static bool is_shown(const struct top_view *view, enum top_column c, size_t width)
{
	enum { BOTH = 106 };

	if (c < TOP_TX || c > TOP_WRITE || width >= BOTH)
		return true;
	return (c == TOP_READ || c == TOP_WRITE) == view->io;
}

/* The tree stands in the last column, which needs room for it: others make way. */
static bool makes_way(const struct top_view *view, enum top_column c, size_t left)
{
	enum { FOR_TREE = 28 };

	return view->tree && !view->groups && left < FOR_TREE && c != view->sort && (c == TOP_USER || c == TOP_PEAK);
}

size_t top_choose(const struct top_view *view, size_t width, enum top_column list[TOP_COLUMNS])
{
	size_t n = 0, left = width;

	for (int c = 0; c < TOP_COLUMNS && width != SIZE_MAX; c++) {
		size_t taken = top_columns[c].width + 1U;

		if (top_columns[c].width && is_shown(view, c, width))
			left -= left > taken ? taken : left;
	}
	for (int c = 0; c < TOP_COLUMNS; c++) {
		if (!is_shown(view, c, width))
			continue;
		if (makes_way(view, c, left))
			left += top_columns[c].width + 1U;
		else
			list[n++] = (enum top_column)c;
	}
	return n;
}

size_t top_summary_line(char *dst, size_t n, const struct top_summary *s, uint32_t cpus)
{
	const char *dot = text_glyphs()->dot, *minus = text_utf8() ? "\xe2\x88\x92" : "-";
	double length = s->end > s->begin ? (double)(s->end - s->begin) : 1;
	uint64_t from = s->from.user_ns + s->from.sys_ns, now = s->now.user_ns + s->now.sys_ns;
	unsigned long long minutes = s->end / 60000000000ULL;

	return (size_t)snprintf(dst, n, "ktally %s up %llu:%02llu %s %u CPU %.1f%% %s procs %u +%u %s%u %s lost %llu %s %.1f s",
				dot, minutes / 60, minutes % 60, dot, cpus,
				now > from ? 100 * (double)(now - from) / length / (cpus ? cpus : 1) : 0.0,
				dot, s->total->alive, s->total->begun, minus, s->total->ended,
				dot, (unsigned long long)s->lost, dot, length / 1e9);
}
