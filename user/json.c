// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - a strict reader of JSON by recursive descent, no deeper than JSON_DEPTH.
 * Functions return 0 and leave the place behind what they read, or what json_walk() does.
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

struct walk {
	const char *at, *end;
	json_visit *visit;
	void *arg;
	char *scratch;			/* text with escapes, decoded */
	struct json_place place;
};

static int read_value(struct walk *w);

static void skip_blanks(struct walk *w)
{
	while (w->at < w->end && strchr(" \t\r\n", *w->at) && *w->at)
		w->at++;
}

/* The next byte that is none of blanks; 0 at the end. */
static char peek(struct walk *w)
{
	skip_blanks(w);
	return w->at < w->end ? *w->at : '\0';
}

static int expect(struct walk *w, char c)
{
	if (peek(w) != c)
		return -EBADMSG;
	w->at++;
	return 0;
}

/* ---- text ---- */

static int read_hex(struct walk *w, uint32_t *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++, w->at++) {
		if (w->at == w->end || !isxdigit((unsigned char)*w->at))
			return -EBADMSG;
		*code = *code << 4 | (uint32_t)(isdigit((unsigned char)*w->at) ? *w->at - '0' :
						(*w->at | 0x20) - 'a' + 10);
	}
	return 0;
}

static size_t put_utf8(char *to, uint32_t c)
{
	size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };

	to[0] = (char)(first[more] | c >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
	return more + 1;
}

/* \uNNNN, two of them for what lies beyond 16 bits. */
static int read_code(struct walk *w, char **to)
{
	uint32_t code, low;

	if (read_hex(w, &code))
		return -EBADMSG;
	if (code >= 0xdc00 && code < 0xe000)
		return -EBADMSG;
	if (code >= 0xd800 && code < 0xdc00) {
		if (w->end - w->at < 6 || w->at[0] != '\\' || w->at[1] != 'u')
			return -EBADMSG;
		w->at += 2;
		if (read_hex(w, &low) || low < 0xdc00 || low >= 0xe000)
			return -EBADMSG;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	*to += put_utf8(*to, code);
	return 0;
}

static int read_escape(struct walk *w, char **to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *which;

	if (w->at == w->end)
		return -EBADMSG;
	if (*w->at == 'u') {
		w->at++;
		return read_code(w, to);
	}
	which = *w->at ? strchr(letters, *w->at) : NULL;
	if (!which)
		return -EBADMSG;
	*(*to)++ = meant[which - letters];
	w->at++;
	return 0;
}

/* Behind the first quote. An escape is never shorter than what it stands for. */
static int decode(struct walk *w, struct json_value *v)
{
	char *to;

	free(w->scratch);
	w->scratch = to = malloc((size_t)(w->end - w->at) + 1);
	if (!to)
		return -ENOMEM;
	while (w->at < w->end && *w->at != '"') {
		if ((unsigned char)*w->at < ' ')
			return -EBADMSG;
		if (*w->at != '\\')
			*to++ = *w->at++;
		else if (w->at++, read_escape(w, &to))
			return -EBADMSG;
	}
	v->text = w->scratch;
	v->len = (size_t)(to - w->scratch);
	return expect(w, '"');
}

static int read_text(struct walk *w, struct json_value *v)
{
	const char *begin = ++w->at;

	v->kind = JSON_TEXT;
	while (w->at < w->end && *w->at != '"' && *w->at != '\\' && (unsigned char)*w->at >= ' ')
		w->at++;
	if (w->at < w->end && *w->at == '\\') {
		w->at = begin;
		return decode(w, v);
	}
	v->text = begin;
	v->len = (size_t)(w->at - begin);
	return w->at < w->end && *w->at++ == '"' ? 0 : -EBADMSG;
}

/* ---- numbers and words ---- */

static bool read_digits(struct walk *w)
{
	const char *begin = w->at;

	while (w->at < w->end && isdigit((unsigned char)*w->at))
		w->at++;
	return w->at > begin;
}

static int read_number(struct walk *w, struct json_value *v)
{
	v->kind = JSON_NUMBER;
	v->text = w->at;
	w->at += *w->at == '-';
	if (w->at < w->end && *w->at == '0')
		w->at++;
	else if (!read_digits(w))
		return -EBADMSG;
	if (w->at < w->end && *w->at == '.') {
		w->at++;
		if (!read_digits(w))
			return -EBADMSG;
	}
	if (w->at < w->end && (*w->at | 0x20) == 'e') {
		w->at++;
		w->at += w->at < w->end && (*w->at == '+' || *w->at == '-');
		if (!read_digits(w))
			return -EBADMSG;
	}
	v->len = (size_t)(w->at - v->text);
	return 0;
}

static int read_word(struct walk *w, struct json_value *v)
{
	static const char *const words[] = { [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(w->end - w->at) < n || memcmp(w->at, words[i], n))
			continue;
		v->kind = (enum json_kind)i;
		w->at += n;
		return 0;
	}
	return -EBADMSG;
}

/* ---- what holds values ---- */

static int read_key(struct walk *w, char *key)
{
	struct json_value v;
	int err = peek(w) == '"' ? read_text(w, &v) : -EBADMSG;

	if (err)
		return err;
	v.len = v.len < JSON_KEY ? v.len : JSON_KEY - 1;
	memcpy(key, v.text, v.len);
	key[v.len] = '\0';
	return expect(w, ':');
}

/* close: ']' or '}'. */
static int read_members(struct walk *w, char close)
{
	size_t d = w->place.depth;
	int err = 0;

	if (d == JSON_DEPTH)
		return -EBADMSG;
	w->at++;
	w->place.depth++;
	w->place.in_array[d] = close == ']';
	w->place.index[d] = 0;
	w->place.key[d][0] = '\0';
	if (peek(w) != close)
		do {
			if (close == '}')
				err = read_key(w, w->place.key[d]);
			if (!err)
				err = read_value(w);
			if (err)
				return err;
			w->place.index[d]++;
		} while (peek(w) == ',' && w->at++);
	w->place.depth--;
	return expect(w, close);
}

static int read_value(struct walk *w)
{
	struct json_value v = { .kind = JSON_NULL };
	char c = peek(w);
	int err;

	if (c == '[' || c == '{')
		return read_members(w, c == '[' ? ']' : '}');
	if (c == '"')
		err = read_text(w, &v);
	else
		err = c == '-' || isdigit((unsigned char)c) ? read_number(w, &v) : read_word(w, &v);
	return err ? err : w->visit(w->arg, &w->place, &v);
}

int json_walk(const char *text, size_t n, json_visit *visit, void *arg, size_t *wrong)
{
	struct walk *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->at = text;
	w->end = text + n;
	w->visit = visit;
	w->arg = arg;
	err = read_value(w);
	if (!err && (skip_blanks(w), w->at < w->end))
		err = -EBADMSG;
	*wrong = (size_t)(w->at - text);
	free(w->scratch);
	free(w);
	return err;
}
