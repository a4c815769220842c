// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chrome.c - trace events as JSON, for ui.perfetto.dev, speedscope and others. A
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
#include "spans.h"
#include "out/markup.h"
#include "out/text.h"

enum { NAME_BYTES = 4096, REUSED = 1 << 22 /* beyond every PID */ };

struct chrome {
	struct export *ex;
	struct sink *s;
	struct spans spans;
	uint64_t *tracks;		/* number of each row's track; NULL in a stream: it is the PID */
	size_t *roots;			/* 1 + row of each row's oldest ancestor; 0 = not looked for yet */
	uint64_t events;
	size_t beside;			/* figures put beside a slice so far */
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

/* What is found is kept for all on the way: a tree may be as deep as there are processes. */
static uint64_t root_track(const struct chrome *c, const struct ktally_life *l)
{
	const struct ktally_life *up, *top = l;
	size_t root;

	while (!c->roots[export_row(top)] && (up = export_parent(top)))
		top = up;
	root = c->roots[export_row(top)];
	if (!root)
		root = 1 + export_row(top);
	for (; l && !c->roots[export_row(l)]; l = export_parent(l))
		c->roots[export_row(l)] = root;
	return c->tracks[root - 1];
}

/* {"ph":"X","pid":1,"tid":2 and so on, left open. A stream, which meets parents last, has one group. */
static void begin_event(struct chrome *c, char phase, const struct ktally_life *l)
{
	uint64_t group = l && c->tracks ? root_track(c, l) : 0;
	uint64_t track = !l ? 0 : c->tracks ? c->tracks[export_row(l)] : l->tgid;

	sink_puts(c->s, c->events++ ? ",\n" : "\n");
	markup_printf(c->s, "{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, phase, group, track);
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

static void put_figure(void *arg, const struct ktally_field *f, const struct ktally_value *v)
{
	struct chrome *c = arg;

	markup_printf(c->s, "%s\"%s\":", c->beside++ ? "," : "", f->name);
	if (f->unit == KTALLY_ARGV)
		put_argv(c, v->t);
	else
		put_value(c, v);
}

/* What is unknown is not there. */
static void put_beside(struct chrome *c, size_t row)
{
	c->beside = 0;
	sink_puts(c->s, ",\"args\":{");
	spans_beside(c->ex, row, put_figure, c);
	sink_char(c->s, '}');
}

/* ---- tracks ---- */

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

static void put_life(struct chrome *c, const struct ktally_life *l)
{
	put_slice(c, l, ktally_life_image(l), "process", spans_life(&c->spans, l));
	put_beside(c, export_row(l));
	sink_char(c->s, '}');
}

static void put_images(struct chrome *c, const struct ktally_life *l)
{
	for (const struct ktally_image *im = l->images; im < l->images + l->n_images; im++) {
		if (!im->has_exec)
			continue;
		put_slice(c, l, im, "exec", spans_image(&c->spans, l, im));
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
static void put_fork(struct chrome *c, const struct ktally_life *l)
{
	const struct ktally_life *up = l->parent;
	size_t id = export_row(l) + 1;

	/* A stream meets parents last, but knows their tracks: PIDs. */
	if (!l->saw_fork || !up || (c->tracks && !up->user))
		return;
	put_end_of_flow(c, 's', up, id, spans_life(&c->spans, l).from);
	put_end_of_flow(c, 'f', l, id, spans_life(&c->spans, l).from);
}

static void put_process(struct chrome *c, const struct ktally_life *l)
{
	put_life(c, l);
	put_images(c, l);
	put_fork(c, l);
}

static void put_gaps(struct chrome *c)
{
	struct reading *r = c->ex->reading;
	const struct ktally_gap *gaps;
	size_t n = ktally_stream_gaps(r->stream, &gaps);

	for (size_t i = 0; i < n; i++) {
		begin_event(c, 'i', NULL);
		put_time(c->s, "ts", spans_gap(&c->spans, &gaps[i]));
		markup_printf(c->s, ",\"s\":\"g\",\"cat\":\"lost\",\"name\":\"%" PRIu64 " records %s\",\"args\":{\"cpu\":%u,\"lost\":%" PRIu64 "}}",
			      gaps[i].lost, gaps[i].damaged ? "damaged" : "lost", gaps[i].cpu,
			      gaps[i].lost);
	}
}

/* ---- counters ---- */

static void begin_counter(struct chrome *c, int64_t time, const char *name)
{
	begin_event(c, 'C', NULL);
	put_time(c->s, "ts", time);
	markup_printf(c->s, ",\"name\":\"%s\",\"args\":{", name);
}

static void put_counter(void *arg, int64_t time, const struct spans_counter *counter, double value)
{
	struct chrome *c = arg;

	begin_counter(c, time, counter ? counter->name : "processes");
	if (counter)
		markup_printf(c->s, "\"%s\":%.6f}}", counter->unit, value);
	else
		markup_printf(c->s, "\"alive\":%.0f}}", value);
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
		      c->spans.zero, c->ex->n, b.lost_total);
}

static int put_document(struct chrome *c)
{
	int status = number_tracks(c);

	if (status != OPT_GO_ON)
		return status;
	put_head(c);
	describe_tracks(c);
	for (size_t i = 0; i < c->ex->n; i++)
		put_process(c, c->ex->lives[i]);
	put_gaps(c);
	status = spans_count(&c->spans, put_counter, c);
	sink_puts(c->s, "\n]}\n");
	return status;
}

int export_chrome(struct export *ex)
{
	struct chrome c = { .ex = ex, .s = ex->sink };
	int status = spans_make(&c.spans, ex);

	if (status == OPT_GO_ON) {
		c.tracks = calloc(ex->n + 1, sizeof(*c.tracks));
		c.roots = calloc(ex->n + 1, sizeof(*c.roots));
		status = c.tracks && c.roots ? put_document(&c) : say_error(FAILED, "out of memory");
	}
	spans_free(&c.spans);
	free(c.tracks);
	free(c.roots);
	return status;
}

/* ---- a stream: the array alone, which readers take without its end ---- */

static int begin_stream(struct export *ex)
{
	const char *host = ex->reading->info->host;
	struct chrome *c = calloc(1, sizeof(*c));

	ex->state = c;
	if (!c)
		return say_error(FAILED, "out of memory");
	*c = (struct chrome){ .ex = ex, .s = ex->sink };
	spans_begin(&c->spans, ex);
	sink_char(c->s, '[');
	begin_event(c, 'M', NULL);
	sink_puts(c->s, ",\"name\":\"process_name\",\"args\":{\"name\":");
	markup_json(c->s, host, strlen(host));
	markup_printf(c->s, ",\"begin_realtime_ns\":\"%" PRId64 "\"}}", c->spans.zero);
	return OPT_GO_ON;
}

static int put_in_stream(struct export *ex, const struct ktally_life *l)
{
	struct chrome *c = ex->state;

	describe(c, "thread_name", l);
	put_process(c, l);
	return OPT_GO_ON;
}

static int end_stream(struct export *ex)
{
	struct chrome *c = ex->state;

	put_gaps(c);
	sink_puts(c->s, "\n]\n");
	free(c);
	return OPT_GO_ON;
}

const struct export_stream export_stream_chrome = {
	.sink = true, .begin = begin_stream, .put = put_in_stream, .flush = export_flush, .end = end_stream,
};
