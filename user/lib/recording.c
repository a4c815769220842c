// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * recording.c - finds the blocks of one container. Whatever is damaged or cut, the
 * rest is found again by searching for the next block head that proves itself by
 * checksum and file number; what is missing is booked, never passed over.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "index.h"
#include "recording.h"

#define SEARCH_STEP	((size_t)64 << 10)

void recording_damage(struct recording *r, uint64_t at, uint64_t blocks, uint64_t records)
{
	if (!r->damaged_places++)
		r->damaged_at = at;
	r->missing_blocks += blocks;
	r->missing_records += records;
}

/* ---- the machine ---- */

static void keep_text(char *to, size_t n, const char *value)
{
	strncpy(to, value, n - 1);
	to[n - 1] = '\0';
}

static void take_base(struct recording *r, const char *key, uint64_t value)
{
	unsigned long kind = strtoul(key + 4, NULL, 10);

	if (kind < KTALLY_KINDS)
		r->base[kind] = value;
}

static void take_pair(struct recording *r, const char *key, const char *value)
{
	const struct { const char *key; char *to; size_t n; } texts[] = {
		{ "boot_id", r->boot_id, sizeof(r->boot_id) },
		{ "host", r->host, sizeof(r->host) },
		{ "release", r->release, sizeof(r->release) },
		{ "machine", r->machine, sizeof(r->machine) },
		{ "command", r->command, sizeof(r->command) },
	};
	const struct { const char *key; uint64_t *to; } numbers[] = {
		{ "boottime", &r->boottime },
		{ "realtime", &r->realtime },
		{ "root_tgid", &r->root_tgid },
		{ "root_start", &r->root_start },
	};
	uint64_t number = strtoull(value, NULL, 10);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(key, texts[i].key))
			keep_text(texts[i].to, texts[i].n, value);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(key, numbers[i].key))
			*numbers[i].to = number;
	if (!strcmp(key, "flight"))
		r->flight = number;
	if (!strcmp(key, "continues"))
		r->continues = number;
	if (!strncmp(key, "base", 4))
		take_base(r, key, number);
}

static void take_machine(struct recording *r, char *text, size_t n)
{
	for (char *p = text; p < text + n; p += strlen(p) + 1) {
		char *value = strchr(p, '=');

		if (!value)
			continue;
		*value = '\0';
		take_pair(r, p, value + 1);
		p = value + 1;
	}
	r->has_machine = true;
}

/* Keeps the text; false: no note, or no room for one more. */
static bool take_note(struct recording *r, char *text, size_t n)
{
	size_t name = strnlen(text, n);

	if (name == n || r->n_notes == RECORDING_NOTES)
		return false;
	r->notes[r->n_notes++] = (struct note){ .name = text, .text = text + name + 1,
						.len = n - name - 1 };
	return true;
}

/* ---- blocks ---- */

static int list_block(struct recording *r, const struct block *b)
{
	size_t n = r->n_blocks - 1;	/* it is counted */

	if (n >= r->room) {
		size_t room = r->room ? r->room * 2 : 64;
		struct block *p = realloc(r->blocks, room * sizeof(*p));

		if (!p) {
			free(b->mem);
			r->n_blocks--;
			return -ENOMEM;
		}
		r->blocks = p;
		r->room = room;
	}
	r->blocks[n] = *b;
	return 0;
}

static int found_block(struct recording *r, const struct block_head *h, uint64_t at, uint32_t length,
		       bool cut, struct block *b)
{
	*b = (struct block){
		.at = at, .length = length, .raw_length = h->raw_length, .first_seq = h->first_seq,
		.first_time = h->first_time, .last_time = h->last_time,
		.load_id = h->load_id, .records = h->records, .payload_crc = h->payload_crc,
		.cpu = h->cpu, .session = h->session, .codec = h->codec, .cut = cut,
	};
	if (r->in.piped) {
		b->mem = malloc(length ? length : 1);
		if (!b->mem)
			return -ENOMEM;
		input_read(&r->in, at, b->mem, length);
	}
	r->n_blocks++;
	return RECORDING_BLOCK;
}

