// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * file.c - writes a recording: head, then a block per sub-buffer as it came or packed,
 * then index and summary. A block is written whole or taken back, so that a full disk
 * leaves a recording that can be read, and that can be written on once there is room.
 * Decodes nothing but frames and descriptions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

/* A mark takes a block's head: in a file, which is read from a pipe now and then, few will do. */
#define MARK_EVERY	64

/* What one sub-buffer holds. */
struct contents {
	struct ktally_header header;
	uint64_t first_time, last_time, worth;
	uint32_t records;
	bool beyond_formats;
};

/* ---- bytes out ---- */

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		p += put;
		n -= (size_t)put;
	}
	return 0;
}

/* As if a refused write had not been tried. A disk may refuse that for a while, too. */
static int mend(struct ktally_file *f)
{
	if (!f->torn)
		return 0;
	if (ftruncate(f->fd, f->bytes) || lseek(f->fd, f->bytes, SEEK_SET) < 0)
		return -errno;
	f->torn = false;
	return 0;
}

static void take_back(struct ktally_file *f, int err)
{
	if (!f->seekable) {
		f->stuck = err;
		return;
	}
	f->torn = true;
	mend(f);
}

static const char *advice(int err)
{
	switch (-err) {
	case ENOSPC:
	case EDQUOT:	return "; make room or choose another place with -o";
	case EFBIG:	return "; raise the limit of file sizes (ulimit -f)";
	case EPIPE:	return "; the reader has gone";
	}
	return "";
}

int file_no_memory(struct ktally_file *f)
{
	return error_set(&f->error, -ENOMEM, "out of memory");
}

int file_put(struct ktally_file *f, const void *bytes, size_t n)
{
	int ret = f->stuck ? f->stuck : mend(f);

	if (!ret) {
		ret = write_all(f->fd, bytes, n);
		if (ret)
			take_back(f, ret);
	}
	if (ret)
		return error_set(&f->error, ret, "%s: can't write: %s%s", f->path, strerror(-ret),
				 advice(ret));
	f->bytes += n;
	return 0;
}

/* ---- blocks out ---- */

/* Head, payload and padding go out by one write. */
static int put_sealed(struct ktally_file *f, const struct block_head *h, const void *payload)
{
	uint64_t span = block_span(h);
	char *all = calloc(1, span);
	int ret;

	if (!all)
		return file_no_memory(f);
	memcpy(mempcpy(all, h, sizeof(*h)), payload, h->length);
	ret = file_put(f, all, span);
	free(all);
	return ret;
}

/* Texts stay readable for the eye and for every reader. */
static bool may_pack(const struct ktally_file *f, const struct block_head *h, uint32_t n)
{
	return f->packer && n <= CONTAINER_PACKED_MAX &&
	       (h->type == BLOCK_RECORDS || h->type == BLOCK_INDEX);
}

static int put_block(struct ktally_file *f, struct block_head *h, const void *payload, uint32_t n)
{
	const void *out;
	size_t packed = may_pack(f, h, n) ? packer_pack(f->packer, payload, n, &out) : 0;

	h->file_id = f->file_id;
	if (!packed) {
		block_seal(h, &f->crc, payload, n);
		return put_sealed(f, h, payload);
	}
	h->codec = CODEC_ZSTD;
	h->raw_length = n;
	block_seal_packed(h, &f->crc, out, (uint32_t)packed);
	return put_sealed(f, h, out);
}

static int put_index(struct ktally_file *f)
{
	struct block_head h = { .type = BLOCK_INDEX };
	uint64_t at = f->bytes;
	uint32_t n = 0;
	void *payload = index_payload(&f->index, &n);
	int ret = payload ? put_block(f, &h, payload, n) : file_no_memory(f);

	if (!ret)
		index_written(&f->index, at);
	free(payload);
	return ret;
}

int file_put_block(struct ktally_file *f, struct block_head *h, const void *payload, uint32_t n)
{
	uint64_t at;
	int ret = f->index.head.entries >= INDEX_EVERY ? put_index(f) : 0;

	at = f->bytes;
	if (!ret)
		ret = put_block(f, h, payload, n);
	if (!ret && index_add(&f->index, at, h))
		f->unindexed = true;
	return ret;
}

/* ---- blocks ---- */

static bool is_worth(uint32_t kind)
{
	return kind != KTALLY_FORMAT && kind != KTALLY_INFO && kind != KTALLY_WALK_BEGIN &&
	       kind != KTALLY_WALK_END && kind != KTALLY_END && kind != KTALLY_SELECTION;
}

static int look_through(struct ktally_file *f, const void *subbuf, size_t n, struct contents *c)
{
	struct ktally_cursor cursor;
	struct ktally_event ev;

	memset(c, 0, sizeof(*c));
	ktally_cursor_init(&cursor, subbuf, n);
	if (wire_frame(&cursor, &ev) != 1)
		return error_set(&f->error, -EBADMSG,
				 "the module gave bytes that are no sub-buffer; see the kernel log");
	memcpy(&c->header, ev.payload, sizeof(c->header));
	/* Damage behind this point is written as it came: the reader will tell it. */
	while (wire_frame(&cursor, &ev) == 1) {
		if (!c->records++)
			c->first_time = ev.time;
		c->last_time = ev.time;
		c->worth += is_worth(ev.kind);
		if (ev.kind == KTALLY_FORMAT)
			wire_decode(f->wire, &ev);
		else
			c->beyond_formats = true;
	}
	return 0;
}

