// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire.c - any bytes as one sub-buffer and as a description. The first byte says
 * whether the module's own descriptions are known, and whether a header stands in
 * front, for without these hardly any record would be decoded.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ktally_wire *w = ktally_wire_open();
	int how = n ? data[0] : 0;
	unsigned char *copy;
	size_t at = 0;

	if (!n)
		goto out;
	copy = aligned_alloc(8, (n + 1024 + 7) & ~(size_t)7);
	if (how & DESCRIBED)
		describe(w);
	if (how & IS_TEXT)
		ktally_wire_describe(w, (const char *)data + 1, n - 1);
	if (how & HEADED)
		at = head(copy);
	memcpy(copy + at, data + 1, n - 1);
	read_records(w, copy, at + n - 1);
	free(copy);
out:
	ktally_wire_close(w);
	return 0;
}
