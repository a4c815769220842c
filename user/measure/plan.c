// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c - which commands are run: those behind --, parted by ---, each once per
 * value of a parameter that is scanned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "out/text.h"
#include "say.h"

struct scan {
	char name[32];
	const char *values;		/* "a,b,c" */
};

/* ---- words ---- */

static size_t count_words(char *const *argv)
{
	size_t n = 0;

	while (argv[n])
		n++;
	return n;
}

static void free_words(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

/* text with each {name} replaced; NULL: no memory. */
static char *replaced(const char *text, const char *name, const char *value, size_t len, size_t *hits)
{
	char what[40], *out = NULL;
	size_t n_what = (size_t)snprintf(what, sizeof(what), "{%s}", name), room;
	FILE *f = open_memstream(&out, &room);
	const char *at;

	if (!f)
		return NULL;
	while ((at = strstr(text, what))) {
		fwrite(text, 1, (size_t)(at - text), f);
		fwrite(value, 1, len, f);
		text = at + n_what;
		++*hits;
	}
	fputs(text, f);
	if (!fclose(f))
		return out;
	free(out);
	return NULL;
}

/* A copy of argv; name NULL: as it stands. */
static char **copy_words(char *const *argv, const char *name, const char *value, size_t len, size_t *hits)
{
	char **copy = calloc(count_words(argv) + 1, sizeof(*copy));

	for (size_t i = 0; copy && argv[i]; i++) {
		copy[i] = name ? replaced(argv[i], name, value, len, hits) : strdup(argv[i]);
		if (!copy[i]) {
			free_words(copy);
			return NULL;
		}
	}
	return copy;
}

static char *line_of(char *const *argv)
{
	char *line = NULL, quoted[256];
	size_t room;
	FILE *f = open_memstream(&line, &room);

	if (!f)
		return NULL;
	for (size_t i = 0; argv[i]; i++) {
		text_quote(quoted, sizeof(quoted), argv[i], strlen(argv[i]), TEXT_FOR_PEOPLE);
		fprintf(f, "%s%s", i ? " " : "", quoted);
	}
	fclose(f);
	return line;
}

/* ---- commands ---- */

static int add(struct measure_plan *plan, char **argv, char *label)
{
	size_t n = plan->n_commands;

	if (argv && label && n < MEASURE_COMMANDS) {
		plan->command[n] = argv;
		plan->label[n] = label;
		plan->n_commands++;
		return OPT_GO_ON;
	}
	free_words(argv);
	free(label);
	if (n == MEASURE_COMMANDS)
		return say_error(WRONG_USE, "measure: at most %d commands can be compared", MEASURE_COMMANDS);
	return say_error(FAILED, "out of memory");
}

/* Of each command one per value of the scan; label: what was chosen so far. */
static int add_scanned(struct measure_plan *plan, char *const *argv, const char *label,
		       const struct scan *scans, size_t n)
{
	int status = OPT_GO_ON;

	if (!n)
		return add(plan, copy_words(argv, NULL, NULL, 0, NULL), *label ? strdup(label) : line_of(argv));
	for (const char *v = scans->values; status == OPT_GO_ON && v; v = strchr(v, ',') ? strchr(v, ',') + 1 : NULL) {
		size_t len = strcspn(v, ","), hits = 0;
		char **made = copy_words(argv, scans->name, v, len, &hits), now[SERIES_SUBJECT];

		snprintf(now, sizeof(now), "%s%s%s=%.*s", label, *label ? " " : "", scans->name, (int)len, v);
		if (!made)
			status = say_error(FAILED, "out of memory");
		else if (!hits)
			status = say_error(WRONG_USE, "measure: --scan %s: no word of the command holds {%s}", scans->name, scans->name);
		else
			status = add_scanned(plan, made, now, scans + 1, n - 1);
		free_words(made);
	}
	return status;
}

static int take_scans(struct scan scans[OPT_LIST_MAX], const struct opt_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *equals = strchr(list->at[i], '=');

		if (!equals || equals == list->at[i] || !equals[1] || equals - list->at[i] >= (long)sizeof(scans->name))
			return say_error(WRONG_USE, "measure: --scan '%s': a name and its values are wanted: --scan threads=1,2,4 with {threads} in the command",
					 list->at[i]);
		snprintf(scans[i].name, sizeof(scans[i].name), "%.*s", (int)(equals - list->at[i]), list->at[i]);
		scans[i].values = equals + 1;
	}
	return OPT_GO_ON;
}

int measure_plan_commands(struct measure_plan *plan, char **words, bool compare, const struct opt_list *scan)
{
	struct scan scans[OPT_LIST_MAX];
	int status = take_scans(scans, scan);
	char **begin = words, which[16] = "";
	size_t n = 0;

	for (char **w = words; status == OPT_GO_ON; w++) {
		bool end = !*w, parted = !end && compare && !strcmp(*w, "---");

		if (!end && !parted)
			continue;
		*w = NULL;
		n++;
		if (!*begin)
			return say_error(WRONG_USE, "measure: command %zu is empty", n);
		if (compare && scan->n)
			snprintf(which, sizeof(which), "%zu:", n);
		status = add_scanned(plan, begin, which, scans, scan->n);
		begin = w + 1;
		if (end)
			break;
	}
	if (status == OPT_GO_ON && compare && n < 2)
		status = say_error(WRONG_USE, "measure: --compare wants two commands: ktally measure --compare -- A --- B");
	return status;
}

void measure_plan_free(struct measure_plan *plan)
{
	for (size_t i = 0; i < plan->n_commands; i++) {
		free_words(plan->command[i]);
		free(plan->label[i]);
	}
}