static int make_room(struct ktally_file *f, uint32_t cpu)
{
	struct loss *p;
	size_t n = cpu + 1;

	if (cpu < f->n_cpus)
		return 0;
	if (cpu >= CONTAINER_CPUS)
		return error_set(&f->error, -EBADMSG, "the module gave CPU number %u", cpu);
	p = realloc(f->cpus, n * sizeof(*p));
	if (!p)
		return file_no_memory(f);
	memset(p + f->n_cpus, 0, (n - f->n_cpus) * sizeof(*p));
	f->cpus = p;
	f->n_cpus = n;
	return 0;
}

static void account(struct ktally_file *f, const void *subbuf, size_t n, const struct contents *c)
{
	struct loss *l = &f->cpus[c->header.cpu];
	struct ktally_cursor cursor;
	struct ktally_event ev;

	loss_header(l, &c->header, f->base[KTALLY_FORMAT] > 0);
	ktally_cursor_init(&cursor, subbuf, n);
	while (wire_frame(&cursor, &ev) == 1)
		if (ev.kind != KTALLY_HEADER)
			loss_record(l, ev.kind, ev.time);
	f->worth += c->worth;
	f->unmarked++;
	f->sum.blocks++;
	f->sum.records += c->records;
	if (c->records && !f->sum.first_time)
		f->sum.first_time = c->first_time;
	if (c->last_time > f->sum.last_time)
		f->sum.last_time = c->last_time;
}

int ktally_file_add(struct ktally_file *f, const void *subbuf, size_t n)
{
	struct block_head h = { .type = BLOCK_RECORDS };
	struct contents c;
	int ret;

	if (n > CONTAINER_BLOCK_MAX)
		return error_set(&f->error, -EMSGSIZE, "a sub-buffer of %zu bytes is too long", n);
	ret = look_through(f, subbuf, n, &c);
	if (!ret)
		ret = make_room(f, c.header.cpu);
	if (ret)
		return ret;
	h.cpu = c.header.cpu;
	h.session = c.header.session;
	h.load_id = c.header.load_id;
	h.first_seq = c.header.first_seq;
	h.first_time = c.first_time;
	h.last_time = c.last_time;
	h.records = c.records;
	/* Once more in one place: one damaged block shall not make all others unreadable. */
	ret = c.beyond_formats && !f->described ? file_put_descriptions(f) : 0;
	if (!ret)
		ret = file_put_block(f, &h, subbuf, n);
	if (!ret)
		account(f, subbuf, n, &c);
	return ret;
}

int ktally_file_mark(struct ktally_file *f, uint64_t before)
{
	struct block_head h = { .type = BLOCK_MARK, .first_time = before };
	int ret;

	if (f->unmarked < (f->seekable ? MARK_EVERY : 1))
		return 0;
	ret = file_put_block(f, &h, "", 0);
	if (!ret)
		f->unmarked = 0;
	return ret;
}

uint64_t ktally_file_bytes(const struct ktally_file *f)
{
	return f->bytes;
}

uint64_t ktally_file_records(const struct ktally_file *f)
{
	return f->sum.records;
}

const char *ktally_file_error(const struct ktally_file *f)
{
	return error_text(f ? &f->error : NULL);
}

/* A few blocks are found without an index as fast. */
static void put_last_index(struct ktally_file *f)
{
	uint64_t at = f->bytes;

	if (f->unindexed || (!f->index.head.before && f->index.head.entries < INDEX_LEAST))
		return;
	/* Where the disk has no room for it, the summary may still find some. */
	if (!put_index(f))
		f->sum.index_at = at;
}

static int put_summary(struct ktally_file *f)
{
	struct block_head h = { .type = BLOCK_SUMMARY };

	put_last_index(f);
	return put_block(f, &h, &f->sum, f->sum.index_at ? sizeof(f->sum) : SUMMARY_LEAST);
}

bool ktally_file_may_retry(const struct ktally_file *f, int err)
{
	return f->seekable && !f->stuck &&
	       (err == -ENOSPC || err == -EDQUOT || err == -EROFS || err == -EIO);
}

void ktally_file_dropped(struct ktally_file *f)
{
	f->sum.not_written++;
}

int ktally_file_finish(struct ktally_file *f)
{
	int ret;

	if (f->finished)
		return 0;
	f->finished = true;
	if (f->stuck)
		return f->stuck;
	if (!f->worth) {
		ktally_file_discard(f);
		return error_set(&f->error, -ENODATA, "%s: nothing was recorded, so there is no file",
				 f->path);
	}
	ret = put_summary(f);
	if (!ret && close(f->fd))
		ret = error_set(&f->error, -errno, "%s: can't write: %s", f->path, strerror(errno));
	if (!ret)
		f->fd = -1;
	return ret;
}

void ktally_file_close(struct ktally_file *f)
{
	if (!f)
		return;
	ktally_file_keep(f);
	if (f->fd >= 0)
		close(f->fd);
	ktally_wire_close(f->wire);
	packer_close(f->packer);
	index_free(&f->index);
	free(f->cpus);
	free(f->path);
	free(f->old);
	free(f);
}
