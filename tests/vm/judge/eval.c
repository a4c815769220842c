// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eval.c - values of expressions and whether a check holds.
 *
 * All times become ns and all sizes bytes, by the unit that a literal carries
 * (700ms, 1MiB) or that a TRUTH key ends in (_us, _kb). What can't be evaluated
 * (no such key or column, an unknown value in a sum) never holds: a typing error
 * in a rule must not pass.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge.h"

struct unit {
	const char *name;
	long double factor;
};

static const struct unit literal_units[] = {
	{ "ns", 1 }, { "us", 1e3L }, { "ms", 1e6L }, { "s", 1e9L },
	{ "KiB", 1024 }, { "MiB", 1048576 }, { "kB", 1e3L }, { NULL, 0 },
};

static const struct unit key_units[] = {
	{ "_us", 1e3L }, { "_ms", 1e6L }, { "_s", 1e9L },
	{ "_kb", 1024 }, { "_mb", 1048576 }, { NULL, 0 },
};

/* A text being evaluated; error: why it can't be. */
struct expr {
	const char *p;
	const struct scope *s;
	const char *error;
	char name[128];		/* what the error speaks of */
};

static struct cell failed(struct expr *e, const char *error)
{
	if (!e->error)
		e->error = error;
	return (struct cell){ .type = UNKNOWN };
}

/* ---- what names stand for ---- */

static size_t name_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || (p[n] && strchr("_.", p[n])))
		n++;
	return n;
}

static void take_name(struct expr *e)
{
	size_t n = name_length(e->p);

	snprintf(e->name, sizeof e->name, "%.*s", (int)n, e->p);
	e->p += n;
}

/* The last TRUTH line of a role. */
static const struct truth *truth_of_role(const struct truths *all, const char *role)
{
	size_t i = all->n;

	while (i--) {
		const struct cell *c = truth_get(&all->at[i], "role");

		if (c && !strcmp(c->text, role))
			return &all->at[i];
	}
	return NULL;
}

static struct cell scaled(struct cell c, const char *key)
{
	const struct unit *u;
	size_t len = strlen(key);

	for (u = key_units; c.type == NUMBER && u->name; u++)
		if (len > strlen(u->name) && !strcmp(key + len - strlen(u->name), u->name))
			return cell_number(c.num * u->factor);
	return c;
}

/* $key of the present TRUTH line, $role.key of another one */
static struct cell truth_value(struct expr *e)
{
	const struct truth *t = e->s->truth;
	const struct cell *c;
	char role[128];
	char *dot;

	take_name(e);
	snprintf(role, sizeof role, "%s", e->name);
	dot = strchr(role, '.');
	if (dot) {
		*dot = 0;
		t = truth_of_role(e->s->truths, role);
	}
	c = truth_get(t, dot ? dot + 1 : e->name);
	return c ? scaled(*c, e->name) : failed(e, "no such TRUTH key");
}

static struct cell row_value(struct expr *e, const struct row *r, const char *column)
{
	int at = table_find(e->s->table, column);

	snprintf(e->name, sizeof e->name, "%s", column);
	if (at < 0)
		return failed(e, "no such column");
	if (!r)
		return failed(e, "no row to look at");
	return (size_t)at < r->n ? r->cells[at] : (struct cell){ .type = UNKNOWN };
}

/* ---- arithmetic: sums of products of numbers, $truths and @columns ---- */

static struct cell literal_number(struct expr *e)
{
	const struct unit *u;
	char *end;
	long double v = strtold(e->p, &end);
	size_t n;

	e->p = end;
	n = strspn(e->p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	for (u = literal_units; n && u->name; u++)
		if (strlen(u->name) == n && !strncmp(e->p, u->name, n)) {
			e->p += n;
			return cell_number(v * u->factor);
		}
	return n ? failed(e, "unit unknown") : cell_number(v);
}

static struct cell atom(struct expr *e)
{
	if (*e->p == '$') {
		e->p++;
		return truth_value(e);
	}
	if (*e->p == '@') {
		char column[128];

		e->p++;
		take_name(e);
		snprintf(column, sizeof column, "%s", e->name);
		return row_value(e, e->s->row, column);
	}
	if (isdigit((unsigned char)*e->p))
		return literal_number(e);
	return failed(e, "not a number, $key or @column");
}

static long double number(struct expr *e, struct cell c)
{
	if (c.type != NUMBER)
		failed(e, c.type == UNKNOWN ? "unknown value in a sum" : "text in a sum");
	return c.num;
}

static struct cell product(struct expr *e)
{
	struct cell c = atom(e);

	while (!e->error && *e->p == '*') {
		long double left = number(e, c);

		e->p++;
		c = cell_number(left * number(e, atom(e)));
	}
	return c;
}

static struct cell arithmetic(struct expr *e)
{
	struct cell c = product(e);

