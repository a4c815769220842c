// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands/scores-merge.c - `all` and `sortedAll` of a folder of scores, as the profiler's own
 * analysis makes them:
 *
 *   all        every line whose time is known, file by file; left out is a line that
 *              differs from one of the same file in one field alone (a later round of
 *              the same command), and one that an earlier file has letter by letter
 *   sortedAll  starts joined with the next end of the same PID, summed by command,
 *              the least mean first; whole numbers, rounded down
 */
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "scores.h"

struct kept {
	char *text;			/* with its line break */
	struct score score;
	int64_t duration;		/* of a start that found its end */
	bool joined;
};

/* Two fields of a line, and what the third one was. */
struct pair {
	char *key, *third;
};

struct total {
	const struct kept *first;	/* the command's name, and its place */
	int64_t sum, n;
};

struct merge {
	const char *dir;
	struct kept *all;
	size_t n, room, file;		/* file: where its lines begin */
	void *lines;			/* tree of all earlier files' lines */
	void *pairs;			/* tree of this file's pairs */
	bool oom;
};

/* ---- trees ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->key, ((const struct pair *)b)->key);
}

static void free_pair(void *p)
{
	struct pair *pair = p;

	free(pair->key);
	free(pair->third);
	free(pair);
}

static void keep_text(void *p)
{
	(void)p;			/* it belongs to m->all */
}

/* ---- which lines stay ---- */

__attribute__((format(printf, 1, 2)))
static char *text(const char *fmt, ...)
{
	char *p;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : p;
}

/* Takes both; NULL: no memory. */
static struct pair *pair(char *key, char *third)
{
	struct pair *p = calloc(1, sizeof(*p));

	if (p && key && third) {
		p->key = key;
		p->third = third;
		return p;
	}
	free(p);
	free(key);
	free(third);
	return NULL;
}

/* Pair i of a line: its key, and the field that is not in it. NULL: no memory. */
static struct pair *pair_of(const struct score *s, int i)
{
	int len = (int)s->len;
	long long time = s->time;

	if (s->end && i == 0)
		return pair(text("E%u", s->pid), text("%lld", time));
	if (s->end)
		return pair(text("e%lld", time), text("%u", s->pid));
	if (i == 0)
		return pair(text("1%u!%.*s", s->pid, len, s->command), text("%lld", time));
	if (i == 1)
		return pair(text("2%lld!%.*s", time, len, s->command), text("%u", s->pid));
	return pair(text("3%lld!%u", time, s->pid), text("%.*s", len, s->command));
}

static int pairs_in(const struct score *s)
{
	return s->end ? 2 : 3;
}

/* Differs in one field from a line of this file that stays. */
static bool is_like_another(struct merge *m, const struct score *s)
{
	bool like = false;

	for (int i = 0; i < pairs_in(s) && !like; i++) {
		struct pair *p = pair_of(s, i), **at;

		if (!p) {
			m->oom = true;
			return false;
		}
		at = tfind(p, &m->pairs, by_key);
		like = at && strcmp((*at)->third, p->third);
		free_pair(p);
	}
	return like;
}

static void remember_pairs(struct merge *m, const struct score *s)
{
	for (int i = 0; i < pairs_in(s); i++) {
		struct pair *p = pair_of(s, i), **at = p ? tsearch(p, &m->pairs, by_key) : NULL;

		m->oom |= !at;
		if (p && (!at || *at != p))
			free_pair(p);
	}
}

static void keep(struct merge *m, const char *line, size_t len)
{
	struct kept *k;

	if (m->n == m->room) {
		size_t room = m->room ? 2 * m->room : 1024;
		struct kept *all = realloc(m->all, room * sizeof(*all));

		if (!all) {
			m->oom = true;
			return;
		}
		m->all = all;
		m->room = room;
	}
	k = &m->all[m->n];
	*k = (struct kept){ .text = strndup(line, len) };
	if (!k->text || !scores_parse(k->text, len, &k->score))
		m->oom = true;
	else
		m->n++;
}

static void look_at(struct merge *m, const char *line, size_t len)
{
	struct score s;

	if (!strcmp(line, SCORES_HEADER) || !scores_parse(line, len, &s) || s.time == -1)
		return;
	if (is_like_another(m, &s) || tfind(line, &m->lines, by_text))
		return;
	keep(m, line, len);
	if (!m->oom)
		remember_pairs(m, &s);
}

static int read_file(struct merge *m, uint32_t pid)
{
	char name[32], *line = NULL;
	size_t room = 0;
	ssize_t len;
	FILE *f;

	snprintf(name, sizeof(name), SCORES_PREFIX "%u", pid);
	f = scores_open(m->dir, name, "r");
	if (!f)
		return FAILED;
	m->file = m->n;
	m->pairs = NULL;
	while (!m->oom && (len = getline(&line, &room, f)) > 0)
		look_at(m, line, (size_t)len);
	free(line);
	tdestroy(m->pairs, free_pair);
	for (size_t i = m->file; i < m->n; i++)
		m->oom |= !tsearch(m->all[i].text, &m->lines, by_text);
	return scores_close(f, m->dir, name);
}

