// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stream.c - records of all CPUs, sessions and files in one order of time, with
 * what was lost made visible. Opening scans the heads of blocks; the records are
 * read when their turn comes. Damage never stops it: it is booked and told.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout.h"
#include "stream.h"

#define FILES_OPEN	64		/* more are opened for each block */
#define GAPS_MAX	4096		/* what comes after is added to the last one */

static int no_memory(struct ktally_stream *s)
{
	return error_set(&s->error, -ENOMEM, "out of memory");
}

/* Room for one more pointer; NULL: no memory. */
static void *grown(void *array, size_t n)
{
	return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * sizeof(void *));
}

/* ---- sources and queues ---- */

static struct source *find_source(struct ktally_stream *s, uint32_t boot, uint64_t load_id,
				  uint32_t session)
{
	struct source *src;
	void *p;

	for (size_t i = s->n_sources; i-- > 0;) {
		src = s->sources[i];
		if (src->boot == boot && src->load_id == load_id && src->session == session)
			return src;
	}
	p = grown(s->sources, s->n_sources);
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

static struct queue *find_queue(struct ktally_stream *s, struct source *src, uint32_t cpu)
{
	struct queue *q;
	void *p;

	for (size_t i = s->n_queues; i-- > 0;)
		if (s->queues[i]->source == src && s->queues[i]->cpu == cpu)
			return s->queues[i];
	p = grown(s->queues, s->n_queues);
	if (!p)
		return NULL;
	s->queues = p;
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->source = src;
	q->cpu = cpu;
	s->queues[s->n_queues++] = q;
	return q;
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

static int take_descriptions(struct ktally_stream *s, struct source *src, const struct recording *r)
{
	for (size_t at = 0; at < r->descriptions_len;) {
		const char *text = r->descriptions + at;
		int ret = ktally_wire_describe(src->wire, text, strlen(text));

		at += strlen(text) + 1;
		if (ret == -ENOMEM)
			return no_memory(s);
		s->contradictions += ret == -EEXIST;
	}
	return 0;
}

static int add_blocks(struct ktally_stream *s, struct recording *r, uint32_t boot)
{
	struct source *seen = NULL;

	for (size_t i = 0; i < r->n_blocks; i++) {
		const struct block *b = &r->blocks[i];
		struct slot slot = {
			.block = b, .rec = r, .first_seq = b->first_seq, .first_time = b->first_time,
		};
		struct source *src = find_source(s, boot, b->load_id, b->session);
		struct queue *q = src ? find_queue(s, src, b->cpu) : NULL;

		if (!q || queue_add(q, &slot))
			return no_memory(s);
		widen(src, b);
		if (src == seen)
			continue;
		seen = src;
		src->name = r->name;
		take_base(src, r);
		if (take_descriptions(s, src, r))
			return -ENOMEM;
	}
	return 0;
}

/* ---- boots ---- */

static uint64_t boot_clock(const struct recording *r)
{
	return r->realtime - r->boottime;
}

static int by_boot(const void *a, const void *b)
{
	const struct recording *x = *(struct recording *const *)a;
	const struct recording *y = *(struct recording *const *)b;

	if (strcmp(x->boot_id, y->boot_id) && boot_clock(x) != boot_clock(y))
		return boot_clock(x) < boot_clock(y) ? -1 : 1;
	return strcmp(x->boot_id, y->boot_id);
}

static int add_recordings(struct ktally_stream *s)
{
	uint32_t boot = 0;

	if (s->n_recs > 1)
		qsort(s->recs, s->n_recs, sizeof(*s->recs), by_boot);
	for (size_t i = 0; i < s->n_recs; i++) {
		if (i && strcmp(s->recs[i - 1]->boot_id, s->recs[i]->boot_id))
			boot++;
		if (add_blocks(s, s->recs[i], boot))
			return -ENOMEM;
	}
	s->info.boots = boot + 1;
	return 0;
}

/* Two sessions of the same time hold the same events twice. */
static int refuse_overlap(struct ktally_stream *s)
{
	for (size_t i = 0; i < s->n_sources; i++)
		for (size_t j = i + 1; j < s->n_sources; j++) {
			const struct source *a = s->sources[i], *b = s->sources[j];

			if (a->boot != b->boot || !a->first_time || !b->first_time ||
			    a->last_time < b->first_time || b->last_time < a->first_time)
				continue;
			return error_set(&s->error, -EINVAL,
					 "%s and %s were recorded at the same time; read them one by one",
					 a->name, b->name);
		}
	return 0;
}

static int start_queues(struct ktally_stream *s)
{
	for (size_t i = 0; i < s->n_queues; i++) {
		struct queue *q = s->queues[i];

		queue_sort(q);
		if (queue_peek(q) && heap_push(&s->heap, q))
			return no_memory(s);
	}
	return 0;
}

/* ---- opening ---- */

static struct ktally_stream *new_stream(struct ktally_stream **out)
{
	struct ktally_stream *s = calloc(1, sizeof(*s));

	*out = s;
	if (s)
		crc32c_init(&s->crc);
	return s;
}

static struct recording *new_recording(struct ktally_stream *s)
{
	struct recording *r = calloc(1, sizeof(*r));
	void *p = r ? grown(s->recs, s->n_recs) : NULL;

	if (!p) {
		free(r);
		return NULL;
	}
	r->in.fd = -1;
	s->recs = p;
	s->recs[s->n_recs++] = r;
	return r;
}

static int why_not_open(struct ktally_stream *s, const char *path, int err)
{
	if (err == -ENOENT)
		return error_set(&s->error, err, "%s: no such file; make one with: ktally record", path);
	return error_set(&s->error, err, "%s: can't open: %s", path, strerror(-err));
}

static int open_file(struct ktally_stream *s, const char *path)
{
	struct recording *r = new_recording(s);
	int ret;

	if (!r)
		return no_memory(s);
	ret = input_open(&r->in, path, s->n_recs <= FILES_OPEN);
	if (ret)
		return why_not_open(s, path, ret);
	r->name = !strcmp(path, "-") ? "standard input" : r->in.path;
	return recording_scan(r, &s->crc, &s->error);
}

static int is_recording(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 4 && !strcmp(d->d_name + n - 4, ".ktl");
}

static int open_entry(struct ktally_stream *s, const char *folder, const char *name)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return no_memory(s);
	ret = open_file(s, path);
	free(path);
	return ret;
}

static int open_folder(struct ktally_stream *s, const char *path, int n, struct dirent **names)
{
	int ret = 0;

	if (!n)
		return error_set(&s->error, -ENOENT, "%s: no recordings (*.ktl) in this folder", path);
	for (int i = 0; i < n && !ret; i++)
		ret = open_entry(s, path, names[i]->d_name);
	return ret;
}

static int open_any(struct ktally_stream *s, const char *path)
{
	struct dirent **names;
	int n = strcmp(path, "-") ? scandir(path, &names, is_recording, alphasort) : -1;
	int ret;

	if (n < 0)
		return open_file(s, path);
	ret = open_folder(s, path, n, names);
	while (n--)
		free(names[n]);
	free(names);
	return ret;
}

static void describe_machine(struct ktally_stream *s)
{
	struct ktally_stream_info *info = &s->info;

	info->files = s->n_recs;
	for (size_t i = 0; i < s->n_recs; i++) {
		const struct recording *r = s->recs[i];

		info->bytes += r->in.size;
		info->blocks += r->n_blocks;
		if (!info->cut_at)
			info->cut_at = r->cut_at;
		if (!r->has_machine || info->boottime)
			continue;
		memcpy(info->boot_id, r->boot_id, sizeof(info->boot_id));
		memcpy(info->host, r->host, sizeof(info->host));
		memcpy(info->release, r->release, sizeof(info->release));
		memcpy(info->machine, r->machine, sizeof(info->machine));
		memcpy(info->command, r->command, sizeof(info->command));
		info->boottime = r->boottime;
		info->realtime = r->realtime;
		info->root_tgid = r->root_tgid;
		info->root_start = r->root_start;
	}
}

static int begin(struct ktally_stream *s)
{
	int ret = add_recordings(s);

	if (!ret)
		ret = refuse_overlap(s);
	if (!ret)
		ret = start_queues(s);
	if (!ret)
		describe_machine(s);
	return ret;
}

int ktally_stream_open_files(struct ktally_stream **out, const char *const *paths, size_t n)
{
	struct ktally_stream *s = new_stream(out);
	int ret = s ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !ret; i++)
		ret = open_any(s, paths[i]);
	return ret ? ret : begin(s);
}