/* The payload of a small block that is used as a whole; NULL: damaged or no memory. */
static char *read_text(struct recording *r, const struct crc32c *crc, const struct block_head *h,
		       uint64_t at)
{
	char *text;

	if (h->length > CONTAINER_TEXT_MAX)
		return NULL;
	text = malloc(h->length + 1);
	if (!text)
		return NULL;
	if (input_read(&r->in, at, text, h->length) != (long)h->length ||
	    crc32c(crc, text, h->length) != h->payload_crc) {
		free(text);
		return NULL;
	}
	text[h->length] = '\0';
	return text;
}

static void take_summary(struct recording *r, const void *from, size_t n)
{
	if (n < SUMMARY_LEAST)
		return;
	memcpy(&r->summary, from, n < sizeof(r->summary) ? n : sizeof(r->summary));
	r->has_summary = true;
}

static void take_text_block(struct recording *r, const struct crc32c *crc,
			    const struct block_head *h, uint64_t at)
{
	char *text = read_text(r, crc, h, at);

	if (!text) {
		recording_damage(r, at, 0, 0);
		return;
	}
	if (h->type == BLOCK_DESCRIPTIONS && !r->descriptions) {
		r->descriptions = text;
		r->descriptions_len = h->length;
		return;
	}
	if (h->type == BLOCK_NOTE && take_note(r, text, h->length))
		return;
	if (h->type == BLOCK_MACHINE)
		take_machine(r, text, h->length);
	if (h->type == BLOCK_SUMMARY)
		take_summary(r, text, h->length);
	free(text);
}

/* What recording_next() gives, and 0 for what is of no interest outside. */
static int take_block(struct recording *r, const struct crc32c *crc, const struct block_head *h,
		      uint64_t at, struct block *b)
{
	at += sizeof(*h);
	if (h->type == BLOCK_RECORDS) {
		if (codec_known(h->codec))
			return found_block(r, h, at, h->length, false, b);
		r->skipped_blocks++;
		r->skipped_codec = h->codec;
		r->missing_records += h->records;
		return 0;
	}
	if (h->type >= BLOCK_MACHINE && h->type <= BLOCK_NOTE)
		take_text_block(r, crc, h, at);
	if (h->type != BLOCK_MARK)
		return 0;
	r->settled = h->first_time;
	return RECORDING_MARK;
}

/* The file ends within this block. Records before the cut are whole, so they are given. */
static int take_cut_block(struct recording *r, const struct block_head *h, uint64_t at, struct block *b)
{
	at += sizeof(*h);
	if (h->type != BLOCK_RECORDS)
		return 0;
	r->missing_blocks++;
	if (h->codec == CODEC_NONE)
		return found_block(r, h, at, r->in.size - at, true, b);
	r->missing_records += h->records;
	return 0;
}

/* Where the next block begins that proves itself, from `at` on; the file's size if there is none. */
static uint64_t find_block(struct recording *r, const struct crc32c *crc, uint64_t at)
{
	unsigned char *buf = malloc(SEARCH_STEP);
	struct block_head h;
	bool found = false;
	size_t step = SEARCH_STEP / 64;		/* mostly it is near, and there may be many places */
	long n;

	while (buf && !found && (n = input_read(&r->in, at, buf, step)) >= (long)sizeof(h)) {
		size_t last = n - sizeof(h) + 1;	/* heads that lie wholly in buf begin before this */
		size_t i = 0;

		while (!found && (i += block_search(buf + i, last + 3 - i)) < last) {
			memcpy(&h, buf + i, sizeof(h));
			found = block_valid(&h, crc, r->file_id);
			i += !found;
		}
		at += found ? i : last;
		input_pass(&r->in, at);
		step = SEARCH_STEP;
	}
	free(buf);
	return found ? at : r->in.size;
}

