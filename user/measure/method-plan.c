// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure/method-plan.c - a method in words: options, presets, a file of options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "method.h"
#include "say.h"

#define SECOND	1000000000ULL

const struct opt method_opts[] = {
	{ 0, "role", "NAME=WHO", "processes that are watched: server=name:nginx (or nginx), pid:12, cgroup:/x, unit:nginx.service; the workers are role client unless one is named so; repeatable",
	  opt_list, offsetof(struct method_args, roles), 0, NULL },
	{ 0, "preset", "NAME", "numbers of a method: quick (default) for every day, or broker", opt_word,
	  offsetof(struct method_args, preset), 0, "quick broker" },
	{ 0, "workers", "N", "so many carry out CMD at the same time, from the warm-up to the last stage (default: 1)", opt_count,
	  offsetof(struct method_args, workers), 0, NULL },
	{ 0, "worker", "KIND", "what a single measurement is: one of its runs, a number it prints in a line, or the time between its marks (ktally mark begin, ktally mark end)",
	  opt_word, offsetof(struct method_args, action), METHOD_RUNS, "runs numbers marks" },
	{ 0, "unit", "UNIT", "of printed numbers (default: none)", opt_word,
	  offsetof(struct method_args, unit), 0, "none ns us ms s bytes count" },
	{ 0, "start-server", "LINE", "have a shell start the server before each repeat; it is ended behind it", opt_string,
	  offsetof(struct method_args, start_server), 0, NULL },
	{ 0, "ready", "LINE", "and wait until this succeeds, a minute at most", opt_string,
	  offsetof(struct method_args, ready), 0, NULL },
	{ 0, "samples", "N", "of resources, for clients and for servers; 0 is none", opt_count,
	  offsetof(struct method_args, samples), 0, NULL },
	{ 0, "every", "TIME", "from one sample to the next", opt_time, offsetof(struct method_args, every), 0, NULL },
	{ 0, "together", NULL, "resources of clients and servers in one stage", opt_flag,
	  offsetof(struct method_args, together), 0, NULL },
	{ 0, "solo", "N", "single measurements of one worker, drawn by --seed", opt_count,
	  offsetof(struct method_args, solo), 0, NULL },
	{ 0, "shared", "TIME", "then those of all workers for so long", opt_time,
	  offsetof(struct method_args, shared), 0, NULL },
	{ 0, "repeats", "N", "all of it so often", opt_count, offsetof(struct method_args, repeats), 0, NULL },
	{ 0, "method", "FILE", "read options from FILE, as files of settings have them; command = LINE is CMD", opt_string,
	  offsetof(struct method_args, file), 0, "@file" },
	{ 0, "command", "LINE", "CMD as one line, for such a file", opt_string,
	  offsetof(struct method_args, command), 0, NULL },
	{ 0, "plan", NULL, "write the whole method down as such a file, and measure nothing", opt_flag,
	  offsetof(struct method_args, print), 0, NULL },
};
_Static_assert(sizeof(method_opts) / sizeof(method_opts[0]) == METHOD_OPTS, "method.h counts the rows");

struct preset {
	const char *warm_up;
	uint64_t samples, every, solo, shared, repeats;
};

/* In the order of --preset. With fewer than five repeats no difference can be told from chance. */
static const struct preset presets[] = {
	{ "1", 6, SECOND / 2, 200, 3 * SECOND, 5 },
	{ "5..20", 60, SECOND, 5000, 60 * SECOND, 5 },
};

/* In the order of --unit. */
static const struct {
	const char *name;
	enum ktally_unit unit;
	double steps;
} units[] = {
	{ "none", KTALLY_NONE, 1 }, { "ns", KTALLY_NS, 1 }, { "us", KTALLY_NS, 1e3 }, { "ms", KTALLY_NS, 1e6 },
	{ "s", KTALLY_NS, 1e9 }, { "bytes", KTALLY_BYTES, 1 }, { "count", KTALLY_COUNT, 1 },
};

bool method_is_meant(const struct method_args *a)
{
	const uint64_t counts[] = { a->workers, a->samples, a->solo, a->repeats };
	bool given = false;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		given |= counts[i] != METHOD_NOT_GIVEN;
	return given || a->roles.n || a->start_server || a->ready || a->command || a->every.set || a->shared.set ||
	       a->action >= 0 || a->unit >= 0 || a->preset >= 0 || a->together || a->print || a->file;
}

