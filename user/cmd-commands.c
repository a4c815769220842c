// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-commands.c - how often and how long each command ran, every run of it, or what a
 * script did in order: options, and which of the three is shown.
 *
 * The library counts; commands-*.c have the columns.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "commands/commands.h"
#include "lives.h"
#include "modes.h"
#include "commands/scores.h"

struct args {
	int key;
	bool fold, forks, runs;
	struct steps_options steps;
	const char *scores;
	struct reading_options in;
	struct sel sel;
	struct show show;
};

static const struct opt counting_opts[] = {
	{ 'b', "by", "KEY", "put together by script (its name behind an interpreter, else program), program (name of the file), basename (of the first argument), path (the file as it was called), command (all arguments), comm (the kernel's name), or user",
	  opt_word, offsetof(struct args, key), KTALLY_RUN_SCRIPT,
	  "script program basename path command comm user" },
	{ 'f', "fold", NULL, "put together what differs in numbers (N) and temporary names (*) alone", opt_flag,
	  offsetof(struct args, fold), 0, NULL },
	{ 0, "forks", NULL, "also processes that executed nothing, as their parent's command",
	  opt_flag, offsetof(struct args, forks), 0, NULL },
	{ 'r', "runs", NULL, "a row per run instead of per command", opt_flag,
	  offsetof(struct args, runs), 0, NULL },
};

static const struct opt scores_opts[] = {
	{ 0, "scores", "DIR", "also write the ash profiler's files into DIR: scores.csv.PID of each shell, all and sortedAll; ASH_SCORES names DIR as well",
	  opt_string, offsetof(struct args, scores), 0, "@file" },
};

static const struct opt_group commands_groups[] = {
	OPT_OWN("COUNTING", counting_opts),
	STEPS_GROUP(struct args, steps),
	OPT_OWN("FILES OF THE ASH PROFILER", scores_opts),
	READING_GROUP(struct args, in),
	SEL_GROUP(struct args, sel),
	SHOW_GROUP(struct args, show),
};

enum { COUNTS, RUNS, STEPS };
static const char *const ways[] = { "counts", "--runs", "--steps", NULL };
static const struct modes_row way_rows[] = {
	{ "by fold forks", MODE(COUNTS) | MODE(RUNS) },
	{ "depth gaps", MODE(STEPS) },
};

static const struct commands_columns *columns_of(const struct args *args)
{
	if (args->steps.asked)
		return &steps_columns;
	return args->runs ? &run_columns : &counts_columns;
}

const char *commands_usual(const struct commands_columns *c, const struct show *show)
{
	bool fits = show->out.wide || show_width(show) >= COMMANDS_NARROW;

	return fits || !c->narrow ? c->usual : c->narrow;
}

enum { COLUMNS_MAX = 40 };

/* A key is text or words: the column of the same name that does not fit is left out. */
static size_t choose(const struct args *args, const struct ktally_field **at)
{
	const struct commands_columns *all = columns_of(args);
	bool words = args->key == KTALLY_RUN_COMMAND;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct ktally_field *f = &all->fields[i], *twin = f + 1;

		if (i + 1 < all->n && f->name == twin->name)
			f = words ? twin : f;
		else if (i && f->name == f[-1].name)
			continue;
		at[n++] = f;
	}
	return n;
}

/* ---- rows ---- */

struct commands {
	const struct args *args;
	struct reading *reading;
	struct sel_match *match;
	struct ktally_runs *runs;
	struct counts counts;
	struct run_rows run_rows;
};

