// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * compose.c - a recording of what another tool has seen: records as the module would
 * have written them, on one CPU, into a file. What that tool did not measure is left
 * out of the descriptions, so that readers know it as unknown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "ktally.h"
#include "layout.h"

#define SUBBUF		(64U << 10)
#define TEXT_MAX	16384	/* of a description */
#define PIECE		3000	/* of one in a record */

struct ktally_composer {
	struct ktally_file *file;
	uint64_t load_id;
	int64_t real;				/* REALTIME - BOOTTIME */
	unsigned char *buf;
	size_t n;
	uint64_t seq, attempts[KTALLY_KINDS];
	bool described[KTALLY_KINDS];
	uint64_t told[KTALLY_KINDS];		/* fields of it, by place */
};

/* ---- records ---- */

static int flush(struct ktally_composer *c)
{
	int ret = c->n ? ktally_file_add(c->file, c->buf, c->n) : 0;

	c->n = 0;
	return ret;
}

static size_t lay(unsigned char *to, uint32_t kind, uint32_t seq, uint64_t time, const void *fixed,
		  const struct ktally_str *strings)
{
	const struct layout *l = layout_of(kind);
	struct ktally_record *frame = (void *)to;
	struct ktally_common *common = (void *)(frame + 1);
	unsigned char *payload = (void *)(frame + 1);
	uint32_t end = l->size;

	memcpy(payload, fixed, l->size);
	*common = (struct ktally_common){ .type = (uint16_t)kind };
	for (unsigned int i = 0; i < l->n_fields; i++) {
		const struct ktally_str *s = strings;
		uint32_t loc;

		if (l->fields[i].element)
			continue;
		strings++;
		loc = s->len << 16 | end;
		memcpy(payload + l->fields[i].offset, &loc, sizeof(loc));
		if (s->len)
			memcpy(payload + end, s->p, s->len);
		payload[end + s->len] = '\0';
		end += s->len + 1;
	}
	end = (end + 7) & ~7U;
	*frame = (struct ktally_record){ .len = sizeof(*frame) + end, .seq = seq, .time = time };
	return frame->len;
}

static size_t room_for(uint32_t kind, const struct ktally_str *strings)
{
	const struct layout *l = layout_of(kind);
	size_t n = sizeof(struct ktally_record) + l->size + 8;

	for (unsigned int i = 0; i < l->n_fields; i++)
		if (!l->fields[i].element)
			n += strings++->len + 1;
	return n;
}

static void begin_subbuf(struct ktally_composer *c, uint64_t time)
{
	struct ktally_header h = {
		.magic = KTALLY_MAGIC, .version = KTALLY_STREAM_VERSION, .session = 1,
		.load_id = c->load_id, .first_seq = c->seq, .boottime = time,
		.realtime = time + (uint64_t)c->real,
	};

	memcpy(h.attempts, c->attempts, sizeof(h.attempts));
	c->n = lay(c->buf, KTALLY_HEADER, 0, time, &h, NULL);
}

static int put(struct ktally_composer *c, uint32_t kind, uint64_t time, const void *fixed,
	       const struct ktally_str *strings)
{
	size_t room = room_for(kind, strings);
	int ret = 0;

	if (room > KTALLY_RECORD_MAX)
		return -E2BIG;
	if (c->n + room > SUBBUF)
		ret = flush(c);
	if (ret)
		return ret;
	if (!c->n)
		begin_subbuf(c, time);
	memset(c->buf + c->n, 0, room);
	c->n += lay(c->buf + c->n, kind, (uint32_t)c->seq, time, fixed, strings);
	c->seq++;
	c->attempts[kind]++;
	return 0;
}

/* ---- descriptions ---- */

static void put_field(FILE *f, const struct layout_field *field)
{
	unsigned int count = field->element ? field->size / field->element : 1;

	if (!field->element)
		fprintf(f, "\tfield:__data_loc char[] %s", field->name);
	else if (field->element == 1)
		fprintf(f, "\tfield:char %s[%u]", field->name, count);
	else if (count > 1)
		fprintf(f, "\tfield:__u%u %s[%u]", field->element * 8, field->name, count);
	else
		fprintf(f, "\tfield:__u%u %s", field->element * 8, field->name);
	fprintf(f, ";\toffset:%u;\tsize:%u;\tsigned:0;\n", field->offset, field->size);
}

