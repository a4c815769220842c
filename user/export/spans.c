// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spans.c - bars of processes, the figures beside them, and the counters over all.
 * Knows no format; memory only.
 */
#include <stdlib.h>

#include "cmd.h"
#include "spans.h"

/* ---- from when to when ---- */

int64_t spans_moved(const struct spans *s, const struct ktally_life *l, uint64_t boottime)
{
	struct ktally_extent e;

	if (!ktally_stream_extent(s->ex->reading->stream, l->boot, &e))
		return (int64_t)boottime - s->zero;
	return (int64_t)boottime + e.real - s->zero;
}

static int64_t first_instant(struct ktally_stream *stream)
{
	int64_t first = INT64_MAX;
	struct ktally_extent e;

	for (uint32_t boot = 0; ktally_stream_extent(stream, boot, &e); boot++)
		if ((int64_t)e.first + e.real < first)
			first = (int64_t)e.first + e.real;
	return first == INT64_MAX ? 0 : first;
}

/* The part of a life that the recording saw: what is older than it begins with it. */
static struct span span_of(const struct spans *s, const struct ktally_life *l)
{
	uint64_t from = l->start, to = l->state == KTALLY_ENDED ? l->end : l->last_seen;
	struct ktally_extent e;

	if (ktally_stream_extent(s->ex->reading->stream, l->boot, &e)) {
		if (from < e.first && !s->ex->reading->ctx.since_birth)
			from = e.first;
		if (l->state == KTALLY_RUNNING)
			to = e.last;
	}
	return (struct span){ spans_moved(s, l, from), spans_moved(s, l, to > from ? to : from) };
}

static int64_t within(struct span span, int64_t time)
{
	if (time < span.from)
		return span.from;
	return time < span.to ? time : span.to;
}

struct span spans_life(const struct spans *s, const struct ktally_life *l)
{
	return s->of ? s->of[export_row(l)] : span_of(s, l);
}

struct span spans_spent(const struct spans *s, const struct ktally_life *l)
{
	const struct ktally_window *w = s->ex->reading->windows;
	struct span life = spans_life(s, l), span = life;

	if (!w || s->ex->reading->ctx.since_birth)
		return life;
	w += l->boot;
	span.from = within(life, spans_moved(s, l, w->since));
	if (w->until != UINT64_MAX)
		span.to = within(life, spans_moved(s, l, w->until));
	return span;
}

struct span spans_image(const struct spans *s, const struct ktally_life *l, const struct ktally_image *im)
{
	struct span life = spans_life(s, l), span = life;

	span.from = within(life, spans_moved(s, l, im->begin));
	if (im->end)
		span.to = within(life, spans_moved(s, l, im->end));
	if (span.to < span.from)
		span.to = span.from;
	return span;
}

int64_t spans_gap(const struct spans *s, const struct ktally_gap *gap)
{
	return (int64_t)gap->to + s->real - s->zero;
}

void spans_begin(struct spans *s, struct export *ex)
{
	struct ktally_extent e;

	*s = (struct spans){ .ex = ex, .zero = first_instant(ex->reading->stream) };
	s->real = ktally_stream_extent(ex->reading->stream, 0, &e) ? e.real : s->zero;
}

int spans_make(struct spans *s, struct export *ex)
{
	spans_begin(s, ex);
	s->of = calloc(ex->n + 1, sizeof(*s->of));
	if (!s->of)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < ex->n; i++)
		s->of[i] = span_of(s, ex->lives[i]);
	return OPT_GO_ON;
}

void spans_free(struct spans *s)
{
	free(s->of);
}

/* ---- beside a bar ---- */

static const char *const beside[] = {
	"pid", "ppid", "uid", "user", "status", "state", "cpu_ns", "cpu_user_ns", "cpu_sys_ns",
	"run_delay_ns", "peak_rss_bytes", "read_bytes", "write_bytes", "rx_wire_bytes",
	"tx_wire_bytes", "loop_rx_wire_bytes", "loop_tx_wire_bytes", "comm", "exe", "unit",
	"container", "flags", "bounds", "argv",
};

