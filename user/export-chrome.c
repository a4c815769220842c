// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export-chrome.c - trace events as JSON, for ui.perfetto.dev, speedscope and others. A
 * group per tree of processes, in it a track per process in order of start; on the
 * track its life and within that the programs it ran; an arrow for each fork;
 * counters over all of them; a mark where records were lost.
 *
 * Times are microseconds with three decimals, so exact, from the beginning of the
 * first recording. The format parts tracks by number only: a PID that is used again
 * gets another number, and the PID itself stands in args.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "export.h"
#include "out/markup.h"
#include "out/text.h"

enum { NAME_BYTES = 4096, REUSED = 1 << 22 /* beyond every PID */ };

struct span {
	int64_t from, to;		/* ns since zero */
};

struct chrome {
	struct export *ex;
	struct sink *s;
	int64_t zero;			/* REALTIME ns of the first recording's begin */
	struct span *spans;		/* of each row */
	uint64_t *tracks;		/* number of each row's track */
	uint64_t events;
};

/* Columns that stand beside a slice. */
static const char *const beside[] = {
	"pid", "ppid", "uid", "user", "status", "state", "cpu_ns", "cpu_user_ns", "cpu_sys_ns",
	"run_delay_ns", "peak_rss_bytes", "read_bytes", "write_bytes", "rx_wire_bytes",
	"tx_wire_bytes", "loop_rx_wire_bytes", "loop_tx_wire_bytes", "comm", "exe", "unit",
	"container", "flags", "bounds", "argv",
};

/* ---- pieces of JSON ---- */

static void put_time(struct sink *s, const char *key, int64_t ns)
{
	uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	markup_printf(s, ",\"%s\":%s%" PRIu64 ".%03u", key, ns < 0 ? "-" : "", u / 1000,
		      (unsigned int)(u % 1000));
}

static void put_name(struct chrome *c, const struct ktally_life *l, const struct ktally_image *im)
{
	char name[NAME_BYTES];

	markup_json(c->s, name, export_name(c->ex, l, im, name, sizeof(name)));
}

static uint64_t root_track(const struct chrome *c, const struct ktally_life *l)
{
	const struct ktally_life *up;

	while ((up = export_parent(l)))
		l = up;
	return c->tracks[export_row(l)];
}

/* {"ph":"X","pid":1,"tid":2 and so on, left open. */
static void begin_event(struct chrome *c, char phase, const struct ktally_life *l)
{
	sink_puts(c->s, c->events++ ? ",\n" : "\n");
	markup_printf(c->s, "{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, phase,
		      l ? root_track(c, l) : 0, l ? c->tracks[export_row(l)] : 0);
}

static void put_value(struct chrome *c, const struct ktally_value *v)
{
	if (v->type == KTALLY_V_TEXT)
		markup_json(c->s, v->t.p, v->t.len);
	else if (v->type == KTALLY_V_S64)
		sink_s64(c->s, v->s);
	else
		sink_u64(c->s, v->u);
}

static void put_argv(struct chrome *c, struct ktally_str argv)
{
	size_t pos = 0, len, n = 0;
	const char *arg;

	sink_char(c->s, '[');
	while (text_next_arg(argv.p, argv.len, &pos, &arg, &len)) {
		if (n++)
			sink_char(c->s, ',');
		markup_json(c->s, arg, len);
	}
	sink_char(c->s, ']');
}

/* What is unknown is not there. */
static void put_beside(struct chrome *c, size_t row)
{
	size_t n = 0;

	sink_puts(c->s, ",\"args\":{");
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		const struct ktally_field *f = export_field(c->ex, beside[i]);
		struct ktally_value v = export_value(c->ex, row, beside[i]);

		if (v.type == KTALLY_V_UNKNOWN || !export_shows(c->ex, f))
			continue;
		markup_printf(c->s, "%s\"%s\":", n++ ? "," : "", beside[i]);
		if (f->unit == KTALLY_ARGV)
			put_argv(c, v.t);
		else
			put_value(c, &v);
	}
	sink_char(c->s, '}');
}

/* ---- tracks ---- */

