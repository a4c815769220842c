// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opt-value.c - what an option is set to, of its text: numbers, times, words of a list.
 * Nothing here depends on the locale.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/muldiv.h"
#include "opt.h"

int opt_flag(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	(void)o, (void)value, (void)why, (void)n;
	*(bool *)to = true;
	return 0;
}

int opt_constant(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	(void)value, (void)why, (void)n;
	*(int *)to = o->value;
	return 0;
}

int opt_string(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	(void)o, (void)why, (void)n;
	*(const char **)to = value;
	return 0;
}

/* What stands there is looked at when all words are known. */
int opt_output(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	return opt_string(o, to, value, why, n);
}

int opt_list(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	struct opt_list *list = to;

	(void)o;
	if (list->n == OPT_LIST_MAX) {
		snprintf(why, n, "at most %d of them", OPT_LIST_MAX);
		return -EINVAL;
	}
	list->at[list->n++] = value;
	return 0;
}

int opt_parse_u64(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? -EINVAL : 0;
}

int opt_count(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	(void)o;
	if (!opt_parse_u64(value, to))
		return 0;
	snprintf(why, n, "a whole number is wanted");
	return -EINVAL;
}

/* Digits and a decimal point by hand: strtod() listens to the locale and rounds. */
static int parse_decimal(const char **text, uint64_t *whole, uint64_t *billionths)
{
	const char *p = *text;
	uint64_t place = 100000000;

	*whole = *billionths = 0;
	if (!isdigit((unsigned char)p[*p == '.']))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++) {
		if (*whole > UINT32_MAX)
			return -EINVAL;
		*whole = *whole * 10 + (uint64_t)(*p - '0');
	}
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++, place /= 10)
			*billionths += place * (uint64_t)(*p - '0');
	*text = p;
	return 0;
}

int opt_parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} unit[] = {
		{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 },
		{ "ns", 1 }, { "m", 60000000000 }, { "min", 60000000000 },
		{ "h", 3600000000000 }, { "d", 86400000000000 },
	};
	uint64_t whole, billionths;

	if (parse_decimal(&text, &whole, &billionths))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
		uint64_t part;

		if (strcmp(text, unit[i].name))
			continue;
		part = mul_div(billionths, unit[i].ns, 1000000000);
		if (__builtin_mul_overflow(whole, unit[i].ns, ns) ||
		    __builtin_add_overflow(*ns, part, ns))
			return -EINVAL;
		return 0;
	}
	return -EINVAL;
}

int opt_time(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	struct opt_time *t = to;

	(void)o;
	if (opt_parse_time(value, &t->ns)) {
		snprintf(why, n, "a time is wanted: 0.5, 500ms, 2m");
		return -EINVAL;
	}
	t->set = true;
	return 0;
}

int opt_word(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	size_t len = strlen(value);
	const char *p = o->words;

	for (int i = 0; *p; i++) {
		size_t word = strcspn(p, " ");

		if (word == len && !strncmp(p, value, len)) {
			*(int *)to = o->value + i;
			return 0;
		}
		p += word;
		p += *p == ' ';
	}
	snprintf(why, n, "one of: %s", o->words);
	return -EINVAL;
}
