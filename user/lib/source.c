// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * source.c - where blocks go: to the session they are of, and in it to their CPU. What a
 * file says of its sessions goes with them. Memory only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#define SOURCES_MAX	8		/* of one file, which a recorder makes of one */

int stream_no_memory(struct ktally_stream *s)
{
	return error_set(&s->error, -ENOMEM, "out of memory");
}

void *stream_grown(void *array, size_t n)
{
	return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * sizeof(void *));
}

/* ---- sources and queues ---- */

static struct source *find_source(const struct ktally_stream *s, uint32_t boot, uint64_t load_id,
				  uint32_t session)
{
	for (size_t i = s->n_sources; i-- > 0;) {
		struct source *src = s->sources[i];

		if (src->boot == boot && src->load_id == load_id && src->session == session)
			return src;
	}
	return NULL;
}

struct source *stream_source(struct ktally_stream *s, uint32_t boot, uint64_t load_id,
			     uint32_t session)
{
	struct source *src = find_source(s, boot, load_id, session);
	void *p;

	if (src)
		return src;
	p = stream_grown(s->sources, s->n_sources);
	if (!p)
		return NULL;
	s->sources = p;
	src = calloc(1, sizeof(*src));
	if (!src)
		return NULL;
	src->wire = ktally_wire_open();
	if (!src->wire) {
		free(src);
		return NULL;
	}
	src->boot = boot;
	src->load_id = load_id;
	src->session = session;
	src->order = s->n_sources;
	src->continues = true;
	s->sources[s->n_sources++] = src;
	return src;
}

static bool make_room(struct source *src, uint32_t cpu)
{
	size_t n = cpu + 1;
	struct queue **p = realloc(src->queues, n * sizeof(*p));

	if (!p)
		return false;
	memset(p + src->n_queues, 0, (n - src->n_queues) * sizeof(*p));
	src->queues = p;
	src->n_queues = n;
	return true;
}

struct queue *stream_queue(struct ktally_stream *s, struct source *src, uint32_t cpu)
{
	struct queue *q;
	void *p;

	if (cpu >= src->n_queues && !make_room(src, cpu))
		return NULL;
	if (src->queues[cpu])
		return src->queues[cpu];
	p = stream_grown(s->queues, s->n_queues);
	if (!p)
		return NULL;
	s->queues = p;
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->source = src;
	q->cpu = cpu;
	src->queues[cpu] = q;
	s->queues[s->n_queues++] = q;
	return q;
}

int stream_enter(struct ktally_stream *s, struct queue *q)
{
	if (q->in_heap || !queue_peek(q))
		return 0;
	return heap_push(&s->heap, q) ? stream_no_memory(s) : 0;
}

static void widen(struct source *src, const struct block *b)
{
	if (!b->records)
		return;
	if (!src->first_time || b->first_time < src->first_time)
		src->first_time = b->first_time;
	if (b->last_time > src->last_time)
		src->last_time = b->last_time;
}

/* The earliest file of a session says what came before all of them. */
static void take_base(struct source *src, const struct recording *r)
{
	uint64_t mine = 0, theirs = 0;

	if (!r->continues) {
		src->continues = false;
		return;
	}
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		mine += src->base[kind];
		theirs += r->base[kind];
	}
	if (!src->has_base || theirs < mine)
		memcpy(src->base, r->base, sizeof(src->base));
	src->has_base = true;
}

int stream_describe(struct ktally_stream *s, struct source *src, struct recording *r)
{
	r->described = r->descriptions;
	for (size_t at = 0; at < r->descriptions_len;) {
		const char *text = r->descriptions + at;
		int ret = ktally_wire_describe(src->wire, text, strlen(text));

		at += strlen(text) + 1;
		if (ret == -ENOMEM)
			return stream_no_memory(s);
		s->contradictions += ret == -EEXIST;
	}
	return 0;
}

/* What the file says of its sessions. */
static int take_head(struct ktally_stream *s, struct source *src, struct recording *r)
{
	src->name = r->name;
	src->flight |= r->flight;
	take_base(src, r);
	return stream_describe(s, src, r);
}

static int refuse_block(struct recording *r, const struct block *b)
{
	recording_damage(r, b->at, 1, b->records);
	free(b->mem);
	return 0;
}

static int add_block(struct ktally_stream *s, struct source *src, struct recording *r, const struct block *b)
{
	const struct slot slot = { .block = *b, .rec = r };
	struct queue *q = src ? stream_queue(s, src, b->cpu) : NULL;

	/* What comes through a pipe is in order, or forged, and is not sorted. */
	if (q && s->piped && q->slots && b->first_seq <= q->newest_seq)
		return refuse_block(r, b);
	if (!q || queue_add(q, &slot)) {
		free(b->mem);
		return stream_no_memory(s);
	}
	widen(src, b);
	if (src->name != r->name && take_head(s, src, r))
		return -ENOMEM;
	return s->piped ? stream_enter(s, q) : 0;
}

int stream_add_block(struct ktally_stream *s, struct recording *r, uint32_t boot, const struct block *b)
{
	struct source *src = find_source(s, boot, b->load_id, b->session);

	if (src)
		return add_block(s, src, r, b);
	/* Each costs what all descriptions cost, and heads of blocks cost nothing. */
	if (r->sources == (s->piped ? 1 : SOURCES_MAX))
		return refuse_block(r, b);
	r->sources++;
	return add_block(s, stream_source(s, boot, b->load_id, b->session), r, b);
}