	while (!e->error && (*e->p == '+' || *e->p == '-')) {
		long double sign = *e->p++ == '+' ? 1 : -1, left = number(e, c);

		c = cell_number(left + sign * number(e, product(e)));
	}
	return c;
}

/* ---- functions of a row ---- */

static struct words as_words(struct expr *e, struct cell c)
{
	struct words w = { 0 };

	if (c.type == LIST)
		return c.list;
	if (c.type == UNKNOWN)
		failed(e, "unknown value");
	else if (!shell_words(c.text, &w))
		failed(e, "not words of a shell");
	return w;
}

static struct cell text_cell(char *text)
{
	struct cell c = { .type = UNKNOWN };

	cell_text(&c, text);
	return c;
}

static struct cell f_hex(struct expr *e, struct cell c, long n)
{
	(void)n;
	if (!c.text)
		return failed(e, "no text");
	return text_cell(hex_of(c.text));
}

static struct cell f_fnv(struct expr *e, struct cell c, long n)
{
	struct words w = as_words(e, c);

	(void)n;
	return text_cell(fnv_of(&w));
}

/* bytes, each word with its final NUL */
static struct cell f_len(struct expr *e, struct cell c, long n)
{
	struct words w = as_words(e, c);
	size_t len = w.n, i;

	(void)n;
	for (i = 0; i < w.n; i++)
		len += strlen(w.at[i]);
	return cell_number(len);
}

static struct cell f_words(struct expr *e, struct cell c, long n)
{
	(void)n;
	return cell_number(as_words(e, c).n);
}

static struct cell f_word(struct expr *e, struct cell c, long n)
{
	struct words w = as_words(e, c);

	if (n < 0 || (size_t)n >= w.n)
		return failed(e, "no such word");
	return text_cell(w.at[n]);
}

/* all words, as hex of NUL-ended strings */
static struct cell f_wordshex(struct expr *e, struct cell c, long n)
{
	struct words w = as_words(e, c);
	char *hex = text_of("", 0);
	size_t i;

	(void)n;
	for (i = 0; i < w.n; i++) {
		char *one = hex_of(w.at[i]), *both = room(strlen(hex) + strlen(one) + 3);

		sprintf(both, "%s%s00", hex, one);
		hex = both;
	}
	return text_cell(hex);
}

static const struct {
	const char *name;
	struct cell (*of)(struct expr *e, struct cell c, long n);
} functions[] = {
	{ "hex", f_hex }, { "fnv", f_fnv }, { "len", f_len },
	{ "words", f_words }, { "word", f_word }, { "wordshex", f_wordshex },
};

/* ---- functions of the rows picked ---- */

static struct cell g_count(struct expr *e, const char *column)
{
	(void)column;
	return cell_number(e->s->n_picked);
}

static struct cell g_sum(struct expr *e, const char *column)
{
	long double sum = 0;
	size_t i;

	for (i = 0; i < e->s->n_picked; i++)
		sum += number(e, row_value(e, e->s->picked[i], column));
	return cell_number(sum);
}

static struct cell g_mean(struct expr *e, const char *column)
{
	struct cell sum = g_sum(e, column);

	return e->s->n_picked ? cell_number(sum.num / e->s->n_picked) : failed(e, "no rows");
}

static struct cell extreme(struct expr *e, const char *column, int sign)
{
	long double best = 0, v;
	size_t i;

