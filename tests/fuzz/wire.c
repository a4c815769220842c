// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire.c - any bytes as one sub-buffer, and in front of it as descriptions. The first
 * byte says whether the module's own descriptions are known, whether a header is put in
 * front, for without these hardly any record would be decoded, and whether descriptions
 * come first, each ended by "\n--\n".
 */
#include "../../kmod/format.h"
#include "fuzz.h"
#include "ktally.h"

enum { DESCRIBED = 1, HEADED = 2, IS_TEXT = 4 };

static void describe(struct ktally_wire *w)
{
	char text[KT_FORMAT_MAX];

	for (unsigned int kind = 1; kind < KTALLY_KINDS; kind++) {
		size_t n = kt_format(kind, text, sizeof(text));

		if (n && ktally_wire_describe(w, text, n))
			abort();
	}
}

static size_t head(unsigned char *to)
{
	const struct ktally_header h = {
		.common.type = KTALLY_HEADER, .magic = KTALLY_MAGIC, .version = KTALLY_STREAM_VERSION,
	};
	const struct ktally_record r = { .len = sizeof(r) + sizeof(h) };

	memcpy(to, &r, sizeof(r));
	memcpy(to + sizeof(r), &h, sizeof(h));
	return r.len;
}

static void read_records(struct ktally_wire *w, const unsigned char *p, size_t n)
{
	struct ktally_cursor c;
	struct ktally_event ev;
	char line[4096];
	size_t records = 0;

	ktally_cursor_init(&c, p, n);
	while (ktally_wire_next(w, &c, &ev) == 1) {
		if (ev.decoded)
			for (int i = 0; i < KTALLY_STRINGS; i++)
				if (ev.str[i].p && (ev.str[i].p < (const char *)p ||
						    ev.str[i].p + ev.str[i].len > (const char *)p + n))
					abort();
		ktally_wire_print(w, &ev, line, sizeof(line));
		if (++records > n / sizeof(struct ktally_record))
			abort();
	}
	ktally_wire_error(w);
}

/* Behind the last one lie the records. */
static size_t describe_by(struct ktally_wire *w, const uint8_t *data, size_t n)
{
	const uint8_t *at = data, *cut;

	while ((cut = memmem(at, n - (size_t)(at - data), "\n--\n", 4))) {
		ktally_wire_describe(w, (const char *)at, (size_t)(cut + 1 - at));
		at = cut + 4;
	}
	return (size_t)(at - data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ktally_wire *w = ktally_wire_open();
	int how = n ? data[0] : 0;
	size_t from = 1, at = 0;
	unsigned char *copy;

	if (!n)
		goto out;
	copy = aligned_alloc(8, (n + 1024 + 7) & ~(size_t)7);
	if (how & DESCRIBED)
		describe(w);
	if (how & IS_TEXT)
		from += describe_by(w, data + 1, n - 1);
	if (how & HEADED)
		at = head(copy);
	memcpy(copy + at, data + from, n - from);
	read_records(w, copy, at + n - from);
	free(copy);
out:
	ktally_wire_close(w);
	return 0;
}
