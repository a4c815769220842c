// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream.c - processes one after the other, each as soon as it has ended, and at the end
 * those that live: of what happens now, or of one recording. A watch keeps the living
 * alone, so it can go on for ever; figures are of whole lives.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bounds.h"
#include "child.h"
#include "cmd.h"
#include "export.h"
#include "watching.h"

enum { FORGET = 4096 };			/* ends; of a recording */
enum { DEEP = 64 };			/* ancestors that are looked for at once */

struct stream {
	struct export *ex;
	const struct export_stream *format;
	struct reading reading;		/* what a format asks of it: where records come from */
	struct ktally_stream_info info;	/* of what happens now */
	struct watching live;
	struct ktally_watch *watch;
	struct ktally_field_ctx *ctx;	/* the watch's */
	const struct ktally_life *at;	/* the row */
	struct bounds bounds;		/* of it */
	uint64_t numbered, ends;
	bool begun;
	bool stop;			/* of a recording: the reader has gone */
};

static struct ktally_value value_of(void *of, size_t row, const struct ktally_field *f)
{
	struct stream *s = of;
	struct ktally_value v;

	(void)row;
	if (f == &bounds_field)
		return bounds_value(&s->bounds);
	v = ktally_field_value(f, s->at, s->ctx);
	bounds_note(&s->bounds, f, &v);
	return v;
}

/* ---- a process ---- */

/* What a recording calls a parent and is no older is none: it could be its own ancestor. */
static struct ktally_watched *older(const struct stream *s, const struct ktally_life *l)
{
	return l->parent_start < l->start ? ktally_watch_find(s->watch, l->ppid, l->parent_start) : NULL;
}

/* The nearest that is meant, of the nearest DEEP. */
static struct ktally_watched *parent_of(const struct stream *s, const struct ktally_watched *p)
{
	struct ktally_watched *up = older(s, &p->life);

	for (int i = 0; up && !up->tally; i++)
		up = i < DEEP ? older(s, &up->life) : NULL;
	return up;
}

static void number(struct stream *s, struct ktally_life *l)
{
	if (!l->user)
		l->user = (void *)(uintptr_t)++s->numbered;
}

/* Links are good only for that long: a watch forgets. */
static int with_parent(struct stream *s, struct ktally_watched *p, struct ktally_watched *up,
		       int (*do_it)(struct export *ex, const struct ktally_life *l))
{
	int status;

	number(s, &p->life);
	p->life.parent = up ? &up->life : NULL;
	s->at = &p->life;
	bounds_begin(&s->bounds);
	status = do_it(s->ex, &p->life);
	p->life.parent = NULL;
	return status;
}

/* Ancestors that nobody spoke of yet, the oldest first. */
static int put_tracks(struct stream *s, struct ktally_watched *up)
{
	struct ktally_watched *chain[DEEP + 1];
	size_t n = 0;
	int status = OPT_GO_ON;

	for (chain[0] = up; chain[n] && !chain[n]->life.user && n < DEEP; n++)
		chain[n + 1] = parent_of(s, chain[n]);
	while (n-- && status == OPT_GO_ON)
		status = with_parent(s, chain[n], chain[n + 1], s->format->track);
	return status;
}

static int begin(struct stream *s)
{
	int status = s->format->sink ? export_open(s->ex) : OPT_GO_ON;

	if (status == OPT_GO_ON)
		status = s->format->begin(s->ex);
	s->begun = s->ex->state;
	return status;
}

static int put(struct stream *s, struct ktally_watched *p)
{
	struct ktally_watched *up = parent_of(s, p);
	int status = s->begun ? OPT_GO_ON : begin(s);

	if (status == OPT_GO_ON && s->format->track)
		status = put_tracks(s, up);
	return status == OPT_GO_ON ? with_parent(s, p, up, s->format->put) : status;
}

static int see(void *arg, const struct ktally_event *ev)
{
	struct stream *s = arg;
	struct ktally_watched *p;

	if (!ev->decoded || ev->kind != KTALLY_EXIT)
		return OPT_GO_ON;
	p = ktally_watch_find(s->watch, ev->u.exit.tgid, ev->u.exit.start);
	/* The second of a pair is none. */
	if (!p || !p->tally || p->life.end != ev->time)
		return OPT_GO_ON;
	s->ends++;
	return put(s, p);
}

static int compare_start(const void *a, const void *b)
{
	const struct ktally_life *x = &(*(struct ktally_watched *const *)a)->life;
	const struct ktally_life *y = &(*(struct ktally_watched *const *)b)->life;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->tgid > y->tgid) - (x->tgid < y->tgid);
}

static int put_living(struct stream *s)
{
	struct ktally_watched *const *all;
	size_t n = ktally_watch_processes(s->watch, &all), m = 0;
	struct ktally_watched **living = calloc(n + 1, sizeof(*living));
	int status = living ? OPT_GO_ON : say_error(FAILED, "out of memory");

	for (size_t i = 0; living && i < n; i++)
		if (all[i]->tally && !all[i]->ended)
			living[m++] = all[i];
	if (living)
		qsort(living, m, sizeof(*living), compare_start);
	for (size_t i = 0; i < m && status == OPT_GO_ON; i++)
		status = put(s, living[i]);
	free(living);
	return status;
}

static int finish(struct stream *s, int status)
{
	int ended;

	if (status == OPT_GO_ON)
		status = put_living(s);
	if (status == OPT_GO_ON && !s->begun)
		status = begin(s);
	ended = s->begun ? s->format->end(s->ex) : OPT_GO_ON;
	return status == OPT_GO_ON ? ended : status;
}

/* ---- what happens now ---- */

static bool flush(void *arg)
{
	struct stream *s = arg;

	return s->format->flush(s->ex);
}