/* As far as the next block, or to the end. */
static void pass_damage(struct recording *r, const struct crc32c *crc)
{
	uint64_t at = r->at;

	r->at = find_block(r, crc, at + 1);
	if (r->at == r->in.size && r->in.size - at < sizeof(struct block_head))
		r->missing_blocks++;
	else
		recording_damage(r, at, 1, 0);
}

static int step(struct recording *r, const struct crc32c *crc, struct block *b)
{
	uint64_t at = r->at;
	struct block_head h;

	input_pass(&r->in, at);
	if (input_read(&r->in, at, &h, sizeof(h)) != (long)sizeof(h) || !block_valid(&h, crc, r->file_id)) {
		pass_damage(r, crc);
		return 0;
	}
	if (!r->file_id)
		r->file_id = h.file_id;
	r->at += block_span(&h);
	if (input_reaches(&r->in, r->at))
		return take_block(r, crc, &h, at, b);
	r->at = r->in.size;
	return take_cut_block(r, &h, at, b);
}

/* Whatever stands behind the summary is none of this recording's. */
static void end_scan(struct recording *r)
{
	uint64_t at = r->at;

	while (input_reaches(&r->in, at + SEARCH_STEP)) {
		at += SEARCH_STEP;
		input_pass(&r->in, at);
	}
	r->behind = r->has_summary ? r->in.size - r->at : 0;
	r->cut_at = r->has_summary ? 0 : r->in.size;
}

int recording_next(struct recording *r, const struct crc32c *crc, struct block *b)
{
	int got = 0;

	while (!got && !r->has_summary && input_reaches(&r->in, r->at + 1))
		got = step(r, crc, b);
	if (!got)
		end_scan(r);
	return got;
}

/* ---- by the index ---- */

/* The summary is the last thing in a whole file. */
static bool find_summary(struct recording *r, const struct crc32c *crc,
			 struct block_head *h, struct block_summary *sum)
{
	uint64_t at = r->in.size - sizeof(*h) - sizeof(*sum);

	if (r->in.size < sizeof(struct container_head) + sizeof(*h) + sizeof(*sum))
		return false;
	return input_read(&r->in, at, h, sizeof(*h)) == (long)sizeof(*h) &&
	       block_valid(h, crc, r->file_id) && h->type == BLOCK_SUMMARY &&
	       h->length == sizeof(*sum) &&
	       input_read(&r->in, at + sizeof(*h), sum, sizeof(*sum)) == (long)sizeof(*sum) &&
	       crc32c(crc, sum, sizeof(*sum)) == h->payload_crc;
}

/* 1: all blocks are taken; 0: there is no index, or none that holds; -ENOMEM. */
static int take_indexed(struct recording *r, const struct crc32c *crc)
{
	struct block_summary sum;
	struct index x = { .room = 0 };
	struct block_head h;
	struct block b;
	int ret = 0;

	if (r->head_damaged || r->in.piped || !find_summary(r, crc, &h, &sum) || !sum.index_at)
		return 0;
	if (index_read(&x, &r->in, crc, r->file_id, sum.index_at,
		       r->in.size - sizeof(h) - sizeof(sum))) {
		for (size_t i = 0; i < x.head.entries && ret >= 0; i++)
			if (take_block(r, crc, &x.entry[i].head, x.entry[i].at, &b) == RECORDING_BLOCK)
				ret = list_block(r, &b);
		r->summary = sum;
		r->has_summary = true;
		ret = ret ? ret : 1;
	}
	index_free(&x);
	return ret;
}

/* ---- opening ---- */