int ktally_stream_open_memory(struct ktally_stream **out, const void *recording, size_t n)
{
	struct ktally_stream *s = new_stream(out);
	struct recording *r = s ? new_recording(s) : NULL;
	int ret;

	if (!r)
		return s ? no_memory(s) : -ENOMEM;
	input_memory(&r->in, recording, n);
	r->name = "recording";
	ret = recording_scan(r, &s->crc, &s->error);
	return ret ? ret : begin(s);
}

int ktally_stream_open_push(struct ktally_stream **out)
{
	struct ktally_stream *s = new_stream(out);

	if (!s)
		return -ENOMEM;
	s->push = true;
	s->info.boots = 1;
	return 0;
}

/* ---- pushing ---- */

static int add_pushed(struct ktally_stream *s, const struct ktally_cursor *c, uint64_t first_time,
		      unsigned char *copy, size_t n)
{
	struct slot slot = {
		.mem = copy, .len = n, .first_seq = c->first_seq, .first_time = first_time,
	};
	struct source *src = find_source(s, 0, c->load_id, c->session);
	struct queue *q = src ? find_queue(s, src, c->cpu) : NULL;

	if (!q || queue_add(q, &slot)) {
		free(copy);
		return no_memory(s);
	}
	src->continues = false;
	if (q->in_heap)
		return 0;
	queue_peek(q);
	return heap_push(&s->heap, q) ? no_memory(s) : 0;
}

