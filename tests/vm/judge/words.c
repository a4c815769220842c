// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - memory, texts and lists of words for the judge. The list of
 * arguments in ktally's CSV is quoted for a shell: shell_words() is the way back,
 * written from the POSIX rules and those of $'...', not from ktally's writer.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

void refuse(const char *fmt, ...)
{
	va_list ap;

	fputs("judge: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

void *grow(void *array, size_t n, size_t size)
{
	/* at 0 and every power of two the room is used up */
	if (!(n & (n - 1))) {
		array = realloc(array, (n ? 2 * n : 1) * size);
		if (!array)
			refuse("out of memory");
	}
	memset((char *)array + n * size, 0, size);
	return array;
}

char *room(size_t bytes)
{
	char *p = calloc(1, bytes);

	if (!p)
		refuse("out of memory");
	return p;
}

char *text_of(const char *p, size_t len)
{
	return memcpy(room(len + 1), p, len);
}

char *read_whole(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	int c;

	if (!f)
		refuse("%s: cannot be read", path);
	for (*len = 0; (c = getc(f)) != EOF; (*len)++) {
		text = grow(text, *len, 1);
		text[*len] = (char)c;
	}
	fclose(f);
	text = grow(text, *len, 1);
	return text;
}

void words_add(struct words *w, char *word)
{
	w->at = grow(w->at, w->n, sizeof *w->at);
	w->at[w->n++] = word;
}

static char plain_escape(char c)
{
	static const char names[] = "abefnrtv", codes[] = "\a\b\033\f\n\r\t\v";
	const char *p = c ? strchr(names, c) : NULL;

	return p ? codes[p - names] : c;
}

/* The character that an escape inside $'...' stands for; *p is behind the backslash. */
static char dollar_escape(const char **p)
{
	unsigned value = 0;
	int digits = 0;

	if (**p == 'x') {
		for (++*p; digits < 2 && isxdigit((unsigned char)**p); digits++, ++*p) {
			char d = (char)tolower((unsigned char)**p);

			value = value * 16 + (unsigned)(d <= '9' ? d - '0' : d - 'a' + 10);
		}
		return (char)value;
	}
	if (**p >= '0' && **p <= '7') {
		for (; digits < 3 && **p >= '0' && **p <= '7'; digits++, ++*p)
			value = value * 8 + (unsigned)(**p - '0');
		return (char)value;
	}
	return plain_escape(*(*p)++);
}

/* Copies one quoted piece to out; *p is behind the opening quote. NULL: no closing one. */
static char *quoted(const char **p, char end, bool dollar, char *out)
{
	while (**p && **p != end) {
		if (**p == '\\' && dollar) {
			++*p;
			*out++ = dollar_escape(p);
		} else if (**p == '\\' && end == '"' && (*p)[1] && strchr("\\\"$`", (*p)[1])) {
			*out++ = *++*p;
			++*p;
		} else {
			*out++ = *(*p)++;
		}
	}
	if (!**p)
		return NULL;
	++*p;
	return out;
}

/* One word from *p to out; NULL: an open quote. */
static char *one_word(const char **p, char *out)
{
	while (out && **p && !strchr(" \t\n", **p)) {
		if (**p == '$' && (*p)[1] == '\'') {
			*p += 2;
			out = quoted(p, '\'', true, out);
		} else if (**p == '\'' || **p == '"') {
			char end = *(*p)++;

			out = quoted(p, end, false, out);
		} else {
			if (**p == '\\' && (*p)[1])
				++*p;
			*out++ = *(*p)++;
		}
	}
	return out;
}

/* false: not something a shell would read as words */
bool shell_words(const char *text, struct words *out)
{
	const char *p = text;

	for (;;) {
		char *word, *end;

		while (*p && strchr(" \t\n", *p))
			p++;
		if (!*p)
			return true;
		word = text_of(p, strlen(p));
		end = one_word(&p, word);
		if (!end)
			return false;
		*end = 0;
		words_add(out, word);
	}
}

char *hex_of(const char *text)
{
	size_t len = strlen(text), i;
	char *hex = room(2 * len + 1);

	for (i = 0; i < len; i++)
		sprintf(hex + 2 * i, "%02x", (unsigned char)text[i]);
	return hex;
}

/* FNV-1a, 64 bits, over the words, each with its final NUL, as they lie in memory. */
char *fnv_of(const struct words *w)
{
	uint64_t h = 1469598103934665603ull;
	char hex[20];
	size_t i, k;

	for (i = 0; i < w->n; i++)
		for (k = 0; k <= strlen(w->at[i]); k++)
			h = (h ^ (unsigned char)w->at[i][k]) * 1099511628211ull;
	snprintf(hex, sizeof hex, "%016llx", (unsigned long long)h);
	return text_of(hex, strlen(hex));
}

/* Decimal digits, perhaps with a sign and a fraction; not 1e3, 0x1f, nan. */
static bool looks_numeric(const char *t)
{
	size_t digits;

	t += *t == '-';
	digits = strspn(t, "0123456789");
	if (!digits)
		return false;
	t += digits;
	if (*t == '.') {
		digits = strspn(++t, "0123456789");
		t += digits;
	}
	return digits && !*t;
}

void cell_text(struct cell *c, char *text)
{
	c->type = TEXT;
	c->text = text;
	if (looks_numeric(text)) {
		c->type = NUMBER;
		c->num = strtold(text, NULL);
	}
}

struct cell cell_number(long double num)
{
	struct cell c = { .type = NUMBER, .num = num };
	char t[64];

	snprintf(t, sizeof t, num == (long double)(long long)num ? "%.0Lf" : "%.3Lf", num);
	c.text = text_of(t, strlen(t));
	return c;
}
