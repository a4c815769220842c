// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * when.c - points in time as people type them. They are resolved on the clock of the
 * wall, which all boots of a recording share, and then told in each boot's own time.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opt.h"
#include "when.h"

#define SECOND	1000000000LL

bool when_like(const char *text)
{
	struct tm tm = { 0 };
	uint64_t ns;

	if (strptime(text, "%Y-%m-%d %H:%M", &tm) || strptime(text, "%Y-%m-%dT%H:%M", &tm) ||
	    strptime(text, "%H:%M", &tm))
		return true;
	return !opt_parse_time(text + (*text == '-'), &ns);
}

/* As strptime(), which by itself leaves in tm what it took of a text that does not fit: an hour for a year. */
static const char *read_time(const char *text, const char *form, struct tm *tm)
{
	struct tm taken = *tm;
	const char *rest = strptime(text, form, &taken);

	if (rest)
		*tm = taken;
	return rest;
}

/* *dated: the day was said, too. tm holds a day to begin with. */
static int64_t clock_time(const char *text, struct tm tm, bool *dated)
{
	uint64_t part = 0;
	const char *rest;

	tm.tm_sec = 0;
	rest = read_time(text, "%Y-%m-%d %H:%M", &tm);
	if (!rest)
		rest = read_time(text, "%Y-%m-%dT%H:%M", &tm);
	*dated = rest;
	if (!rest)
		rest = read_time(text, "%H:%M", &tm);
	tm.tm_isdst = -1;
	if (rest && *rest == ':')
		opt_parse_time(rest + 1, &part);
	return mktime(&tm) * SECOND + (int64_t)part;
}

/* The last one that is not after `latest`; days are as long as the calendar says. */
static int64_t last_clock_time(const char *text, int64_t latest)
{
	time_t s = (time_t)(latest / SECOND);
	struct tm tm;
	bool dated;
	int64_t at;

	localtime_r(&s, &tm);
	at = clock_time(text, tm, &dated);
	if (dated || at <= latest)
		return at;
	tm.tm_mday--;
	return clock_time(text, tm, &dated);
}

static int64_t resolve(const char *text, int64_t first, int64_t last, int64_t latest)
{
	uint64_t ns = 0;

	if (strchr(text, ':'))
		return last_clock_time(text, latest);
	opt_parse_time(text + (*text == '-'), &ns);
	return *text == '-' ? last - (int64_t)ns : first + (int64_t)ns;
}

static uint64_t in_boot(int64_t at, const struct ktally_extent *e)
{
	return at > e->real ? (uint64_t)(at - e->real) : 0;
}

struct ktally_window *when_windows(const struct ktally_stream *s, const char *since, const char *until,
				   size_t *boots)
{
	struct ktally_window *w;
	struct ktally_extent e;
	int64_t first = INT64_MAX, last = INT64_MIN, from, to;
	uint32_t n = 0;

	for (; ktally_stream_extent(s, n, &e); n++) {
		if (e.first && (int64_t)e.first + e.real < first)
			first = (int64_t)e.first + e.real;
		if (e.first && (int64_t)e.last + e.real > last)
			last = (int64_t)e.last + e.real;
	}
	w = calloc(n + 1, sizeof(*w));
	if (!w)
		return NULL;
	*boots = n;
	to = until ? resolve(until, first, last, last) : INT64_MAX;
	from = since ? resolve(since, first, last, to < last ? to : last) : INT64_MIN;
	for (uint32_t i = 0; ktally_stream_extent(s, i, &e); i++) {
		w[i].since = since ? in_boot(from, &e) : 0;
		w[i].until = until ? in_boot(to, &e) : UINT64_MAX;
	}
	return w;
}