static int open_live(struct stream *s)
{
	struct ktally_watch_options options = {
		.key = KTALLY_BY_ALL, .want = sel_want, .arg = s->ex->match, .tree = s->ex->options->tree,
		.most_ended = SIZE_MAX, .older_ends = true,
	};
	const struct ktally_live_options live = { .kinds = WATCHING_KINDS };
	int status;

	s->live.ctx.since_birth = true;
	sel_bind_live(s->ex->match, &s->live.ctx, session_now());
	status = watching_open(&s->live, &options, &live);
	s->watch = s->live.watch;
	s->ctx = &s->live.ctx;
	s->reading.stream = s->live.stream;
	s->reading.ctx.since_birth = true;
	s->reading.info = &s->info;
	gethostname(s->info.host, sizeof(s->info.host) - 1);
	s->live.see = see;
	s->live.see_arg = s;
	return status == OPT_GO_ON ? sel_check_live(s->ex->match) : status;
}

static int run_live(struct stream *s)
{
	struct watching_run run = {
		.delay = WATCHING_DELAY_NS, .duration = s->ex->options->duration, .flush = flush, .flush_arg = s,
	};
	sigset_t old;
	int err = child_signals(&run.signals, &old), status;

	if (err)
		return say_error(FAILED, "signals: %s", strerror(-err));
	status = open_live(s);
	if (status == OPT_GO_ON)
		status = begin(s);
	if (status == OPT_GO_ON)
		status = watching_run(&s->live, &run);
	/* How the living stand now. */
	if (status == OPT_GO_ON)
		status = watching_refresh(&s->live);
	status = finish(s, status);
	if (status == OPT_GO_ON && watching_say_lost(&s->live))
		status = s->ex->options->strict ? INCOMPLETE : OPT_GO_ON;
	return status;
}

/* ---- a recording ---- */

static int open_file(struct stream *s)
{
	struct ktally_watch_options options = {
		.key = KTALLY_BY_ALL, .want = sel_want, .arg = s->ex->match, .tree = s->ex->options->tree,
		.ctx = &s->reading.ctx, .most_ended = SIZE_MAX, .older_ends = true,
	};
	int status = reading_open_stream(&s->reading.stream, s->ex->in);

	if (status != OPT_GO_ON)
		return status;
	s->reading.info = ktally_stream_info(s->reading.stream);
	/* A watch knows one boot and its PIDs. */
	if (s->reading.info->files > 1)
		return say_error(WRONG_USE, "export: --stream: one recording at a time");
	reading_names(&s->reading.ctx, &s->reading.names, s->reading.info);
	s->reading.ctx.since_birth = true;
	s->ctx = &s->reading.ctx;
	sel_bind_live(s->ex->match, s->ctx, UINT64_MAX);
	s->watch = ktally_watch_open(&options);
	return s->watch ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

static int take_record(struct stream *s, const struct ktally_event *ev)
{
	int status;

	if (ktally_watch_feed(s->watch, ev))
		return say_error(FAILED, "out of memory for the processes of this recording");
	status = see(s, ev);
	if (status == OPT_GO_ON && s->ends >= FORGET) {
		s->ends = 0;
		s->stop = s->begun && !s->format->flush(s->ex);
		if (ktally_watch_cut(s->watch, ev->time, false))
			status = say_error(FAILED, "out of memory for the processes of this recording");
	}
	if (s->begun && ktally_stream_waits(s->reading.stream))
		s->stop |= !s->format->flush(s->ex);
	return status;
}

/* Says what is: OPT_GO_ON, or the status for it. */
static int missing(struct stream *s)
{
	uint64_t lost = reading_say_missing(s->reading.stream, NULL);

	if (reading_is_damaged(ktally_stream_info(s->reading.stream)))
		return FAILED;
	return lost && s->ex->options->strict ? INCOMPLETE : OPT_GO_ON;
}

static int run_file(struct stream *s)
{
	struct ktally_event ev;
	int status = open_file(s), got = 0;

	while (status == OPT_GO_ON && !s->stop && (got = ktally_stream_next(s->reading.stream, &ev)) == 1)
		status = take_record(s, &ev);
	if (status == OPT_GO_ON && got < 0)
		status = say_error(FAILED, "%s", ktally_stream_error(s->reading.stream));
	status = finish(s, status);
	if (status == OPT_GO_ON)
		status = missing(s);
	ktally_watch_close(s->watch);
	ktally_stream_close(s->reading.stream);
	return status;
}

/* ---- for the writers ---- */

bool export_flush(struct export *ex)
{
	sink_flush(ex->sink);
	return !sink_error(ex->sink);
}

static const struct ktally_field **make_fields(size_t *n)
{
	const struct ktally_field *all, **fields;

	*n = ktally_fields(&all);
	fields = calloc(*n + 1, sizeof(*fields));
	if (!fields)
		return NULL;
	for (size_t i = 0; i < *n; i++)
		fields[i] = &all[i];
	fields[(*n)++] = &bounds_field;
	return fields;
}

int export_stream(struct export *ex, const struct export_stream *format)
{
	struct stream s = { .ex = ex, .format = format };
	const struct ktally_field **fields = make_fields(&ex->rows.n_fields);
	int status;

	if (!fields)
		return say_error(FAILED, "out of memory");
	ex->reading = &s.reading;
	ex->rows.schema = "ktally.export/1";
	ex->rows.fields = fields;
	ex->rows.n_rows = 1;
	ex->rows.value = value_of;
	ex->rows.of = &s;
	status = ex->in->files.n ? run_file(&s) : run_live(&s);
	watching_close(&s.live);
	bounds_free(&s.bounds);
	free(fields);
	return status;
}
