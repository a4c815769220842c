// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stream.c - records of all CPUs, sessions and files in one order of time, with
 * what was lost made visible. They are read when their turn comes (opening.c found
 * them). Damage never stops it: it is booked and told.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout.h"
#include "stream.h"

#define GAPS_MAX	4096		/* what comes after is added to the last one */

/* ---- pushing ---- */

static int add_pushed(struct ktally_stream *s, const struct ktally_cursor *c, uint64_t first_time,
		      unsigned char *copy, size_t n)
{
	const struct slot slot = { .block = {
		.mem = copy, .length = (uint32_t)n, .first_seq = c->first_seq, .first_time = first_time,
	} };
	struct source *src = stream_source(s, 0, c->load_id, c->session);
	struct queue *q = src ? stream_queue(s, src, c->cpu) : NULL;

	if (!q || queue_add(q, &slot)) {
		free(copy);
		return stream_no_memory(s);
	}
	src->continues = false;
	return stream_enter(s, q);
}

int ktally_stream_push(struct ktally_stream *s, const void *subbuf, size_t n)
{
	unsigned char *copy = malloc(n ? n : 1);
	struct ktally_cursor c;
	struct ktally_event ev;
	uint64_t first_time;

	if (!copy)
		return stream_no_memory(s);
	memcpy(copy, subbuf, n);
	ktally_cursor_init(&c, copy, n);
	if (!s->push || n > CONTAINER_BLOCK_MAX || wire_frame(&c, &ev) != 1 || c.cpu >= CONTAINER_CPUS) {
		free(copy);
		return error_set(&s->error, -EBADMSG, "the module gave bytes that are no sub-buffer; see the kernel log");
	}
	first_time = ev.time;
	if (wire_frame(&c, &ev) == 1)
		first_time = ev.time;
	s->info.bytes += n;
	s->info.blocks++;
	return add_pushed(s, &c, first_time, copy, n);
}

void ktally_stream_settled(struct ktally_stream *s, uint64_t before)
{
	if (before > s->settled)
		s->settled = before;
}

/* ---- records ---- */

static void add_gap(struct ktally_stream *s, const struct queue *q, uint64_t lost, uint64_t to)
{
	struct ktally_gap *last = s->n_gaps ? &s->gaps[s->n_gaps - 1] : NULL;

	if (last && s->n_gaps == GAPS_MAX) {
		last->lost += lost;
		last->to = to;
		return;
	}
	if (s->n_gaps == s->gaps_room) {
		size_t room = s->gaps_room ? 2 * s->gaps_room : 16;
		struct ktally_gap *p = realloc(s->gaps, room * sizeof(*p));

		if (!p)
			return;		/* the sums by kind tell of it all the same */
		s->gaps = p;
		s->gaps_room = room;
	}
	s->gaps[s->n_gaps++] = (struct ktally_gap){
		.cpu = q->cpu, .lost = lost, .from = q->loss.last_time, .to = to,
		.damaged = q->damaged,
	};
}

static void book(struct ktally_stream *s, struct queue *q, const struct ktally_event *ev)
{
	struct ktally_stream_info *info = &s->info;
	uint64_t lost = loss_jump(&q->loss, ev->seq);

	if (lost)
		add_gap(s, q, lost, ev->time);
	q->damaged = false;
	loss_record(&q->loss, ev->kind, ev->time);
	q->given++;
	info->records++;
	if (!info->first_time)
		info->first_time = ev->time;
	info->last_time = ev->time;
	if (!ev->decoded && layout_of(ev->kind))
		info->undescribed++;
	else if (!ev->decoded)
		info->unknown_kinds++;
}

static void copy_text(char *to, size_t room, const struct ktally_str *s)
{
	size_t n = s->len < room - 1 ? s->len : room - 1;

	if (s->p)
		memcpy(to, s->p, n);
	to[s->p ? n : 0] = '\0';
}

static void take_info(struct ktally_stream_info *info, const struct ktally_event *ev)
{
	if (info->has_info)
		return;
	info->has_info = true;
	info->info = ev->u.info;
	if (!info->release[0])
		copy_text(info->release, sizeof(info->release), &ev->str[0]);
	if (!info->machine[0])
		copy_text(info->machine, sizeof(info->machine), &ev->str[1]);
	copy_text(info->module, sizeof(info->module), &ev->str[2]);
}

/* Places in the list of `end`, as they are bits of `present`. */
#define END_F(type, name)	END_##name,
#define END_A(type, name, n)	END_##name,
enum { KTALLY_END_FIELDS(END_F, END_A, ) };

