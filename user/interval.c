// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interval.c - the numbers behind the names of a live view, and what is wrong with them.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "interval.h"
#include "say.h"

#define SECOND		1000000000ULL
#define SHORTEST	(SECOND / 100)
#define LONGEST		(24 * 3600 * SECOND)

static bool is_number(const char *word)
{
	return isdigit((unsigned char)word[word[0] == '.']);
}

static bool parses_as_time(const char *word)
{
	uint64_t ns;

	return is_number(word) && !opt_parse_time(word, &ns);
}

static int take_time(struct interval *i, const char *command, const char *word)
{
	if (opt_parse_time(word, &i->ns))
		return say_error(WRONG_USE, "%s: interval '%s': a time is wanted: 0.5, 500ms, 2m", command, word);
	if (i->ns < SHORTEST || i->ns > LONGEST)
		return say_error(WRONG_USE, "%s: interval '%s': from 10ms to one day (24h) is possible", command, word);
	return OPT_GO_ON;
}

static int take_count(struct interval *i, const char *command, const char *word)
{
	if (opt_parse_u64(word, &i->count) || !i->count)
		return say_error(WRONG_USE, "%s: count '%s': a whole number above 0 is wanted", command, word);
	return OPT_GO_ON;
}

/* 1234 is hardly a program's name, and too large a number is none at all. */
static int refuse_numbers(const char *command, char *const *words, int n)
{
	for (int i = 0; i < n; i++)
		if (words[i][0] && words[i][strspn(words[i], "0123456789.")] == '\0')
			return say_error(WRONG_USE, "%s: '%s': interval and count stand last, a process is named by -p %s, a program called so by -n %s",
					 command, words[i], words[i], words[i]);
	return OPT_GO_ON;
}

int interval_take(struct interval *i, const char *command, struct opt_rest *rest)
{
	char **w = rest->words;
	int n = rest->n_words, status = OPT_GO_ON;

	*i = (struct interval){ .ns = SECOND };
	if (n >= 2 && parses_as_time(w[n - 2]) && is_number(w[n - 1])) {
		status = take_count(i, command, w[n - 1]);
		n--;
	}
	if (status == OPT_GO_ON && n >= 1 && parses_as_time(w[n - 1])) {
		status = take_time(i, command, w[n - 1]);
		n--;
	}
	rest->n_words = n;
	return status == OPT_GO_ON ? refuse_numbers(command, w, n) : status;
}

int interval_refuse_negative(const char *command, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (argv[i][0] == '-' && is_number(argv[i] + 1))
			return say_error(WRONG_USE, "%s: '%s': interval and count are above 0: 0.5, 500ms, 2m",
					 command, argv[i]);
	return OPT_GO_ON;
}

uint64_t interval_next(const struct interval *i, uint64_t last, uint64_t now)
{
	last += i->ns;
	if (last + i->ns <= now)
		last += (now - last) / i->ns * i->ns;
	return last;
}
