// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * judge.c - judge EXPECTED TRUTH TABLE...
 *
 * Applies every rule of EXPECTED to the TRUTH lines and to each TABLE of the
 * rule's section (lives.csv and lives.json are both 'lives'), and prints a line
 * for each check that does not hold. A rule that finds nothing to look at has
 * failed. Status: 0 all hold, 1 some do not, 2 something could not be read.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

struct judge {
	const char *expected;
	struct rules rules;
	struct truths truths;
	struct table **tables;
	size_t n_tables;
	long checks, failed;
};

static void verdict(struct judge *j, const struct rule *r, const struct scope *s, const char *why)
{
	const char *file = s->table ? s->table->file : "";

	j->checks++;
	if (!why)
		return;
	j->failed++;
	printf("%s:%d: %s%s%s", j->expected, r->line, file, *file ? ": " : "", why);
	if (s->truth)
		printf(" (TRUTH line %d)", s->truth->line);
	putchar('\n');
}

static void apply_checks(struct judge *j, const struct rule *r, const struct scope *s)
{
	char why[1024];
	size_t i;

	for (i = 0; i < r->checks.n; i++)
		verdict(j, r, s, check_holds(&r->checks.at[i], s, why, sizeof why) ? NULL : why);
}

/*
 * true: the row meets all conditions. A condition that can't be evaluated is not
 * met by any row, and a rule without rows has failed or counts none: a condition
 * on a column that does not exist is reported by itself.
 */
static bool row_selected(const struct rule *r, struct scope *s, const struct row *row)
{
	char why[1024];
	size_t i;

	s->row = row;
	for (i = 0; i < r->select.n; i++)
		if (!check_holds(&r->select.at[i], s, why, sizeof why))
			return false;
	return true;
}

static void pick(const struct rule *r, struct scope *s)
{
	size_t i;

	for (i = 0; i < s->table->n_rows; i++) {
		if (!row_selected(r, s, &s->table->rows[i]))
			continue;
		s->picked = grow(s->picked, s->n_picked, sizeof *s->picked);
		s->picked[s->n_picked++] = &s->table->rows[i];
	}
	s->row = NULL;
}

static bool group_rule(const struct rule *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->checks.n; i++)
		n += is_aggregate(r->checks.at[i].left);
	if (n && n < r->checks.n)
		refuse("line %d: checks of one row and of many in one rule", r->line);
	return n;
}

/* The condition's column must exist even if there are no rows to show that it does not. */
static bool columns_exist(struct judge *j, const struct rule *r, struct scope *s)
{
	char why[1024];
	size_t i, n;

	for (i = 0; i < r->select.n; i++) {
		const char *left = r->select.at[i].left;

		n = strcspn(left, "($@");
		if (left[n] || table_find(s->table, left) >= 0)
			continue;
		snprintf(why, sizeof why, "%s: no such column", r->select.at[i].text);
		verdict(j, r, s, why);
		return false;
	}
	return true;
}

static void apply_to_table(struct judge *j, const struct rule *r, struct scope *s)
{
	char why[256];
	size_t i;

	if (!columns_exist(j, r, s))
		return;
	pick(r, s);
	if (group_rule(r)) {
		apply_checks(j, r, s);
		return;
	}
	if (!s->n_picked || (s->n_picked > 1 && !r->each)) {
		snprintf(why, sizeof why, "%zu rows, wanted %s", s->n_picked,
			 r->each ? "at least one" : "exactly one");
		verdict(j, r, s, why);
		return;
	}
	for (i = 0; i < s->n_picked; i++) {
		s->row = s->picked[i];
		apply_checks(j, r, s);
	}
}

static void apply_to_tables(struct judge *j, const struct rule *r, const struct truth *t)
{
	struct scope s = { .truths = &j->truths, .truth = t };
	size_t i, n = 0;

	if (r->rowless) {
		apply_checks(j, r, &s);
		return;
	}
	for (i = 0; i < j->n_tables; i++) {
		if (strcmp(j->tables[i]->name, r->section))
			continue;
		s.table = j->tables[i];
		s.row = NULL;
		s.picked = NULL;
		s.n_picked = 0;
		apply_to_table(j, r, &s);
		n++;
	}
	s.table = NULL;
	if (!n)
		verdict(j, r, &s, "there is no such table");
}

static bool truth_selected(const struct rule *r, const struct truth *t)
{
	size_t i;

	for (i = 0; i < r->which.n; i++) {
		const struct check *c = &r->which.at[i];
		const struct cell *v = truth_get(t, c->left);
		bool match = v && !fnmatch(c->right, v->text, 0);

		if (match != (c->op == EQ))
			return false;
	}
	return true;
}

static void apply_rule(struct judge *j, const struct rule *r)
{
	struct scope none = { 0 };
	char why[128];
	size_t i;
	long n = 0;

	if (!r->which.n) {
		apply_to_tables(j, r, NULL);
		return;
	}
	for (i = 0; i < j->truths.n; i++)
		if (truth_selected(r, &j->truths.at[i])) {
			apply_to_tables(j, r, &j->truths.at[i]);
			n++;
		}
	if (n == r->times || r->times == ANY_TIMES || (n && r->times == AT_LEAST_ONCE))
		return;
	snprintf(why, sizeof why, "%s...: %ld TRUTH lines, wanted %ld%s", r->which.at[0].text, n,
		 r->times >= 0 ? r->times : 1, r->times >= 0 ? "" : " or more");
	verdict(j, r, &none, why);
}

static void add_table(struct judge *j, struct table *t)
{
	j->tables = grow(j->tables, j->n_tables, sizeof *j->tables);
	j->tables[j->n_tables++] = t;
	if (t->document)
		add_table(j, t->document);
}

int main(int argc, char **argv)
{
	struct judge j = { 0 };
	size_t i;
	int arg;

	if (argc < 3)
		refuse("usage: judge EXPECTED TRUTH TABLE...");
	j.expected = argv[1];
	rules_read(&j.rules, argv[1]);
	truths_read(&j.truths, argv[2]);
	for (arg = 3; arg < argc; arg++)
		add_table(&j, table_read(argv[arg]));
	if (!j.rules.n)
		refuse("%s: no rules", argv[1]);
	for (i = 0; i < j.rules.n; i++)
		apply_rule(&j, &j.rules.at[i]);
	printf("judge: %ld checks, %ld failed\n", j.checks, j.failed);
	return j.failed != 0;
}