static int64_t moved(const struct chrome *c, const struct ktally_life *l, uint64_t boottime)
{
	struct ktally_extent e;

	if (!ktally_stream_extent(c->ex->reading->stream, l->boot, &e))
		return (int64_t)boottime - c->zero;
	return (int64_t)boottime + e.real - c->zero;
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
static struct span span_of(const struct chrome *c, const struct ktally_life *l)
{
	uint64_t from = l->start, to = l->state == KTALLY_ENDED ? l->end : l->last_seen;
	struct ktally_extent e;

	if (ktally_stream_extent(c->ex->reading->stream, l->boot, &e)) {
		if (from < e.first && !c->ex->reading->ctx.since_birth)
			from = e.first;
		if (l->state == KTALLY_RUNNING)
			to = e.last;
	}
	return (struct span){ moved(c, l, from), moved(c, l, to > from ? to : from) };
}

static int by_pid(const void *a, const void *b, void *arg)
{
	const struct export *ex = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	uint32_t p = ex->lives[x]->tgid, q = ex->lives[y]->tgid;

	if (p != q)
		return p < q ? -1 : 1;
	return (x > y) - (x < y);
}

/* The PID; of the second process of that number REUSED more, and so on. */
static int number_tracks(struct chrome *c)
{
	size_t n = c->ex->n, *order = calloc(n + 1, sizeof(*order));

	if (!order)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_pid, c->ex);
	for (size_t i = 0; i < n; i++) {
		const struct ktally_life *l = c->ex->lives[order[i]];
		bool again = i && c->ex->lives[order[i - 1]]->tgid == l->tgid;

		c->tracks[order[i]] = again ? c->tracks[order[i - 1]] + REUSED : l->tgid;
	}
	free(order);
	return OPT_GO_ON;
}

static void describe(struct chrome *c, const char *what, const struct ktally_life *l)
{
	begin_event(c, 'M', l);
	markup_printf(c->s, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	put_name(c, l, ktally_life_image(l));
	sink_puts(c->s, "}}");
}

/* Under each other in order of start, so parents stand above. */
static void describe_tracks(struct chrome *c)
{
	for (size_t i = 0; i < c->ex->n; i++) {
		const struct ktally_life *l = c->ex->lives[i];

		if (!export_parent(l))
			describe(c, "process_name", l);
		describe(c, "thread_name", l);
		begin_event(c, 'M', l);
		markup_printf(c->s, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%zu}}", i);
	}
}

/* ---- what happened ---- */

static void put_slice(struct chrome *c, const struct ktally_life *l, const struct ktally_image *im,
		      const char *kind, struct span span)
{
	begin_event(c, 'X', l);
	markup_printf(c->s, ",\"cat\":\"%s\",\"name\":", kind);
	put_name(c, l, im);
	put_time(c->s, "ts", span.from);
	put_time(c->s, "dur", span.to - span.from);
}

static void put_life(struct chrome *c, size_t row)
{
	const struct ktally_life *l = c->ex->lives[row];

	put_slice(c, l, ktally_life_image(l), "process", c->spans[row]);
	put_beside(c, row);
	sink_char(c->s, '}');
}

static int64_t within(struct span span, int64_t time)
{
	if (time < span.from)
		return span.from;
	return time < span.to ? time : span.to;
}

/* From each exec to the next, within the life: slices of a track must nest. */
static void put_images(struct chrome *c, size_t row)
{
	const struct ktally_life *l = c->ex->lives[row];
	struct span life = c->spans[row];

	for (const struct ktally_image *im = l->images; im < l->images + l->n_images; im++) {
		struct span span = life;

		if (!im->has_exec)
			continue;
		span.from = within(life, moved(c, l, im->begin));
		if (im->end)
			span.to = within(life, moved(c, l, im->end));
		if (span.to < span.from)
			span.to = span.from;
		put_slice(c, l, im, "exec", span);
		sink_char(c->s, '}');
	}
}

static void put_end_of_flow(struct chrome *c, char phase, const struct ktally_life *l, size_t id,
			    int64_t time)
{
	begin_event(c, phase, l);
	put_time(c->s, "ts", time);
	markup_printf(c->s, ",\"cat\":\"fork\",\"name\":\"fork\",\"id\":%zu%s}", id,
		      phase == 'f' ? ",\"bp\":\"e\"" : "");
}

/* An arrow from the parent's track, where its fork record is there. */
static void put_fork(struct chrome *c, size_t row)
{
	const struct ktally_life *l = c->ex->lives[row], *up = l->parent;

	if (!l->saw_fork || !up || !up->user)
		return;
	put_end_of_flow(c, 's', up, row + 1, c->spans[row].from);
	put_end_of_flow(c, 'f', l, row + 1, c->spans[row].from);
}

static void put_gaps(struct chrome *c)
{
	struct reading *r = c->ex->reading;
	const struct ktally_gap *gaps;
	size_t n = ktally_stream_gaps(r->stream, &gaps);
	struct ktally_extent e = { .real = c->zero };

	ktally_stream_extent(r->stream, 0, &e);
	for (size_t i = 0; i < n; i++) {
		begin_event(c, 'i', NULL);
		put_time(c->s, "ts", (int64_t)gaps[i].to + e.real - c->zero);
		markup_printf(c->s, ",\"s\":\"g\",\"cat\":\"lost\",\"name\":\"%" PRIu64 " records %s\",\"args\":{\"cpu\":%u,\"lost\":%" PRIu64 "}}",
			      gaps[i].lost, gaps[i].damaged ? "damaged" : "lost", gaps[i].cpu,
			      gaps[i].lost);
	}
}

/* ---- counters ---- */