static int refuse(const struct recording *r, enum container_verdict v, struct error *e)
{
	switch (v) {
	case CONTAINER_ORDER_DIFFERS:
		return error_set(e, -EPROTO, "%s: recorded on a machine of other byte order; read it on such a machine",
				 r->name);
	case CONTAINER_WORD_DIFFERS:
		return error_set(e, -EPROTO, "%s: recorded on a machine of other word size; read it on such a machine",
				 r->name);
	case CONTAINER_NEWER:
		return error_set(e, -EPROTO, "%s: a newer kind of recording than this ktally %s reads; use a newer ktally",
				 r->name, ktally_version());
	default:
		if (!r->in.size)
			return error_set(e, -EINVAL, "%s: empty, not a recording; make one with: ktally record", r->name);
		return error_set(e, -EINVAL, "%s: not a recording of ktally; make one with: ktally record", r->name);
	}
}

int recording_open(struct recording *r, const struct crc32c *crc, struct error *e)
{
	struct container_head head = { 0 };
	enum container_verdict v;
	long n = input_read(&r->in, 0, &head, sizeof(head));

	if (n < 0)
		return error_set(e, n, "%s: can't read: %s", r->name, strerror(-n));
	r->at = sizeof(head);
	v = container_head_check(&head, n, crc);
	/* A damaged head is worth a search only if a block answers it. */
	if (v == CONTAINER_DAMAGED || v == CONTAINER_FOREIGN) {
		r->at = find_block(r, crc, 0);
		if (r->at == r->in.size && (v == CONTAINER_FOREIGN || (size_t)n == sizeof(head)))
			return refuse(r, CONTAINER_FOREIGN, e);
		r->head_damaged = r->at < r->in.size;
		v = CONTAINER_OK;
	}
	if (v != CONTAINER_OK)
		return refuse(r, v, e);
	r->file_id = r->head_damaged ? 0 : head.file_id;
	return 0;
}

int recording_scan(struct recording *r, const struct crc32c *crc)
{
	int ret = take_indexed(r, crc), got;
	struct block b;

	if (ret)
		return ret < 0 ? ret : 0;
	while ((got = recording_next(r, crc, &b)) > 0)
		if (got == RECORDING_BLOCK && list_block(r, &b))
			return -ENOMEM;
	return got;
}

static bool room_for(unsigned char **buf, size_t *room, size_t n)
{
	unsigned char *p;

	if (n <= *room)
		return true;
	p = realloc(*buf, n);
	if (!p)
		return false;
	*buf = p;
	*room = n;
	return true;
}

static bool read_stored(struct recording *r, const struct block *b, const struct crc32c *crc,
			unsigned char *to)
{
	if (b->mem)
		memcpy(to, b->mem, b->length);
	else if (input_read(&r->in, b->at, to, b->length) != (long)b->length)
		return false;
	return b->cut || crc32c(crc, to, b->length) == b->payload_crc;
}

static bool read_packed(struct recording *r, const struct block *b, const struct crc32c *crc,
			unsigned char *to)
{
	return read_stored(r, b, crc, r->packed) &&
	       codec_unpack(b->codec, to, b->raw_length, r->packed, b->length);
}

long recording_read(struct recording *r, const struct block *b, const struct crc32c *crc,
		    unsigned char **buf, size_t *room)
{
	bool packed = b->codec != CODEC_NONE;
	uint32_t n = packed ? b->raw_length : b->length;

	if (b->length && (!room_for(buf, room, n) ||
			  (packed && !room_for(&r->packed, &r->packed_room, b->length))))
		return -ENOMEM;
	if (b->length && (packed ? read_packed : read_stored)(r, b, crc, *buf))
		return n;
	recording_damage(r, b->at, 1, b->records);
	return -EBADMSG;
}

void recording_close(struct recording *r)
{
	input_close(&r->in);
	for (size_t i = r->given; r->blocks && i < r->n_blocks; i++)
		free(r->blocks[i].mem);
	free(r->blocks);
	free(r->packed);
	free(r->descriptions);
	for (size_t i = 0; i < r->n_notes; i++)
		free(r->notes[i].name);
	memset(r, 0, sizeof(*r));
}