static void take_own(struct ktally_stream *s, struct queue *q, const struct ktally_event *ev)
{
	if (!ev->decoded)
		return;
	if (ev->kind == KTALLY_INFO)
		take_info(&s->info, ev);
	if (ev->kind == KTALLY_SELECTION && ev->u.selection.what)
		s->info.selection = ev->u.selection;
	if (ev->kind == KTALLY_END) {
		q->source->ended = true;
		q->source->end = ev->u.end;
		q->source->end_has_ends = ev->present >> END_ends_net & 1;
	}
}

/* The record at the queue's cursor. 1 given, 0 none (damaged, or a header), -ENOMEM. */
static int give(struct ktally_stream *s, struct queue *q, struct ktally_event *ev)
{
	int ret = wire_frame(&q->cursor, ev);

	if (ret == 1) {
		ev->boot = q->source->boot;
		ret = wire_decode(q->source->wire, ev);
		if (ret == -EEXIST) {
			s->contradictions++;
			ret = 0;
		}
		if (!ret)
			ret = 1;
	}
	if (ret == -ENOMEM)
		return stream_no_memory(s);
	if (ret != 1) {
		queue_give_up_block(q);
		return 0;
	}
	if (ev->kind == KTALLY_HEADER) {
		loss_header(&q->loss, &ev->u.header, false);
		return 0;
	}
	book(s, q, ev);
	take_own(s, q, ev);
	s->last = q;
	return 1;
}

/* The clock pair of the first sub-buffer is nearer to its records than the file's. */
static void take_clocks(struct ktally_stream *s, const struct queue *q)
{
	const struct ktally_header *h;

	if (s->info.load_id)
		return;
	h = (const void *)(q->cursor.buf + sizeof(struct ktally_record));
	s->info.load_id = h->load_id;
	s->info.boottime = h->boottime;
	s->info.realtime = h->realtime;
}

static void free_retired(struct ktally_stream *s)
{
	if (!s->retired || s->retired->in_heap)
		return;
	free(s->retired->buf);
	s->retired->buf = NULL;
	s->retired->buf_room = 0;
	s->retired->loaded = false;
	s->retired = NULL;
}

static void settle_top(struct ktally_stream *s, struct queue *q)
{
	if (queue_peek(q)) {
		heap_sink(&s->heap);
		return;
	}
	heap_pop(&s->heap);
	s->retired = q;
}

static bool is_settled(const struct ktally_stream *s, uint64_t time)
{
	return time < s->settled || s->settled == UINT64_MAX;
}

bool ktally_stream_waits(const struct ktally_stream *s)
{
	return s->piped && (!s->heap.n || !is_settled(s, s->heap.q[0]->time));
}

int ktally_stream_next(struct ktally_stream *s, struct ktally_event *ev)
{
	int ret = 0;

	free_retired(s);
	while (!ret && (s->heap.n || s->piped)) {
		struct queue *q = s->heap.n ? s->heap.q[0] : NULL;

		if (ktally_stream_waits(s)) {
			ret = stream_take(s);
			continue;
		}
		if (s->push && !is_settled(s, q->time))
			return -EAGAIN;
		if (q->loaded) {
			ret = give(s, q, ev);
		} else {
			ret = queue_load(q, &s->crc);
			if (ret == 1) {
				take_clocks(s, q);
				ret = 0;
			} else if (ret < 0) {
				return stream_no_memory(s);
			}
		}
		if (ret >= 0)
			settle_top(s, q);
		if (!ret)
			free_retired(s);
	}
	if (!ret && s->push && s->settled != UINT64_MAX)
		return -EAGAIN;
	return ret;
}

size_t ktally_stream_gaps(const struct ktally_stream *s, const struct ktally_gap **gaps)
{
	*gaps = s->gaps;
	return s->n_gaps;
}

struct ktally_wire *ktally_stream_wire(struct ktally_stream *s)
{
	return s->last ? s->last->source->wire : NULL;
}

const char *ktally_stream_error(const struct ktally_stream *s)
{
	return error_text(s ? &s->error : NULL);
}

void ktally_stream_close(struct ktally_stream *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_queues; i++) {
		queue_free(s->queues[i]);
		free(s->queues[i]);
	}
	for (size_t i = 0; i < s->n_sources; i++) {
		ktally_wire_close(s->sources[i]->wire);
		free(s->sources[i]->queues);
		free(s->sources[i]);
	}
	for (size_t i = 0; i < s->n_recs; i++) {
		recording_close(s->recs[i]);
		free(s->recs[i]);
	}
	free(s->queues);
	free(s->sources);
	free(s->recs);
	free(s->heap.q);
	free(s->gaps);
	free(s);
}
