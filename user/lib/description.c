// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * description.c - checks the form of a description, letter by letter:
 *
 *   name: IDENT
 *   ID: NUMBER
 *   format:
 *   <tab>field:TYPE NAME;<tab>offset:N;<tab>size:N;<tab>signed:N;
 *   ...                     (common fields, an empty line, own fields)
 *
 *   print fmt: "WORDS", ARG, ...
 *
 * A newer module may print by other means than this reader knows; then the fields
 * hold all the same and only the printing is left out. Memory only, no allocation.
 */
#include <stdint.h>
#include <string.h>
#include <linux/ktally.h>

#include "description.h"

#define FIELDS_MAX	256

struct word {
	const char *p;
	size_t n;
};

struct field {
	struct word name;
	uint32_t size, count;		/* count: elements of an array, 0 = no array */
	bool is_string;			/* __data_loc char[] */
};

struct scan {
	const char *p, *end;
	struct field fields[FIELDS_MAX];
	size_t n_fields;
};

static bool eat(struct scan *s, const char *literal)
{
	size_t n = strlen(literal);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, literal, n))
		return false;
	s->p += n;
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool identifier(struct scan *s, struct word *w)
{
	w->p = s->p;
	if (s->p == s->end || !is_letter(*s->p))
		return false;
	while (s->p < s->end && (is_letter(*s->p) || is_digit(*s->p)))
		s->p++;
	w->n = s->p - w->p;
	return w->n <= 64;
}

static bool number(struct scan *s, uint32_t *v)
{
	const char *begin = s->p;

	for (*v = 0; s->p < s->end && is_digit(*s->p) && s->p - begin < 6; s->p++)
		*v = *v * 10 + (*s->p - '0');
	return s->p > begin && (s->p == s->end || !is_digit(*s->p));
}

/* Words of the type up to the name, which is the last of them. */
static bool type_and_name(struct scan *s, struct field *f)
{
	f->is_string = eat(s, "__data_loc char[] ");
	if (!identifier(s, &f->name))
		return false;
	if (f->is_string)
		return true;
	do {
		if (!eat(s, " ") || !identifier(s, &f->name))
			return false;
	} while (s->p < s->end && *s->p == ' ');
	return true;
}

static bool array_size(struct scan *s, struct field *f)
{
	f->count = 0;
	if (!eat(s, "["))
		return true;
	return !f->is_string && number(s, &f->count) && f->count && eat(s, "]");
}

static bool field(struct scan *s)
{
	struct field *f = &s->fields[s->n_fields];
	uint32_t offset, is_signed;

	if (s->n_fields++ == FIELDS_MAX || !type_and_name(s, f) || !array_size(s, f) ||
	    !eat(s, ";\toffset:") || !number(s, &offset) || !eat(s, ";\tsize:") ||
	    !number(s, &f->size) || !eat(s, ";\tsigned:") || !number(s, &is_signed) ||
	    !eat(s, ";\n"))
		return false;
	if (!f->size || offset + f->size > KTALLY_RECORD_MAX || is_signed > 1)
		return false;
	if (f->is_string)
		return f->size == 4;
	return f->count ? f->size % f->count == 0 : f->size <= 8;
}

static bool field_lines(struct scan *s)
{
	int parts = 0;

	for (;;) {
		if (eat(s, "\tfield:")) {
			if (!field(s))
				return false;
		} else if (!eat(s, "\n") || ++parts > 2) {
			return false;
		} else if (parts == 2) {
			return true;
		}
	}
}

/* ---- printing ---- */

/* Counts the conversions of the format's words; only plain ones are known. */
static bool format_words(struct scan *s, size_t *conversions)
{
	static const char *const known[] = { "%llu", "%lld", "%llx", "%u", "%d", "%x", "%s" };

	*conversions = 0;
	if (!eat(s, "\""))
		return false;
	while (s->p < s->end && *s->p != '"') {
		size_t i = 0;

		if (*s->p == '\\')
			return false;
		if (*s->p != '%') {
			s->p++;
			continue;
		}
		while (i < sizeof(known) / sizeof(known[0]) && !eat(s, known[i]))
			i++;
		if (i == sizeof(known) / sizeof(known[0]))
			return false;
		++*conversions;
	}
	return eat(s, "\"");
}

static const struct field *find_field(const struct scan *s, const struct word *w)
{
	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].name.n == w->n && !memcmp(s->fields[i].name.p, w->p, w->n))
			return &s->fields[i];
	return NULL;
}

static bool argument(struct scan *s)
{
	bool is_array = eat(s, "__print_array(REC->");
	bool is_string = !is_array && eat(s, "__get_str(");
	const struct field *f;
	uint32_t count, size;
	struct word w;

	if (!is_array && !is_string && !eat(s, "REC->"))
		return false;
	if (!identifier(s, &w))
		return false;
	f = find_field(s, &w);
	if (!f || f->is_string != is_string)
		return false;
	if (is_array)
		return f->count && eat(s, ", ") && number(s, &count) && eat(s, ", ") &&
		       number(s, &size) && eat(s, ")") && count == f->count && size * count == f->size;
	return !is_string || eat(s, ")");
}

static bool print_format(struct scan *s)
{
	size_t conversions, arguments = 0;

	if (!eat(s, "print fmt: ") || !format_words(s, &conversions))
		return false;
	while (eat(s, ", ")) {
		if (!argument(s))
			return false;
		arguments++;
	}
	return eat(s, "\n") && s->p == s->end && arguments == conversions;
}

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		if ((c < 0x20 && c != '\t' && c != '\n') || c > 0x7e)
			return false;
	}
	return true;
}

bool description_check(const char *text, size_t len, struct description_facts *d)
{
	struct scan s = { .p = text, .end = text + len };
	struct word name;
	uint32_t id;

	if (len > DESCRIPTION_MAX || !is_plain(text, len) || !eat(&s, "name: ") || !identifier(&s, &name) ||
	    !eat(&s, "\nID: ") || !number(&s, &id) || !eat(&s, "\nformat:\n") || !field_lines(&s))
		return false;
	d->id = id;
	d->print_at = s.p - text;
	if (!eat(&s, "print fmt: "))
		return false;
	s.p = text + d->print_at;
	d->printable = print_format(&s);
	return true;
}
