// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * markup.c - escaping for SVG, HTML and the JSON within it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "markup.h"
#include "text.h"

/* U+FFFE and U+FFFF are valid UTF-8 and no characters of XML. */
static bool forbidden(const char *p, size_t len)
{
	return len == 0 || text_control(p, len) ||
	       (len == 3 && !memcmp(p, "\xef\xbf", 2) && (unsigned char)p[2] >= 0xbe);
}

static const char *entity(char c)
{
	switch (c) {
	case '&':	return "&amp;";
	case '<':	return "&lt;";
	case '>':	return "&gt;";
	case '"':	return "&quot;";
	case '\'':	return "&#39;";
	default:	return NULL;
	}
}

static void put_hex(struct sink *s, const char *p, size_t n)
{
	char hex[4];

	for (size_t i = 0; i < n; i++) {
		text_hex(hex, (unsigned char)p[i]);
		sink_put(s, hex, sizeof(hex));
	}
}

void markup_put(struct sink *s, const char *p, size_t n)
{
	while (n) {
		size_t len = text_char(p, n), step = len ? len : 1;
		const char *name = entity(*p);

		if (name)
			sink_puts(s, name);
		else if (forbidden(p, len))
			put_hex(s, p, step);
		else
			sink_put(s, p, len);
		p += step;
		n -= step;
	}
}

void markup_puts(struct sink *s, const char *text)
{
	markup_put(s, text, strlen(text));
}

void markup_printf(struct sink *s, const char *fmt, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n > 0)
		sink_put(s, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* Line separators of JavaScript and everything HTML could act upon as \u00NN. */
void markup_json(struct sink *s, const char *p, size_t n)
{
	sink_char(s, '"');
	while (n) {
		size_t len = text_char(p, n), step = len ? len : 1;

		if (forbidden(p, len)) {
			sink_char(s, '\\');
			put_hex(s, p, 1);
			step = 1;
		} else if (strchr("\"\\", *p)) {
			sink_char(s, '\\');
			sink_put(s, p, 1);
		} else if (strchr("<>&'", *p)) {
			markup_printf(s, "\\u%04x", (unsigned int)*p);
		} else {
			sink_put(s, p, len);
		}
		p += step;
		n -= step;
	}
	sink_char(s, '"');
}

size_t markup_command(char *dst, size_t n, const struct ktally_life *l,
		      const struct ktally_image *im)
{
	struct ktally_str name = { NULL, 0 };
	size_t at;

	if (im && im->argv && im->argv_len)
		return text_quote_argv(dst, n, im->argv, im->argv_len, TEXT_FOR_PEOPLE);
	if (im && !l->kthread)
		name = ktally_image_program(im);
	if (!name.p) {
		name.p = l->owner.comm;
		name.len = (uint32_t)strnlen(l->owner.comm, sizeof(l->owner.comm));
	}
	at = l->kthread ? (size_t)snprintf(dst, n, "[") : 0;
	at += text_escape(dst + at, n - at, name.p, name.len);
	if (l->kthread)
		at += (size_t)snprintf(dst + at, n - at, "]");
	return at;
}
