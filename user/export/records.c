// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records.c - the records of what is exported, for formats that are traces.
 *
 * They are read from the files again, so that a trace needs no memory: once to learn
 * what there is, then to write. Who is meant the model has said before. Losses come out
 * of the stream's gaps, each before the next record of its CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "records.h"

/* ---- who is meant ---- */

static int compare_identity(const struct ktally_life *a, const struct ktally_life *b)
{
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->boot > b->boot) - (a->boot < b->boot);
}

static int by_identity(const void *a, const void *b)
{
	return compare_identity(*(struct ktally_life *const *)a, *(struct ktally_life *const *)b);
}

static bool of_a_life(uint32_t kind)
{
	const uint64_t kinds = 1ULL << KTALLY_FORK | 1ULL << KTALLY_EXEC | 1ULL << KTALLY_ARGS |
		1ULL << KTALLY_THREAD_EXIT | 1ULL << KTALLY_EXIT | 1ULL << KTALLY_TASK |
		1ULL << KTALLY_NET_LATE;

	return kind < KTALLY_KINDS && kinds >> kind & 1;
}

/* The life's fields stand at the same place in all of these kinds. */
static bool is_meant(const struct records *r, const struct ktally_event *ev)
{
	const struct ktally_life key = {
		.tgid = ev->u.fork.tgid, .start = ev->u.fork.start, .boot = ev->boot,
	};
	const struct ktally_life *k = &key;

	if (!of_a_life(ev->kind))
		return true;
	return bsearch(&k, r->by_identity, r->ex->n, sizeof(k), by_identity);
}

static bool in_window(const struct records *r, const struct ktally_event *ev)
{
	const struct ktally_window *w = r->ex->reading->windows;

	return !w || (ev->time >= w[ev->boot].since && ev->time <= w[ev->boot].until);
}

/* ---- reading ---- */

static const struct ktally_str *find_argv(const struct ktally_event *ev)
{
	static const unsigned char place[KTALLY_KINDS] = {
		[KTALLY_EXEC] = 3, [KTALLY_ARGS] = 1, [KTALLY_EXIT] = 1, [KTALLY_TASK] = 1,
	};
	unsigned int at = place[ev->kind];

	return at && ev->str[at - 1].p && ev->str[at - 1].len ? &ev->str[at - 1] : NULL;
}

static uint64_t moved(const struct records *r, const struct ktally_event *ev)
{
	struct ktally_extent first, own;

	if (!ev->boot || !ktally_stream_extent(r->stream, 0, &first) ||
	    !ktally_stream_extent(r->stream, ev->boot, &own))
		return ev->time;
	return ev->time + (uint64_t)(own.real - first.real);
}

/* A loss is found when the next record of its CPU comes. */
static uint64_t take_gaps(struct records *r)
{
	const struct ktally_gap *gaps;
	size_t n = ktally_stream_gaps(r->stream, &gaps);
	uint64_t lost = 0;

	/* The last one may have grown when there is room for no more. */
	if (r->n_gaps && gaps[r->n_gaps - 1].lost > r->last_gap)
		lost += gaps[r->n_gaps - 1].lost - r->last_gap;
	for (; r->n_gaps < n; r->n_gaps++)
		lost += gaps[r->n_gaps].lost;
	if (n)
		r->last_gap = gaps[n - 1].lost;
	r->told += lost;
	return lost;
}

/* Whether the record itself goes into a trace: descriptions are no event of it. */
static bool wanted(const struct records *r, const struct record *rec)
{
	const struct ktally_event *ev = &rec->ev;

	if (!ev->decoded || ev->kind >= KTALLY_KINDS || ev->kind == KTALLY_FORMAT)
		return false;
	if (ev->kind == KTALLY_ARGS && !r->ex->options->args)
		return false;
	return in_window(r, ev) && is_meant(r, ev);
}

int records_next(struct records *r, struct record *rec)
{
	int got;

	while ((got = ktally_stream_next(r->stream, &rec->ev)) == 1) {
		rec->lost = take_gaps(r);
		rec->meant = wanted(r, rec);
		if (!rec->meant && !rec->lost)
			continue;
		rec->time = moved(r, &rec->ev);
		rec->argv = rec->meant ? find_argv(&rec->ev) : NULL;
		return 1;
	}
	return got ? -say_error(FAILED, "%s", ktally_stream_error(r->stream)) : 0;
}