static int count(struct commands *c)
{
	const struct ktally_runs_options options = {
		.key = (enum ktally_run_key)c->args->key, .fold = c->args->fold,
		.forks = c->args->forks, .want = sel_want, .arg = c->match, .ctx = &c->reading->ctx,
	};

	c->runs = ktally_runs_make(&options);
	return c->runs ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

static int count_commands(struct commands *c, struct show_source *src)
{
	int status = count(c);

	if (status == OPT_GO_ON)
		status = counts_make(&c->counts, c->reading, c->runs, !sel_empty(c->match));
	src->n_rows = c->counts.n;
	src->value = counts_value;
	src->of = &c->counts;
	return status;
}

static int list_runs(struct commands *c, struct show_source *src)
{
	int status = count(c);

	c->run_rows = (struct run_rows){
		.reading = c->reading, .for_people = c->args->show.out.format == OUT_TABLE,
	};
	if (status == OPT_GO_ON)
		c->run_rows.n = ktally_runs_at(c->runs, &c->run_rows.runs);
	src->n_rows = c->run_rows.n;
	src->value = run_value;
	src->of = &c->run_rows;
	return status;
}

static void release(struct commands *c)
{
	counts_free(&c->counts);
	ktally_runs_free(c->runs);
}

/* ---- printing ---- */

/* How many are in no figures; returns those that are older than the recording. */
static size_t partial_line(struct out *o, const struct commands *c)
{
	char line[160], a[32], b[32];
	size_t older, open;

	ktally_runs_partial(c->runs, &older, &open);
	if (older || open) {
		snprintf(line, sizeof(line), "not in the statistics: %s still running, %s older than the recording",
			 say_count(a, open), say_count(b, older));
		out_line(o, line);
	}
	return older;
}

static int print(struct commands *c, const struct show_source *src)
{
	struct out *o;
	int status = show_rows(&c->args->show, src, &o);
	size_t older;

	if (status != OPT_GO_ON)
		return status;
	older = partial_line(o, c);
	lives_footer(o, c->reading, c->match);
	status = show_close(o);
	/* Commands may all be older than the recording: the line above told. */
	if (status == DONE && !src->n_rows && !older)
		status = lives_none(c->reading, c->match);
	return status;
}

static int print_rows(const struct args *args, struct reading *r, struct sel_match *match)
{
	const struct commands_columns *columns = columns_of(args);
	const struct ktally_field *at[COLUMNS_MAX];
	struct commands c = { .args = args, .reading = r, .match = match };
	struct show_source src = {
		.schema = columns->schema, .columns = commands_usual(columns, &args->show),
		.sort = columns->sort,
		.fields = at, .n_fields = choose(args, at), .clock = lives_clock(r),
	};
	int status = args->runs ? list_runs(&c, &src) : count_commands(&c, &src);

	if (status == OPT_GO_ON)
		status = print(&c, &src);
	release(&c);
	return status;
}

static int make_and_print(void *arg, struct reading *r, struct sel_match *match)
{
	const struct args *args = arg;
	int status;

	if (args->steps.asked)
		status = steps_print(r, match, &args->show, &args->steps);
	else
		status = print_rows(args, r, match);
	if (status == DONE && args->scores) {
		status = scores_write(args->scores, r, match);
		status = status == OPT_GO_ON ? DONE : status;
	}
	return status;
}

static int run_commands(int argc, char **argv)
{
	static const struct modes modes = MODES(ways, way_rows);
	struct args args = {
		.key = KTALLY_RUN_SCRIPT, .steps.gaps.ns = STEPS_GAP, .scores = getenv("ASH_SCORES"),
	};
	struct view view = { .in = &args.in, .sel = &args.sel, .print = make_and_print, .arg = &args };
	const struct ktally_field *at[COLUMNS_MAX];
	struct opt_rest rest;
	int status = opt_parse(&cmd_commands, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (show_wants_help(&args.show))
		return show_columns(at, choose(&args, at), columns_of(&args)->usual);
	if (args.runs && args.steps.asked)
		return say_error(WRONG_USE, "--runs and --steps are two ways to show it; give one of them");
	status = modes_check(&modes, args.steps.asked ? STEPS : args.runs ? RUNS : COUNTS, &cmd_commands, &rest);
	if (status != OPT_GO_ON)
		return status;
	if (args.scores && !*args.scores)
		args.scores = NULL;
	view.strict = args.show.strict;
	/* A run that lived in the time asked for is a whole run. */
	args.in.whole_lives = true;
	return view_run(&view, &rest);
}

static const char *const commands_examples[] = {
	"commands",
	"commands build.ktl --by command --fold --sort -self",
	"commands --steps make --depth 1",
	"commands --runs --csv cc1",
	"commands --scores scores",
	NULL
};

const struct cmd cmd_commands = {
	.name = "commands",
	.words = "[FILE...] [NAME...] [--runs | --steps]",
	.help = "how often and how long each command ran; what a script did, in order",
	.about = "Counts the runs of each command and shows total, mean, least, quartiles and greatest of their durations, their CPU time, highest peak memory and failures, the greatest total first. A run lasts from its exec to the next exec of the same process or to its end. With --since and --until all runs of the processes that lived then count, and whole. With --runs a row per run. With --steps what each script did, in order: members of a pipeline are one step from the earliest start to the latest end, whichever ends first; & marks what the script did not wait for; self is time in which nothing but the script ran. A shell's builtins and redirections start no process, so no kernel sees them: their time is self.",
	.bits = CMD_FILES,
	.run = run_commands,
	CMD_GROUPS(commands_groups),
	.examples = commands_examples,
};
