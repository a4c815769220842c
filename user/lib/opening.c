// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * opening.c - from paths, memory or nothing to a stream that can give records: finds
 * the recordings, sorts their blocks by session and CPU, and puts boots in order.
 * Only heads of blocks are read here; it does I/O and keeps what it opened.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "stream.h"

#define FILES_OPEN	64		/* more are opened for each block */

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

static int give_blocks(struct ktally_stream *s, struct recording *r, uint32_t boot)
{
	int ret = 0;

	while (!ret && r->given < r->n_blocks)
		ret = stream_add_block(s, r, boot, &r->blocks[r->given++]);
	free(r->blocks);
	r->blocks = NULL;
	return ret;
}

static int add_recordings(struct ktally_stream *s)
{
	uint32_t boot = 0;

	for (size_t i = 0; i < s->n_recs; i++)
		if (recording_scan(s->recs[i], &s->crc))
			return stream_no_memory(s);
	if (s->n_recs > 1)
		qsort(s->recs, s->n_recs, sizeof(*s->recs), by_boot);
	for (size_t i = 0; i < s->n_recs; i++) {
		if (i && strcmp(s->recs[i - 1]->boot_id, s->recs[i]->boot_id))
			boot++;
		if (give_blocks(s, s->recs[i], boot))
			return -ENOMEM;
	}
	s->info.boots = boot + 1;
	return 0;
}

static void widen_extent(const struct ktally_stream *s, uint32_t boot, struct ktally_extent *e)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		const struct source *src = s->sources[i];

		if (src->boot != boot || !src->first_time)
			continue;
		if (!e->first || src->first_time < e->first)
			e->first = src->first_time;
		if (src->last_time > e->last)
			e->last = src->last_time;
	}
}

bool ktally_stream_extent(const struct ktally_stream *s, uint32_t boot, struct ktally_extent *e)
{
	uint32_t at = 0;

	*e = (struct ktally_extent){ 0, 0, 0 };
	for (size_t i = 0; i < s->n_recs; i++) {
		if (i && strcmp(s->recs[i - 1]->boot_id, s->recs[i]->boot_id))
			at++;
		if (at != boot)
			continue;
		e->real = (int64_t)boot_clock(s->recs[i]);
		widen_extent(s, boot, e);
		return true;
	}
	return false;
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
			return stream_no_memory(s);
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
	void *p = r ? stream_grown(s->recs, s->n_recs) : NULL;

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
		return stream_no_memory(s);
	ret = input_open(&r->in, path, s->n_recs <= FILES_OPEN);
	if (ret)
		return why_not_open(s, path, ret);
	r->name = !strcmp(path, "-") ? "standard input" : r->in.path;
	return recording_open(r, &s->crc, &s->error);
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
		return stream_no_memory(s);
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
	info->bytes = info->blocks = 0;
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

const char *ktally_stream_note(const struct ktally_stream *s, const char *name, size_t *len)
{
	for (size_t i = s->n_recs; i-- > 0;)
		for (size_t k = s->recs[i]->n_notes; k-- > 0;)
			if (!strcmp(s->recs[i]->notes[k].name, name)) {
				*len = s->recs[i]->notes[k].len;
				return s->recs[i]->notes[k].text;
			}
	return NULL;
}

int stream_take(struct ktally_stream *s)
{
	struct recording *r = s->piped;
	struct block b;
	int ret = 0, got;

	while (!ret && (got = recording_next(r, &s->crc, &b)) == RECORDING_BLOCK)
		ret = stream_add_block(s, r, 0, &b);
	if (!ret && got < 0)
		ret = stream_no_memory(s);
	if (!ret && s->n_sources && !r->described)
		ret = stream_describe(s, s->sources[0], r);
	if (ret)
		return ret;
	s->settled = got == RECORDING_MARK ? r->settled : UINT64_MAX;
	if (got == RECORDING_END)
		s->piped = NULL;
	describe_machine(s);
	return 0;
}

int ktally_stream_wait(struct ktally_stream *s)
{
	int ret = 0;

	while (s->piped && !ret)
		ret = stream_take(s);
	return ret;
}

static int begin_files(struct ktally_stream *s)
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

/* A pipe beside other recordings is taken whole: what it holds may belong before theirs. */
static int begin(struct ktally_stream *s)
{
	if (s->n_recs != 1 || !s->recs[0]->in.piped)
		return begin_files(s);
	s->piped = s->recs[0];
	s->info.boots = 1;
	return stream_take(s);
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
		return s ? stream_no_memory(s) : -ENOMEM;
	input_memory(&r->in, recording, n);
	r->name = "recording";
	ret = recording_open(r, &s->crc, &s->error);
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
