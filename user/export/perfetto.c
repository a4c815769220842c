// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto.c - a trace of Perfetto's own protobuf, for ui.perfetto.dev and
 * trace_processor: a track per process below its parent's, on it the life with its
 * figures and the programs it ran; a flow from the parent for each fork; counters over
 * all; a mark where records were lost.
 *
 * Times are CLOCK_BOOTTIME ns, which is the trace's default clock; of several boots the
 * first one's. A process whose PID another one had before has a track of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "spans.h"
#include "out/proto.h"
#include "out/text.h"

/* Numbers of fields, message by message. */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_FLAGS = 13, PACKET_TRACK = 60,
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8, TRACK_ORDER = 11,
	COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6,
	EVENT_NOTES = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23,
	EVENT_COUNT = 30, EVENT_DOUBLE = 44, EVENT_FLOW = 47, EVENT_FLOW_ENDS = 48,
	NOTE_UINT = 3, NOTE_INT = 4, NOTE_TEXT = 6, NOTE_NAME = 10,
};
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };
enum { ORDER_BY_TIME = 2, UNIT_COUNT = 2, UNIT_BYTES = 3, STATE_CLEARED = 1 };

/* Numbers of tracks: the machine's, the counters', then a row's. */
enum { MACHINE = 1, ALIVE, COUNTERS, PROCESSES = 1000 };

enum { NAME_BYTES = 4096 };

struct perfetto {
	struct export *ex;
	struct spans spans;
	struct proto packet, inner, note, out;
	bool begun;
};

static uint64_t track_of(const struct ktally_life *l)
{
	return l ? PROCESSES + export_row(l) : MACHINE;
}

/* ---- packets ---- */

/* What `inner` holds becomes a packet. */
static void put_packet(struct perfetto *p, unsigned int field)
{
	proto_uint(&p->packet, PACKET_SEQUENCE, 1);
	if (!p->begun)
		proto_uint(&p->packet, PACKET_FLAGS, STATE_CLEARED);
	p->begun = true;
	proto_message(&p->packet, field, &p->inner);
	proto_message(&p->out, TRACE_PACKET, &p->packet);
	sink_put(p->ex->sink, (const char *)p->out.p, p->out.oom ? 0 : p->out.n);
	proto_clear(&p->out);
}

static void begin_event(struct perfetto *p, int64_t time, int type, uint64_t track)
{
	proto_uint(&p->packet, PACKET_TIMESTAMP, (uint64_t)time + (uint64_t)p->spans.zero - (uint64_t)p->spans.real);
	proto_uint(&p->inner, EVENT_TYPE, (uint64_t)type);
	proto_uint(&p->inner, EVENT_TRACK, track);
}

static void end_event(struct perfetto *p)
{
	put_packet(p, PACKET_EVENT);
}

static void put_name(struct perfetto *p, unsigned int field, const struct ktally_life *l,
		     const struct ktally_image *im)
{
	char name[NAME_BYTES];

	proto_bytes(&p->inner, field, name, export_name(p->ex, l, im, name, sizeof(name)));
}

/* ---- tracks ---- */

static void put_track(struct perfetto *p, uint64_t uuid, uint64_t parent)
{
	proto_uint(&p->inner, TRACK_UUID, uuid);
	if (parent)
		proto_uint(&p->inner, TRACK_PARENT, parent);
	proto_uint(&p->inner, TRACK_ORDER, ORDER_BY_TIME);
	put_packet(p, PACKET_TRACK);
}

static void put_process_track(struct perfetto *p, const struct ktally_life *l)
{
	char name[NAME_BYTES];
	size_t n = export_name(p->ex, l, ktally_life_image(l), name, sizeof(name) - 16);

	n += (size_t)snprintf(name + n, sizeof(name) - n, " %" PRIu32, l->tgid);
	proto_bytes(&p->inner, TRACK_NAME, name, n);
	put_track(p, track_of(l), track_of(export_parent(l)));
}

