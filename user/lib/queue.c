// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * queue.c - the records of one CPU of one session, block by block. A block is read
 * only when its first record is the oldest of all, so that memory holds one block a
 * queue at most; the heap is ordered by boot, time, and then by source and CPU so
 * that equal times come out the same way each time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"

int queue_add(struct queue *q, const struct slot *s)
{
	/* As many go as stay, so each is moved once. */
	if (q->n == q->room && 2 * q->next > q->n) {
		q->n -= q->next;
		memmove(q->slots, q->slots + q->next, q->n * sizeof(*q->slots));
		q->next = 0;
	}
	if (q->n == q->room) {
		size_t room = q->room ? q->room * 2 : 16;
		struct slot *p = realloc(q->slots, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		q->slots = p;
		q->room = room;
	}
	q->slots[q->n++] = *s;
	q->newest_seq = s->block.first_seq;
	return 0;
}

static int by_sequence(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->block.first_seq != y->block.first_seq)
		return x->block.first_seq < y->block.first_seq ? -1 : 1;
	if (x->block.cut != y->block.cut)
		return x->block.cut ? 1 : -1;
	if (x->block.records != y->block.records)
		return x->block.records < y->block.records ? -1 : 1;
	return 0;
}

static bool same_block(const struct slot *a, const struct slot *b)
{
	return a->block.first_seq == b->block.first_seq && a->block.first_time == b->block.first_time &&
	       a->block.records == b->block.records;
}

void queue_sort(struct queue *q)
{
	size_t kept = 0;

	qsort(q->slots, q->n, sizeof(*q->slots), by_sequence);
	for (size_t i = 0; i < q->n; i++)
		if (!kept || !same_block(&q->slots[kept - 1], &q->slots[i]))
			q->slots[kept++] = q->slots[i];
		else
			free(q->slots[i].block.mem);
	q->n = kept;
}

bool queue_peek(struct queue *q)
{
	if (q->loaded && q->cursor.pos < q->cursor.n) {
		/* What lies there may be too short for a frame: then its turn is now. */
		if (q->cursor.n - q->cursor.pos >= sizeof(struct ktally_record))
			memcpy(&q->time, q->cursor.buf + q->cursor.pos +
			       offsetof(struct ktally_record, time), sizeof(q->time));
		return true;
	}
	if (q->next == q->n)
		return false;
	q->loaded = false;
	q->time = q->slots[q->next].block.first_time;
	return true;
}

static long fetch(struct queue *q, struct slot *s, const struct crc32c *crc)
{
	struct block *b = &s->block;
	long n = b->length;

	if (s->rec) {
		n = recording_read(s->rec, b, crc, &q->buf, &q->buf_room);
		free(b->mem);
	} else {
		free(q->buf);
		q->buf = b->mem;
		q->buf_room = b->length;
	}
	b->mem = NULL;
	return n;
}

static bool header_agrees(const struct queue *q, const struct block *b)
{
	return q->cursor.cpu == q->cpu && q->cursor.session == q->source->session &&
	       q->cursor.load_id == q->source->load_id && q->cursor.first_seq == b->first_seq;
}

int queue_load(struct queue *q, const struct crc32c *crc)
{
	struct slot *s = &q->loaded_slot;
	struct ktally_event ev;
	long n;

	/* Its place is for others now. */
	*s = q->slots[q->next++];
	n = fetch(q, s, crc);
	q->given = 0;
	if (n == -ENOMEM)
		return n;
	if (n < 0) {
		q->damaged = true;
		return 0;
	}
	ktally_cursor_init(&q->cursor, q->buf, n);
	if (wire_frame(&q->cursor, &ev) != 1 || !header_agrees(q, &s->block)) {
		q->damaged = true;
		if (s->rec && s->block.cut)
			s->rec->missing_records += s->block.records;
		else if (s->rec)
			recording_damage(s->rec, s->block.at, 1, s->block.records);
		return 0;
	}
	/* Of a later snapshot alone nobody knows what an earlier one holds. */
	if (q->source->flight && (q->loss.begun || !q->source->continues))
		loss_overwritten(&q->loss, ev.payload);
	loss_header(&q->loss, ev.payload, q->source->continues);
	q->loaded = true;
	return 1;
}

void queue_give_up_block(struct queue *q)
{
	const struct slot *s = &q->loaded_slot;
	uint32_t missing = s->block.records > q->given ? s->block.records - q->given : 0;

	q->cursor.pos = q->cursor.n;
	q->damaged = true;
	if (!s->rec)
		return;
	if (s->block.cut)
		s->rec->missing_records += missing;
	else
		recording_damage(s->rec, s->block.at, 0, missing);
}

void queue_free(struct queue *q)
{
	for (size_t i = q->next; i < q->n; i++)
		free(q->slots[i].block.mem);
	free(q->slots);
	free(q->buf);
}

static bool before(const struct queue *a, const struct queue *b)
{
	if (a->source->boot != b->source->boot)
		return a->source->boot < b->source->boot;
	if (a->time != b->time)
		return a->time < b->time;
	if (a->source->order != b->source->order)
		return a->source->order < b->source->order;
	return a->cpu < b->cpu;
}

static void sink(struct heap *h, size_t i)
{
	struct queue *q = h->q[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= h->n)
			break;
		if (child + 1 < h->n && before(h->q[child + 1], h->q[child]))
			child++;
		if (before(q, h->q[child]))
			break;
		h->q[i] = h->q[child];
		i = child;
	}
	h->q[i] = q;
}

int heap_push(struct heap *h, struct queue *q)
{
	size_t i = h->n;

	if (h->n == h->room) {
		size_t room = h->room ? h->room * 2 : 16;
		struct queue **p = realloc(h->q, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		h->q = p;
		h->room = room;
	}
	h->n++;
	for (; i && before(q, h->q[(i - 1) / 2]); i = (i - 1) / 2)
		h->q[i] = h->q[(i - 1) / 2];
	h->q[i] = q;
	q->in_heap = true;
	return 0;
}

void heap_sink(struct heap *h)
{
	sink(h, 0);
}

void heap_pop(struct heap *h)
{
	h->q[0]->in_heap = false;
	h->q[0] = h->q[--h->n];
	if (h->n)
		sink(h, 0);
}