void spans_beside(struct export *ex, size_t row,
		  void (*put)(void *arg, const struct ktally_field *f, const struct ktally_value *v), void *arg)
{
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		const struct ktally_field *f = export_field(ex, beside[i]);
		struct ktally_value v;

		if (!f || !export_shows(ex, f))
			continue;
		v = ex->rows.value(ex->rows.of, row, f);
		if (v.type != KTALLY_V_UNKNOWN && (v.type != KTALLY_V_TEXT || v.t.len))
			put(arg, f, &v);
	}
}

/* ---- counters ---- */

const struct spans_counter spans_counters[SPANS_COUNTERS] = {
	{ "CPUs", "cpus", false, true, 1e-9, { "cpu_ns" } },
	{ "peak memory", "bytes", true, false, 1, { "peak_rss_bytes" } },
	{ "storage", "bytes_per_second", true, true, 1, { "read_bytes", "write_bytes" } },
	{ "network", "bytes_per_second", true, true, 1, { "rx_wire_bytes", "tx_wire_bytes" } },
};

/* A life begins or ends, or the part of it in which it used what is told. */
struct edge {
	int64_t time;
	int alive;			/* +1, -1; 0: that part */
	double of[SPANS_COUNTERS];
};

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return y->alive - x->alive;
}

/* Of the counters that go by the second, or of the others. */
static void find_shares(const struct spans *s, size_t row, struct span span, bool per_second,
			double share[SPANS_COUNTERS])
{
	double seconds = 1e-9 * (double)(span.to - span.from);

	for (size_t i = 0; i < SPANS_COUNTERS; i++) {
		const struct spans_counter *c = &spans_counters[i];

		share[i] = 0;
		for (const char *const *f = c->fields; *f && seconds > 0 && c->per_second == per_second; f++) {
			struct ktally_value v = export_value(s->ex, row, *f);

			if (v.type == KTALLY_V_U64)
				share[i] += c->scale * (double)v.u / (c->per_second ? seconds : 1);
		}
	}
}

static void make_pair(const struct spans *s, size_t row, struct span span, int alive, struct edge *on)
{
	struct edge *off = on + 1;

	on->time = span.from;
	on->alive = alive;
	find_shares(s, row, span, !alive, on->of);
	off->time = span.to;
	off->alive = -alive;
	for (size_t k = 0; k < SPANS_COUNTERS; k++)
		off->of[k] = -on->of[k];
}

static void make_edges(const struct spans *s, struct edge *edges)
{
	for (size_t i = 0; i < s->ex->n; i++) {
		make_pair(s, i, s->of[i], 1, &edges[4 * i]);
		make_pair(s, i, spans_spent(s, s->ex->lives[i]), 0, &edges[4 * i + 2]);
	}
	qsort(edges, 4 * s->ex->n, sizeof(*edges), by_time);
}

/* Each counter where it changes; a rest of rounding is no value. */
int spans_count(const struct spans *s,
		void (*put)(void *arg, int64_t time, const struct spans_counter *counter, double value), void *arg)
{
	size_t n = 4 * s->ex->n;
	struct edge *edges = calloc(n + 1, sizeof(*edges));
	double now[SPANS_COUNTERS] = { 0 };
	int alive = 0;

	if (!edges)
		return say_error(FAILED, "out of memory");
	make_edges(s, edges);
	for (size_t i = 0; i < n; i++) {
		bool changed[SPANS_COUNTERS] = { false }, lives = false;

		for (;; i++) {
			alive += edges[i].alive;
			lives |= edges[i].alive;
			for (size_t k = 0; k < SPANS_COUNTERS; k++) {
				now[k] += edges[i].of[k];
				changed[k] |= edges[i].of[k] != 0;
			}
			if (i + 1 == n || edges[i + 1].time != edges[i].time)
				break;
		}
		if (lives)
			put(arg, edges[i].time, NULL, alive);
		for (size_t k = 0; k < SPANS_COUNTERS; k++)
			if (changed[k])
				put(arg, edges[i].time, &spans_counters[k], now[k] < 1e-9 ? 0 : now[k]);
	}
	free(edges);
	return OPT_GO_ON;
}
