// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * truth.c - lines "TRUTH key=value key="two words" ..." that workloads print.
 * Other lines are passed over: workloads may say more than the judge needs.
 */
#include <string.h>

#include "judge.h"

static void pair(struct truth *t, char *word)
{
	char *eq = strchr(word, '=');
	struct pair *p;

	if (!eq || eq == word)
		refuse("TRUTH line %d: '%s' is not key=value", t->line, word);
	t->pairs = grow(t->pairs, t->n, sizeof *t->pairs);
	p = &t->pairs[t->n++];
	p->key = text_of(word, (size_t)(eq - word));
	cell_text(&p->value, eq + 1);
}

/* Splits at blanks that are outside double quotes; quotes are dropped, nothing else is special. */
static void pairs(struct truth *t, char *p)
{
	while (*p) {
		char *word = p, *out = p;
		bool inside = false;

		while (*p && (inside || *p != ' ')) {
			if (*p == '"')
				inside = !inside;
			else
				*out++ = *p;
			p++;
		}
		if (inside)
			refuse("TRUTH line %d: quote is not closed", t->line);
		p += *p == ' ';
		*out = 0;
		if (*word)
			pair(t, word);
	}
}

void truths_read(struct truths *all, const char *path)
{
	size_t len;
	char *p = read_whole(path, &len);
	int line = 1;

	for (; *p; line++) {
		char *end = p + strcspn(p, "\n");
		bool last = !*end;

		*end = 0;
		if (!strncmp(p, "TRUTH ", 6)) {
			all->at = grow(all->at, all->n, sizeof *all->at);
			all->at[all->n].line = line;
			pairs(&all->at[all->n++], p + 6);
		}
		p = last ? end : end + 1;
	}
}

const struct cell *truth_get(const struct truth *t, const char *key)
{
	size_t i;

	for (i = 0; t && i < t->n; i++)
		if (!strcmp(t->pairs[i].key, key))
			return &t->pairs[i].value;
	return NULL;
}