static void put_counter_track(struct perfetto *p, uint64_t uuid, const struct spans_counter *c)
{
	bool bytes = c && c->bytes && !c->per_second;

	proto_string(&p->inner, TRACK_NAME, c ? c->name : "processes");
	proto_uint(&p->note, COUNTER_UNIT, bytes ? UNIT_BYTES : UNIT_COUNT);
	if (c && !bytes)
		proto_string(&p->note, COUNTER_UNIT_NAME, c->bytes ? "bytes/s" : c->unit);
	proto_message(&p->inner, TRACK_COUNTER, &p->note);
	put_track(p, uuid, 0);
}

static void put_machine_track(struct perfetto *p)
{
	char host[256] = "processes of ";
	size_t n = strlen(host);

	n += text_escape(host + n, sizeof(host) - n, p->ex->reading->info->host,
			 strlen(p->ex->reading->info->host));
	proto_bytes(&p->inner, TRACK_NAME, host, n);
	put_track(p, MACHINE, 0);
}

static void put_tracks(struct perfetto *p)
{
	put_machine_track(p);
	put_counter_track(p, ALIVE, NULL);
	for (size_t i = 0; i < SPANS_COUNTERS; i++)
		put_counter_track(p, COUNTERS + i, &spans_counters[i]);
	for (size_t i = 0; i < p->ex->n; i++)
		put_process_track(p, p->ex->lives[i]);
}

/* ---- slices ---- */

static void put_text(struct perfetto *p, const struct ktally_field *f, struct ktally_str t)
{
	char text[NAME_BYTES];
	size_t n;

	if (f->unit == KTALLY_ARGV)
		n = text_quote_argv(text, sizeof(text), t.p, t.len, TEXT_FOR_SHELLS);
	else
		n = text_escape(text, sizeof(text), t.p, t.len);
	proto_bytes(&p->note, NOTE_TEXT, text, n);
}

static void put_figure(void *arg, const struct ktally_field *f, const struct ktally_value *v)
{
	struct perfetto *p = arg;

	proto_string(&p->note, NOTE_NAME, f->name);
	if (v->type == KTALLY_V_TEXT)
		put_text(p, f, v->t);
	else if (v->type == KTALLY_V_S64)
		proto_int(&p->note, NOTE_INT, v->s);
	else
		proto_uint(&p->note, NOTE_UINT, v->u);
	proto_message(&p->inner, EVENT_NOTES, &p->note);
}

static void begin_slice(struct perfetto *p, const struct ktally_life *l, const struct ktally_image *im,
			const char *category, int64_t time)
{
	begin_event(p, time, SLICE_BEGIN, track_of(l));
	proto_string(&p->inner, EVENT_CATEGORY, category);
	put_name(p, EVENT_NAME, l, im);
}

static void end_slice(struct perfetto *p, const struct ktally_life *l, int64_t time)
{
	begin_event(p, time, SLICE_END, track_of(l));
	end_event(p);
}

static void put_images(struct perfetto *p, const struct ktally_life *l)
{
	for (const struct ktally_image *im = l->images; im < l->images + l->n_images; im++) {
		struct span span = spans_image(&p->spans, l, im);

		if (!im->has_exec)
			continue;
		begin_slice(p, l, im, "exec", span.from);
		end_event(p);
		end_slice(p, l, span.to);
	}
}

/* From an instant on the parent's track, where its fork record is there. */
static bool begin_flow(struct perfetto *p, const struct ktally_life *l)
{
	const struct ktally_life *up = l->parent;

	if (!l->saw_fork || !up || !up->user)
		return false;
	begin_event(p, spans_life(&p->spans, l).from, INSTANT, track_of(up));
	proto_string(&p->inner, EVENT_CATEGORY, "fork");
	proto_string(&p->inner, EVENT_NAME, "fork");
	proto_fixed64(&p->inner, EVENT_FLOW, export_row(l) + 1);
	end_event(p);
	return true;
}