/* ---- sums ---- */

static int by_pid(const void *a, const void *b)
{
	uint32_t x = ((const struct kept *)a)->score.pid, y = ((const struct kept *)b)->score.pid;

	return x < y ? -1 : x > y;
}

/* From the last line back: the tree holds each PID's next end. */
static void join(struct merge *m)
{
	void *ends = NULL;

	for (size_t i = m->n; i-- > 0;) {
		struct kept *k = &m->all[i], **at;

		if (!k->score.end) {
			at = tfind(k, &ends, by_pid);
			k->joined = at;
			k->duration = at ? (*at)->score.time - k->score.time : 0;
			continue;
		}
		at = tsearch(k, &ends, by_pid);
		if (at)
			*at = k;
		m->oom |= !at;
	}
	tdestroy(ends, keep_text);
}

static int by_command(const void *a, const void *b)
{
	const struct score *x = &((const struct total *)a)->first->score;
	const struct score *y = &((const struct total *)b)->first->score;
	size_t n = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->command, y->command, n);

	return c ? c : (x->len > y->len) - (x->len < y->len);
}

static int64_t mean(const struct total *t)
{
	int64_t q = t->sum / t->n;

	return t->sum % t->n < 0 ? q - 1 : q;	/* rounded down */
}

/* Equal ones in the order in which they came. */
static int by_mean(const void *a, const void *b)
{
	const struct total *x = a, *y = b;
	int64_t p = mean(x), q = mean(y);

	if (p != q)
		return p < q ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Number of totals, or -1. */
static ssize_t sum_up(const struct merge *m, struct total *totals)
{
	void *tree = NULL;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct total **at;

		if (!m->all[i].joined)
			continue;
		totals[n] = (struct total){ .first = &m->all[i] };
		at = tsearch(&totals[n], &tree, by_command);
		if (!at)
			return -1;
		n += *at == &totals[n];
		(*at)->sum += m->all[i].duration;
		(*at)->n++;
	}
	tdestroy(tree, keep_text);
	qsort(totals, n, sizeof(*totals), by_mean);
	return (ssize_t)n;
}

/* From the first start to the last end. */
static long long whole(const struct merge *m)
{
	int64_t first = INT64_MAX, last = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct score *s = &m->all[i].score;

		if (!s->end && s->time < first)
			first = s->time;
		if (s->end && s->time > last)
			last = s->time;
	}
	return first == INT64_MAX ? 0 : last - first;
}

/* ---- the two files ---- */

static int write_all(const struct merge *m)
{
	FILE *f = scores_open(m->dir, "all", "w");

	if (!f)
		return FAILED;
	fputs(SCORES_HEADER, f);
	for (size_t i = 0; i < m->n; i++)
		fputs(m->all[i].text, f);
	return scores_close(f, m->dir, "all");
}

/* A line break comes before each command, so the third line is empty and the last one has none. */
static int write_sorted(const struct merge *m, const struct total *totals, size_t n)
{
	FILE *f = scores_open(m->dir, "sortedAll", "w");

	if (!f)
		return FAILED;
	fprintf(f, "command ! total ! nbOfTimes ! avgDuration\ntotal duration: %lld\n", whole(m));
	for (size_t i = 0; i < n; i++) {
		const struct total *t = &totals[i];

		fprintf(f, "\n%.*s! %lld ! %lld ! %lld ", (int)t->first->score.len,
			t->first->score.command, (long long)t->sum, (long long)t->n,
			(long long)mean(t));
	}
	return scores_close(f, m->dir, "sortedAll");
}

static int write_both(struct merge *m)
{
	struct total *totals = calloc(m->n + 1, sizeof(*totals));
	ssize_t n = -1;
	int status = OPT_GO_ON;

	if (!m->oom && totals) {
		join(m);
		n = sum_up(m, totals);
	}
	if (n < 0 || m->oom)
		status = say_error(FAILED, "out of memory");
	if (status == OPT_GO_ON)
		status = write_all(m);
	if (status == OPT_GO_ON)
		status = write_sorted(m, totals, (size_t)n);
	free(totals);
	return status;
}

int scores_merge(const char *dir)
{
	struct merge m = { .dir = dir };
	struct scores_folder files;
	int status = scores_list(&files, dir);

	for (size_t i = 0; status == OPT_GO_ON && i < files.n; i++)
		status = read_file(&m, files.pids[i]);
	if (status == OPT_GO_ON)
		status = write_both(&m);
	tdestroy(m.lines, keep_text);
	for (size_t i = 0; i < m.n; i++)
		free(m.all[i].text);
	free(m.all);
	scores_list_free(&files);
	return status;
}