/* What of a process is spread evenly over its life: per second of it, in these units. */
static const struct counter {
	const char *name, *unit;
	double scale;
	const char *fields[3];
} counters[] = {
	{ "CPUs", "cpus", 1e-9, { "cpu_ns" } },
	{ "storage", "bytes_per_second", 1, { "read_bytes", "write_bytes" } },
	{ "network", "bytes_per_second", 1, { "rx_wire_bytes", "tx_wire_bytes" } },
};
enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

/* A life begins or ends. */
struct edge {
	int64_t time;
	int alive;			/* +1 or -1 */
	double rate[COUNTERS];
};

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return y->alive - x->alive;
}

static void find_rates(struct chrome *c, size_t row, double rate[COUNTERS])
{
	double seconds = 1e-9 * (double)(c->spans[row].to - c->spans[row].from);

	for (size_t i = 0; i < COUNTERS; i++) {
		rate[i] = 0;
		for (const char *const *f = counters[i].fields; *f && seconds > 0; f++) {
			struct ktally_value v = export_value(c->ex, row, *f);

			if (v.type == KTALLY_V_U64)
				rate[i] += counters[i].scale * (double)v.u / seconds;
		}
	}
}

static void make_edges(struct chrome *c, struct edge *edges)
{
	for (size_t i = 0; i < c->ex->n; i++) {
		struct edge *on = &edges[2 * i], *off = on + 1;

		on->time = c->spans[i].from;
		on->alive = 1;
		find_rates(c, i, on->rate);
		off->time = c->spans[i].to;
		off->alive = -1;
		for (size_t k = 0; k < COUNTERS; k++)
			off->rate[k] = -on->rate[k];
	}
	qsort(edges, 2 * c->ex->n, sizeof(*edges), by_time);
}

static void begin_counter(struct chrome *c, int64_t time, const char *name)
{
	begin_event(c, 'C', NULL);
	put_time(c->s, "ts", time);
	markup_printf(c->s, ",\"name\":\"%s\",\"args\":{", name);
}

/* Each counter where it changes; a rest of rounding is no value. */
static int put_counters(struct chrome *c)
{
	struct edge *edges = calloc(2 * c->ex->n + 1, sizeof(*edges));
	double now[COUNTERS] = { 0 };
	int alive = 0;

	if (!edges)
		return say_error(FAILED, "out of memory");
	make_edges(c, edges);
	for (size_t i = 0; i < 2 * c->ex->n; i++) {
		bool changed[COUNTERS] = { false };
		int64_t time = edges[i].time;

		for (;; i++) {
			alive += edges[i].alive;
			for (size_t k = 0; k < COUNTERS; k++) {
				now[k] += edges[i].rate[k];
				changed[k] |= edges[i].rate[k] != 0;
			}
			if (i + 1 == 2 * c->ex->n || edges[i + 1].time != time)
				break;
		}
		begin_counter(c, time, "processes");
		markup_printf(c->s, "\"alive\":%d}}", alive);
		for (size_t k = 0; k < COUNTERS; k++) {
			if (!changed[k])
				continue;
			begin_counter(c, time, counters[k].name);
			markup_printf(c->s, "\"%s\":%.6f}}", counters[k].unit,
				      now[k] < 1e-9 ? 0 : now[k]);
		}
	}
	free(edges);
	return OPT_GO_ON;
}

/* ---- the document ---- */

static void put_head(struct chrome *c)
{
	const struct ktally_stream_info *info = c->ex->reading->info;
	struct ktally_balance b;

	ktally_model_balance(c->ex->reading->model, &b);
	sink_puts(c->s, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"tool\":\"ktally\",\"host\":");
	markup_json(c->s, info->host, strlen(info->host));
	markup_printf(c->s, ",\"begin_realtime_ns\":\"%" PRId64 "\",\"processes\":%zu,\"lost\":%" PRIu64 "},\"traceEvents\":[",
		      c->zero, c->ex->n, b.lost_total);
}

static int put_document(struct chrome *c)
{
	int status = number_tracks(c);

	if (status != OPT_GO_ON)
		return status;
	put_head(c);
	describe_tracks(c);
	for (size_t i = 0; i < c->ex->n; i++) {
		put_life(c, i);
		put_images(c, i);
		put_fork(c, i);
	}
	put_gaps(c);
	status = put_counters(c);
	sink_puts(c->s, "\n]}\n");
	return status;
}

int export_chrome(struct export *ex)
{
	struct chrome c = { .ex = ex, .s = ex->sink, .zero = first_instant(ex->reading->stream) };
	int status;

	c.spans = calloc(ex->n + 1, sizeof(*c.spans));
	c.tracks = calloc(ex->n + 1, sizeof(*c.tracks));
	if (!c.spans || !c.tracks) {
		status = say_error(FAILED, "out of memory");
	} else {
		for (size_t i = 0; i < ex->n; i++)
			c.spans[i] = span_of(&c, ex->lives[i]);
		status = put_document(&c);
	}
	free(c.spans);
	free(c.tracks);
	return status;
}