static void put_life(struct perfetto *p, const struct ktally_life *l)
{
	struct span span = spans_life(&p->spans, l);
	bool flows = begin_flow(p, l);

	begin_slice(p, l, ktally_life_image(l), "process", span.from);
	spans_beside(p->ex, export_row(l), put_figure, p);
	if (flows)
		proto_fixed64(&p->inner, EVENT_FLOW_ENDS, export_row(l) + 1);
	end_event(p);
	put_images(p, l);
	end_slice(p, l, span.to);
}

static void put_gaps(struct perfetto *p)
{
	const struct ktally_gap *gaps;
	size_t n = ktally_stream_gaps(p->ex->reading->stream, &gaps);
	char name[64];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%" PRIu64 " records %s on cpu %u", gaps[i].lost,
			 gaps[i].damaged ? "damaged" : "lost", gaps[i].cpu);
		begin_event(p, spans_gap(&p->spans, &gaps[i]), INSTANT, MACHINE);
		proto_string(&p->inner, EVENT_CATEGORY, "lost");
		proto_string(&p->inner, EVENT_NAME, name);
		proto_string(&p->note, NOTE_NAME, "lost");
		proto_uint(&p->note, NOTE_UINT, gaps[i].lost);
		proto_message(&p->inner, EVENT_NOTES, &p->note);
		end_event(p);
	}
}

static void put_count(void *arg, int64_t time, const struct spans_counter *counter, double value)
{
	struct perfetto *p = arg;

	begin_event(p, time, COUNTER, counter ? COUNTERS + (uint64_t)(counter - spans_counters) : ALIVE);
	if (counter)
		proto_double(&p->inner, EVENT_DOUBLE, value);
	else
		proto_int(&p->inner, EVENT_COUNT, (int64_t)value);
	end_event(p);
}

static int had_memory(const struct perfetto *p)
{
	return p->out.oom || p->packet.oom || p->inner.oom || p->note.oom ? say_error(FAILED, "out of memory") : OPT_GO_ON;
}

static int put_trace(struct perfetto *p)
{
	int status;

	put_tracks(p);
	for (size_t i = 0; i < p->ex->n; i++)
		put_life(p, p->ex->lives[i]);
	put_gaps(p);
	status = spans_count(&p->spans, put_count, p);
	return status == OPT_GO_ON ? had_memory(p) : status;
}

static void free_all(struct perfetto *p)
{
	spans_free(&p->spans);
	proto_free(&p->packet);
	proto_free(&p->inner);
	proto_free(&p->note);
	proto_free(&p->out);
}

int export_perfetto(struct export *ex)
{
	struct perfetto p = { .ex = ex };
	int status = spans_make(&p.spans, ex);

	if (status == OPT_GO_ON)
		status = put_trace(&p);
	free_all(&p);
	return status;
}

/* ---- a stream ---- */

static int begin_stream(struct export *ex)
{
	struct perfetto *p = calloc(1, sizeof(*p));

	ex->state = p;
	if (!p)
		return say_error(FAILED, "out of memory");
	p->ex = ex;
	spans_begin(&p->spans, ex);
	put_machine_track(p);
	return OPT_GO_ON;
}

/* A parent's, which lives on: its own figures come when it ends. */
static int put_track_in_stream(struct export *ex, const struct ktally_life *l)
{
	put_process_track(ex->state, l);
	return OPT_GO_ON;
}

static int put_in_stream(struct export *ex, const struct ktally_life *l)
{
	put_process_track(ex->state, l);
	put_life(ex->state, l);
	return had_memory(ex->state);
}

static int end_stream(struct export *ex)
{
	struct perfetto *p = ex->state;
	int status;

	put_gaps(p);
	status = had_memory(p);
	free_all(p);
	free(p);
	return status;
}

const struct export_stream export_stream_perfetto = {
	.sink = true, .begin = begin_stream, .track = put_track_in_stream, .put = put_in_stream, .flush = export_flush, .end = end_stream,
};