static int take_warm_up(struct method_warm_up *w, const char *text)
{
	const char *dots = strstr(text, "..");
	char from[32];
	int err;

	w->stable = !strcmp(text, "stable");
	w->from = 0;
	w->to = 60 * SECOND;
	if (w->stable)
		return OPT_GO_ON;
	snprintf(from, sizeof(from), "%.*s", dots ? (int)(dots - text) : (int)strlen(text), text);
	err = opt_parse_time(from, &w->from);
	w->to = w->from;
	if (!err && dots)
		err = opt_parse_time(dots + 2, &w->to);
	if (!err && w->to >= w->from)
		return OPT_GO_ON;
	return say_error(WRONG_USE, "measure: --warm-up '%s': of a method: a time (10), bounds (5..20), or stable", text);
}

static uint64_t or_else(uint64_t given, uint64_t preset)
{
	return given != METHOD_NOT_GIVEN ? given : preset;
}

static int check(const struct method_plan *p, const struct method_args *args)
{
	if (!p->command && !p->roles->n)
		return say_error(WRONG_USE, "measure: what? a method wants workers (-- CMD) or roles: --role server=name:nginx");
	if (!p->samples && !(p->command && (p->solo || p->shared)))
		return say_error(WRONG_USE, "measure: there is nothing to measure: --samples%s 0",
				 p->command ? ", --solo and --shared are" : " is");
	if (!p->workers || p->workers > METHOD_WORKERS)
		return say_error(WRONG_USE, "measure: 1 to %d workers", METHOD_WORKERS);
	if (!p->repeats)
		return say_error(WRONG_USE, "measure: --repeats: from 1 on");
	if (p->every < SECOND / 100)
		return say_error(WRONG_USE, "measure: --every: from 10ms on");
	if (args->unit >= 0 && p->action != METHOD_NUMBERS)
		return say_error(WRONG_USE, "measure: --unit is of numbers that are printed: --worker numbers");
	if (args->ready && !args->start_server)
		return say_error(WRONG_USE, "measure: --ready waits for what --start-server starts");
	return OPT_GO_ON;
}

int method_plan_make(struct method_plan *plan, const struct method_args *args, const char *warm_up,
		     char *const *words)
{
	const struct preset *preset = &presets[args->preset < 0 ? 0 : args->preset];
	size_t unit = args->unit < 0 ? 0 : (size_t)args->unit;
	int status;

	plan->command = words;
	plan->start_server = args->start_server;
	plan->ready = args->ready;
	plan->roles = &args->roles;
	plan->action = args->action < 0 ? METHOD_RUNS : (enum method_action)args->action;
	plan->unit_name = units[unit].name;
	plan->unit = plan->action == METHOD_NUMBERS ? units[unit].unit : KTALLY_NS;
	plan->steps = units[unit].steps;
	plan->workers = or_else(args->workers, 1);
	plan->samples = or_else(args->samples, preset->samples);
	plan->solo = or_else(args->solo, preset->solo);
	plan->repeats = or_else(args->repeats, preset->repeats);
	plan->every = args->every.set ? args->every.ns : preset->every;
	plan->shared = args->shared.set ? args->shared.ns : preset->shared;
	plan->together = args->together;
	status = take_warm_up(&plan->warm_up, warm_up ? warm_up : preset->warm_up);
	return status == OPT_GO_ON ? check(plan, args) : status;
}

/* ---- a file of options ---- */

int method_use_file(int argc, char **argv)
{
	const char *path = NULL;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strncmp(argv[i], "--method=", 9))
			path = argv[i] + 9;
		else if (!strcmp(argv[i], "--method") && i + 1 < argc)
			path = argv[i + 1];
	}
	if (!path)
		return OPT_GO_ON;
	if (access(path, R_OK) || strchr(path, ':'))
		return say_error(FAILED, "measure: --method '%s': cannot read it%s", path,
				 strchr(path, ':') ? " (no colon may be in its name)" : "");
	/* In place of this machine's settings, so that a method is the same everywhere. */
	setenv("KTALLY_CONFIG", path, 1);
	return OPT_GO_ON;
}

struct method_words {
	wordexp_t list;
};

int method_split(const char *line, struct method_words **words, char ***argv)
{
	struct method_words *w = calloc(1, sizeof(*w));

	if (!w)
		return say_error(FAILED, "out of memory");
	if (wordexp(line, &w->list, WRDE_NOCMD) || !w->list.we_wordc) {
		free(w);
		return say_error(WRONG_USE, "measure: --command '%s': words as a shell has them are wanted; for more: sh -c '...'", line);
	}
	*words = w;
	*argv = w->list.we_wordv;
	return OPT_GO_ON;
}

void method_words_free(struct method_words *words)
{
	if (words)
		wordfree(&words->list);
	free(words);
}