/* Numbers and strings are printed; arrays are not worth it here. */
static bool printed(const struct layout_field *field)
{
	return !field->element || field->element == 1 || field->size == field->element;
}

static const char *conversion(const struct layout_field *field)
{
	if (field->element <= 1)
		return "%s";
	return field->size == 8 ? "%llu" : "%u";
}

static void put_argument(FILE *f, const struct layout_field *field)
{
	fprintf(f, field->element ? ", REC->%s" : ", __get_str(%s)", field->name);
}

static void put_text(FILE *f, uint32_t kind, uint64_t told)
{
	const struct layout *l = layout_of(kind);

	fprintf(f, "name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n", l->name, kind);
	for (unsigned int i = 0; i < l->n_fields; i++)
		if (told >> i & 1)
			put_field(f, &l->fields[i]);
	fputs("\nprint fmt: \"", f);
	for (unsigned int i = 0; i < l->n_fields; i++)
		if (told >> i & 1 && printed(&l->fields[i]))
			fprintf(f, "%s%s=%s", i ? " " : "", l->fields[i].name,
				conversion(&l->fields[i]));
	putc('"', f);
	for (unsigned int i = 0; i < l->n_fields; i++)
		if (told >> i & 1 && printed(&l->fields[i]))
			put_argument(f, &l->fields[i]);
	putc('\n', f);
}

static int describe(struct ktally_composer *c, uint32_t kind, uint64_t time)
{
	char text[TEXT_MAX];
	FILE *f = fmemopen(text, sizeof(text), "w");
	long total;
	int ret = 0;

	if (!f)
		return -ENOMEM;
	put_text(f, kind, c->told[kind]);
	total = ftell(f);
	if (fclose(f) || total <= 0 || total >= TEXT_MAX)
		return -E2BIG;
	for (long at = 0; !ret && at < total; at += PIECE) {
		struct ktally_str piece = { text + at, total - at < PIECE ? total - at : PIECE };
		struct ktally_format format = { .id = kind, .offset = at, .total = total };

		ret = put(c, KTALLY_FORMAT, time, &format, &piece);
	}
	c->described[kind] = true;
	return ret;
}

/* ---- what others call ---- */

struct ktally_composer *ktally_composer_open(struct ktally_file *f, uint64_t load_id, int64_t real)
{
	struct ktally_composer *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->file = f;
	c->load_id = load_id;
	c->real = real;
	memset(c->told, 0xff, sizeof(c->told));
	c->buf = aligned_alloc(8, SUBBUF);
	if (c->buf)
		return c;
	free(c);
	return NULL;
}

int ktally_composer_leave_out(struct ktally_composer *c, uint32_t kind, const char *field)
{
	const struct layout *l = layout_of(kind);

	for (unsigned int i = 0; l && i < l->n_fields; i++) {
		if (strcmp(l->fields[i].name, field))
			continue;
		c->told[kind] &= ~(1ULL << i);
		return 0;
	}
	return -ENOENT;
}

int ktally_composer_add(struct ktally_composer *c, uint32_t kind, uint64_t time, const void *fixed,
			const struct ktally_str *strings)
{
	int ret = 0;

	if (!layout_of(kind) || kind == KTALLY_HEADER || kind == KTALLY_FORMAT)
		return -EINVAL;
	if (!c->described[kind])
		ret = describe(c, kind, time);
	return ret ? ret : put(c, kind, time, fixed, strings);
}

int ktally_composer_finish(struct ktally_composer *c, uint64_t time, bool whole)
{
	struct ktally_end end = { .threads = 0 };
	int ret = whole && !c->described[KTALLY_END] ? describe(c, KTALLY_END, time) : 0;

	memcpy(end.attempts, c->attempts, sizeof(end.attempts));
	end.attempts[KTALLY_END]++;
	if (!ret && whole)
		ret = put(c, KTALLY_END, time, &end, NULL);
	return ret ? ret : flush(c);
}

void ktally_composer_close(struct ktally_composer *c)
{
	if (!c)
		return;
	free(c->buf);
	free(c);
}