int ktally_stream_push(struct ktally_stream *s, const void *subbuf, size_t n)
{
	unsigned char *copy = malloc(n ? n : 1);
	struct ktally_cursor c;
	struct ktally_event ev;
	uint64_t first_time;

	if (!copy)
		return no_memory(s);
	memcpy(copy, subbuf, n);
	ktally_cursor_init(&c, copy, n);
	if (!s->push || wire_frame(&c, &ev) != 1) {
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

static void take_own(struct ktally_stream *s, struct queue *q, const struct ktally_event *ev)
{
	if (!ev->decoded)
		return;
	if (ev->kind == KTALLY_INFO)
		take_info(&s->info, ev);
	if (ev->kind == KTALLY_END) {
		q->source->ended = true;
		q->source->end = ev->u.end;
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
		return no_memory(s);
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

int ktally_stream_next(struct ktally_stream *s, struct ktally_event *ev)
{
	int ret = 0;

	free_retired(s);
	while (!ret && s->heap.n) {
		struct queue *q = s->heap.q[0];

		if (s->push && q->time >= s->settled)
			return -EAGAIN;
		if (q->loaded) {
			ret = give(s, q, ev);
		} else {
			ret = queue_load(q, &s->crc);
			if (ret == 1) {
				take_clocks(s, q);
				ret = 0;
			} else if (ret < 0) {
				return no_memory(s);
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

/* ---- sums and words ---- */

static uint64_t attempts_of(const struct ktally_stream *s, const struct source *src, int kind)
{
	uint64_t n = 0;

	if (src->ended) {
		uint64_t base = src->continues ? src->base[kind] : 0;

		return src->end.attempts[kind] > base ? src->end.attempts[kind] - base : 0;
	}
	for (size_t i = 0; i < s->n_queues; i++)
		if (s->queues[i]->source == src)
			n += loss_attempts(&s->queues[i]->loss, kind);
	return n;
}

static void sum_source(struct ktally_stream *s, const struct source *src)
{
	struct ktally_stream_info *info = &s->info;

	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		uint64_t came = 0, filtered = 0;
		uint64_t attempts = attempts_of(s, src, kind);

		for (size_t i = 0; i < s->n_queues; i++) {
			const struct queue *q = s->queues[i];

			if (q->source != src)
				continue;
			came += q->loss.came[kind];
			filtered += q->loss.filtered[kind] - q->loss.filtered_base[kind];
		}
		info->attempts[kind] += attempts;
		info->lost[kind] += attempts > came ? attempts - came : 0;
		info->filtered[kind] += src->ended && !src->continues ?
					src->end.filtered[kind] : filtered;
	}
	info->kp_missed += src->ended ? src->end.kp_missed : 0;
	info->ended &= src->ended;
}

static void sum_threads(struct ktally_stream *s)
{
	for (size_t i = 0; i < s->n_queues; i++) {
		const struct queue *q = s->queues[i];

		if (!q->source->ended || q->source->continues)
			s->info.threads += q->loss.threads - q->loss.threads_base;
	}
	for (size_t i = 0; i < s->n_sources; i++)
		if (s->sources[i]->ended && !s->sources[i]->continues)
			s->info.threads += s->sources[i]->end.threads;
}

static uint32_t count_cpus(const struct ktally_stream *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n_queues; i++) {
		size_t j = 0;

		while (j < i && s->queues[j]->cpu != s->queues[i]->cpu)
			j++;
		n += j == i;
	}
	return n;
}

static void sum_recordings(struct ktally_stream *s)
{
	s->info.missing_blocks = s->info.unknown_codecs = 0;
	for (size_t i = 0; i < s->n_recs; i++) {
		s->info.missing_blocks += s->recs[i]->missing_blocks;
		s->info.unknown_codecs += s->recs[i]->skipped_blocks;
	}
}

const struct ktally_stream_info *ktally_stream_info(struct ktally_stream *s)
{
	struct ktally_stream_info *info = &s->info;

	memset(info->attempts, 0, sizeof(info->attempts));
	memset(info->lost, 0, sizeof(info->lost));
	memset(info->filtered, 0, sizeof(info->filtered));
	info->threads = info->kp_missed = 0;
	info->ended = s->n_sources > 0;
	for (size_t i = 0; i < s->n_sources; i++)
		sum_source(s, s->sources[i]);
	sum_threads(s);
	sum_recordings(s);
	info->cpus = count_cpus(s);
	info->sessions = s->n_sources;
	return info;
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