	for (i = 0; i < e->s->n_picked; i++) {
		v = number(e, row_value(e, e->s->picked[i], column));
		if (!i || v * sign > best * sign)
			best = v;
	}
	return e->s->n_picked ? cell_number(best) : failed(e, "no rows");
}

static struct cell g_max(struct expr *e, const char *column)
{
	return extreme(e, column, 1);
}

static struct cell g_min(struct expr *e, const char *column)
{
	return extreme(e, column, -1);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct cell g_distinct(struct expr *e, const char *column)
{
	struct words w = { 0 };
	size_t i, n = 0;

	for (i = 0; i < e->s->n_picked; i++) {
		struct cell c = row_value(e, e->s->picked[i], column);

		words_add(&w, c.type == LIST ? fnv_of(&c.list) : c.text ? c.text : "");
	}
	if (w.n)
		qsort(w.at, w.n, sizeof *w.at, compare_texts);
	for (i = 0; i < w.n; i++)
		n += !i || strcmp(w.at[i], w.at[i - 1]);
	return cell_number(n);
}

static const struct {
	const char *name;
	struct cell (*of)(struct expr *e, const char *column);
} aggregates[] = {
	{ "count", g_count }, { "sum", g_sum }, { "mean", g_mean },
	{ "max", g_max }, { "min", g_min }, { "distinct", g_distinct },
};

static int aggregate_find(const char *left)
{
	size_t n = strcspn(left, "("), i;

	for (i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
		if (strlen(aggregates[i].name) == n && !strncmp(left, aggregates[i].name, n) &&
		    (left[n] == '(' || !strcmp(left, "count")))
			return (int)i;
	return -1;
}

bool is_aggregate(const char *left)
{
	return aggregate_find(left) >= 0;
}

/* ---- checks ---- */

/* FUNCTION(COLUMN) or FUNCTION(COLUMN,NUMBER) */
static struct cell call(struct expr *e, const char *left)
{
	size_t n = strcspn(left, "("), i;
	char column[128] = "";
	long arg = 0;

	if (left[n] && sscanf(left + n, "(%127[^,)],%ld)", column, &arg) < 1)
		return failed(e, "brackets want a column");
	if (aggregate_find(left) >= 0)
		return aggregates[aggregate_find(left)].of(e, column);
	for (i = 0; i < sizeof functions / sizeof *functions; i++)
		if (strlen(functions[i].name) == n && !strncmp(left, functions[i].name, n))
			return functions[i].of(e, row_value(e, e->s->row, column), arg);
	return failed(e, "no such function");
}

static bool is_arithmetic(const char *text)
{
	return *text == '$' || *text == '@' || isdigit((unsigned char)*text);
}

static struct cell arithmetic_whole(struct expr *e, const char *text)
{
	struct cell c;

	e->p = text;
	c = arithmetic(e);
	if (!e->error && *e->p)
		return failed(e, "cannot be read to its end");
	return c;
}

static struct cell left_value(struct expr *e, const char *text)
{
	snprintf(e->name, sizeof e->name, "%s", text);
	if (is_arithmetic(text))
		return arithmetic_whole(e, text);
	if (is_aggregate(text) || strchr(text, '('))
		return call(e, text);
	return row_value(e, e->s->row, text);
}

static bool same(const struct cell *a, const struct cell *b)
{
	if (a->text && b->text && !strcmp(a->text, b->text))
		return true;
	return a->type == NUMBER && b->type == NUMBER && a->num == b->num;
}

static bool equal(struct expr *e, const struct cell *left, const char *right, struct cell *want)
{
	if (!strcmp(right, "unknown"))
		return left->type == UNKNOWN;
	if (!strcmp(right, "known"))
		return left->type != UNKNOWN;
	if (is_arithmetic(right)) {
		*want = arithmetic_whole(e, right);
		if (!e->error)
			return same(left, want);
		if (*right == '$' || *right == '@')
			return false;
		e->error = NULL;	/* a text that begins with a digit */
	}
	return left->text && !fnmatch(right, left->text, 0);
}

/* How far a figure may be from its truth: see tests/vm/README. */
static bool about(struct expr *e, const char *left, long double is, long double truth)
{
	long double cpus = sysconf(_SC_NPROCESSORS_CONF), slack;

	if (strstr(left, "cpu") && strstr(left, "_ns"))
		return is >= truth - 500e3L && is <= truth + 15e6L + 0.03L * truth;
	if (strstr(left, "_bytes")) {
		slack = 3 * (2 * cpus > 32 ? 2 * cpus : 32) * cpus * sysconf(_SC_PAGESIZE);
		slack += 300 * 1024;
		return is >= truth - slack && is <= truth + slack;
	}
	failed(e, "~ wants CPU time or memory on its left");
	return false;
}

static bool in_order(struct expr *e, const struct check *c, struct cell left, struct cell *want)
{
	long double a, b;

	*want = arithmetic_whole(e, c->right);
	a = number(e, left);
	b = number(e, *want);
	if (e->error)
		return false;
	switch (c->op) {
	case LT:
		return a < b;
	case LE:
		return a <= b;
	case GT:
		return a > b;
	case GE:
		return a >= b;
	default:
		return about(e, c->left, a, b);
	}
}

static const char *shown(const struct cell *c)
{
	return c->type == UNKNOWN ? "unknown" : c->text ? c->text : "a list";
}

bool check_holds(const struct check *c, const struct scope *s, char *why, size_t size)
{
	struct expr e = { .s = s };
	struct cell want = { .type = UNKNOWN }, left = left_value(&e, c->left);
	bool ok = false;

	if (!e.error && (c->op == EQ || c->op == NE))
		ok = equal(&e, &left, c->right, &want) == (c->op == EQ);
	else if (!e.error)
		ok = in_order(&e, c, left, &want);
	if (e.error)
		snprintf(why, size, "%s: %s: %s", c->text, e.name, e.error);
	else if (!ok)
		snprintf(why, size, "%s: found %.200s, wanted %.200s", c->text, shown(&left),
			 want.text ? want.text : c->right);
	return ok && !e.error;
}