uint64_t records_rest(const struct records *r)
{
	const struct ktally_stream_info *info = ktally_stream_info(r->stream);
	uint64_t lost = 0;

	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		lost += info->lost[kind];
	return lost > r->told ? lost - r->told : 0;
}

int records_open(struct records *r, struct export *ex)
{
	*r = (struct records){ .ex = ex };
	r->by_identity = malloc((ex->n + 1) * sizeof(*r->by_identity));
	if (!r->by_identity)
		return say_error(FAILED, "out of memory");
	memcpy(r->by_identity, ex->lives, ex->n * sizeof(*r->by_identity));
	qsort(r->by_identity, ex->n, sizeof(*r->by_identity), by_identity);
	return reading_open_stream(&r->stream, ex->in);
}

void records_close(struct records *r)
{
	ktally_stream_close(r->stream);
	free(r->by_identity);
}

/* ---- the first look ---- */

/* One file has one description of a kind. */
static int take_description(struct survey *s, struct ktally_wire *wire, uint32_t kind)
{
	size_t len;
	const char *text = ktally_wire_description(wire, kind, &len);
	char **own = &s->descriptions[kind];

	if (!text)
		return OPT_GO_ON;
	if (!*own) {
		*own = strndup(text, len);
		return *own ? OPT_GO_ON : say_error(FAILED, "out of memory");
	}
	if (strlen(*own) == len && !memcmp(*own, text, len))
		return OPT_GO_ON;
	return say_error(FAILED, "these recordings are of modules that differ in '%s'; export each alone",
			 ktally_kind_name(kind));
}

static int survey_record(struct survey *s, const struct records *r, const struct record *rec,
			 struct ktally_wire **last)
{
	uint32_t kind = rec->ev.kind;
	struct ktally_wire *wire = ktally_stream_wire(r->stream);

	if (!s->records++)
		s->first = rec->time;
	s->last = rec->time;
	s->present[kind] = s->descriptions[kind] ? s->present[kind] & rec->ev.present : rec->ev.present;
	if (s->descriptions[kind] && wire == last[kind])
		return OPT_GO_ON;
	last[kind] = wire;
	return take_description(s, wire, kind);
}

int survey_make(struct survey *s, struct export *ex)
{
	struct ktally_wire *last[KTALLY_KINDS] = { NULL };
	struct records r;
	struct record rec;
	int status, got;

	memset(s, 0, sizeof(*s));
	status = records_open(&r, ex);
	while (status == OPT_GO_ON && (got = records_next(&r, &rec))) {
		if (got < 0)
			status = -got;
		if (got > 0 && rec.ev.cpu >= s->cpus)
			s->cpus = rec.ev.cpu + 1;
		if (got > 0 && rec.meant)
			status = survey_record(s, &r, &rec, last);
	}
	if (status == OPT_GO_ON)
		s->lost = r.told + records_rest(&r);
	if (!s->cpus)
		s->cpus = 1;
	records_close(&r);
	return status;
}

void survey_free(struct survey *s)
{
	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		free(s->descriptions[kind]);
}

/* ---- the kernel's own events ---- */

struct sched records_sched(const struct ktally_event *ev)
{
	struct sched s = { .what = SCHED_NONE };
	const char *comm = NULL;

	switch (ev->kind) {
	case KTALLY_FORK:
		s = (struct sched){ .what = SCHED_FORK, .tid = ev->u.fork.tgid,
			.other = (uint32_t)ev->u.fork.common.pid, .ppid = ev->u.fork.ppid };
		comm = ev->u.fork.comm;
		break;
	case KTALLY_EXEC:
		s = (struct sched){ .what = SCHED_EXEC, .tid = ev->u.exec.tgid,
			.other = ev->u.exec.old_tid ? ev->u.exec.old_tid : ev->u.exec.tgid,
			.filename = ev->str[0] };
		comm = ev->u.exec.comm;
		break;
	case KTALLY_THREAD_EXIT:
		s = (struct sched){ .what = SCHED_EXIT, .tid = ev->u.thread_exit.tid };
		comm = ev->u.thread_exit.comm;
		break;
	case KTALLY_EXIT:
		s = (struct sched){ .what = SCHED_EXIT, .tid = ev->u.exit.tid };
		comm = ev->u.exit.comm;
		break;
	}
	if (!s.tid)
		s.tid = ev->u.exit.tgid;	/* not known to everybody who writes recordings */
	if (comm)
		memcpy(s.comm, comm, sizeof(s.comm));
	return s;
}
