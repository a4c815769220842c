// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * when.c - points in time as people type them. They are resolved on the clock of the
 * wall, which all boots of a recording share, and then told in each boot's own time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opt.h"
#include "when.h"

#define SECOND	1000000000LL

/* A time of the clock, taken apart. */
struct clock {
	struct tm tm;
	uint64_t part;		/* of the minute, ns */
	bool dated, utc;	/* that was said, too */
};

/* As strptime(), which by itself leaves in tm what it took of a text that does not fit: an hour for a year. */
static const char *read_time(const char *text, const char *form, struct tm *tm)
{
	struct tm taken = *tm;
	const char *rest = strptime(text, form, &taken);

	if (rest)
		*tm = taken;
	return rest;
}

static const char *read_seconds(const char *text, uint64_t *part)
{
	size_t n = strspn(text, "0123456789.");
	char seconds[32];

	if (n >= sizeof(seconds))
		return NULL;
	memcpy(seconds, text, n);
	seconds[n] = '\0';
	return opt_parse_time(seconds, part) || *part >= 60 * SECOND ? NULL : text + n;
}

/* c->tm holds a day to begin with. All of the text or nothing: who writes "2:05pm" does not mean 2:05. */
static bool read_clock(const char *text, struct clock *c)
{
	const char *rest;

	c->tm.tm_sec = 0;
	c->part = 0;
	rest = read_time(text, "%Y-%m-%d %H:%M", &c->tm);
	if (!rest)
		rest = read_time(text, "%Y-%m-%dT%H:%M", &c->tm);
	c->dated = rest;
	if (!rest)
		rest = read_time(text, "%H:%M", &c->tm);
	if (rest && *rest == ':')
		rest = read_seconds(rest + 1, &c->part);
	c->utc = rest && *rest == 'Z';
	return rest && !rest[c->utc];
}

/* mktime() takes the 31st of February for a day in March. */
static bool is_a_day(const struct clock *c)
{
	struct tm tm = c->tm;

	timegm(&tm);
	return !c->dated || tm.tm_mday == c->tm.tm_mday;
}

bool when_like(const char *text)
{
	struct clock c = { .dated = false };
	uint64_t ns;

	if (read_clock(text, &c))
		return is_a_day(&c);
	return !opt_parse_time(text + (*text == '-'), &ns);
}

static int64_t at_clock(struct clock c)
{
	c.tm.tm_isdst = -1;
	return (c.utc ? timegm(&c.tm) : mktime(&c.tm)) * SECOND + (int64_t)c.part;
}

/* The last one that is not after `latest`; days are as long as the calendar says. */
static int64_t last_clock_time(const char *text, int64_t latest)
{
	time_t s = (time_t)(latest / SECOND);
	struct clock c = { .dated = false };

	read_clock(text, &c);
	if (c.utc)
		gmtime_r(&s, &c.tm);
	else
		localtime_r(&s, &c.tm);
	read_clock(text, &c);
	if (!c.dated && at_clock(c) > latest)
		c.tm.tm_mday--;
	return at_clock(c);
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
	return at > e->real ? (uint64_t)at - (uint64_t)e->real : 0;
}

int when_windows(const struct ktally_stream *s, const char *since, const char *until,
		 struct ktally_window **windows, size_t *boots)
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
	to = until ? resolve(until, first, last, last) : INT64_MAX;
	from = since ? resolve(since, first, last, to < last ? to : last) : INT64_MIN;
	if (from > to)
		return -EINVAL;
	w = calloc(n + 1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	for (uint32_t i = 0; ktally_stream_extent(s, i, &e); i++) {
		w[i].since = since ? in_boot(from, &e) : 0;
		w[i].until = until ? in_boot(to, &e) : UINT64_MAX;
	}
	*windows = w;
	*boots = n;
	return 0;
}
