// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rules.c - reads expected.txt. A line is a rule of three parts,
 *
 *   TRUTH lines it is about | rows it is about | what must hold
 *
 * or a [table] that the rules below it look at, or begins with a blank and goes
 * on with the line before, or is empty, or a # comment. tests/vm/README says it
 * for people who write cases.
 */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

struct reader {
	const char *path;
	struct rules *all;
	char *section;
	int line;
};

static const struct {
	const char *text;
	int op;
} operators[] = {
	/* longer ones first */
	{ "!=", NE }, { "<=", LE }, { ">=", GE }, { "=", EQ }, { "<", LT }, { ">", GT }, { "~", ABOUT },
};

/* Where the operator stands: the first that is outside brackets. */
static size_t operator_at(const char *word)
{
	size_t i;
	int depth = 0;

	for (i = 0; word[i]; i++) {
		depth += (word[i] == '(') - (word[i] == ')');
		if (!depth && strchr("!<>=~", word[i]))
			break;
	}
	return i;
}

static void check_add(struct reader *r, struct checks *to, char *word)
{
	size_t at = operator_at(word), i;
	struct check *c;

	for (i = 0; i < sizeof operators / sizeof *operators; i++) {
		size_t len = strlen(operators[i].text);

		if (!at || strncmp(word + at, operators[i].text, len))
			continue;
		to->at = grow(to->at, to->n, sizeof *to->at);
		c = &to->at[to->n++];
		c->text = word;
		c->left = text_of(word, at);
		c->op = operators[i].op;
		c->right = word + at + len;
		return;
	}
	refuse("%s:%d: '%s' is no check", r->path, r->line, word);
}

/* The words of one part; a blank inside double quotes belongs to the word. */
static struct words part(struct reader *r, char **p)
{
	struct words w = { 0 };

	for (;;) {
		char *out, *word;
		bool inside = false;

		*p += strspn(*p, " \t\n");
		if (!**p || **p == '|') {
			*p += **p == '|';
			return w;
		}
		word = out = text_of(*p, strlen(*p));
		for (; **p && (inside || !strchr(" \t\n|", **p)); ++*p)
			if (**p == '"')
				inside = !inside;
			else
				*out++ = **p;
		if (inside)
			refuse("%s:%d: quote is not closed", r->path, r->line);
		*out = 0;
		words_add(&w, word);
	}
}

/* x3: three times, x*: as often as it comes */
static bool times(const char *word, long *n)
{
	if (*word++ != 'x' || !*word)
		return false;
	if (!strcmp(word, "*"))
		*n = ANY_TIMES;
	else if (!word[strspn(word, "0123456789")])
		*n = atol(word);
	else
		return false;
	return true;
}

static void rule(struct reader *r, char *p)
{
	struct words w;
	struct rule *rule;
	size_t i;

	r->all->at = grow(r->all->at, r->all->n, sizeof *r->all->at);
	rule = &r->all->at[r->all->n++];
	rule->line = r->line;
	rule->section = r->section;
	rule->times = AT_LEAST_ONCE;
	w = part(r, &p);
	for (i = 0; i < w.n; i++)
		if (!times(w.at[i], &rule->times))
			check_add(r, &rule->which, w.at[i]);
	w = part(r, &p);
	for (i = 0; i < w.n; i++)
		if (!strcmp(w.at[i], "each"))
			rule->each = true;
		else if (!strcmp(w.at[i], "-"))
			rule->rowless = true;
		else
			check_add(r, &rule->select, w.at[i]);
	w = part(r, &p);
	for (i = 0; i < w.n; i++)
		check_add(r, &rule->checks, w.at[i]);
	if (!rule->checks.n || *p)
		refuse("%s:%d: a rule is: TRUTH lines | rows | checks", r->path, r->line);
}

static void line_of(struct reader *r, char *line)
{
	if (*line == '[') {
		line[strcspn(line, "]")] = 0;
		r->section = line + 1;
	} else if (*line && *line != '#') {
		rule(r, line);
	}
}

/* Joins continued lines with their first one: the line feed becomes a blank. */
void rules_read(struct rules *all, const char *path)
{
	struct reader r = { .path = path, .all = all, .section = "lives" };
	size_t len;
	char *p = read_whole(path, &len);
	int at = 1;

	while (*p) {
		char *line = p;

		r.line = at;
		while (*p && !(*p == '\n' && (!p[1] || !strchr(" \t", p[1]) || *line == '#')))
			at += *p++ == '\n';
		at++;
		if (*p)
			*p++ = 0;
		line_of(&r, line);
	}
}
