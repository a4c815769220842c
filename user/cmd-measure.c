// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-measure.c - how long commands take and what they cost, run again and again; two
 * or more of them compared.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "measure.h"

#define SECOND	1000000000ULL

struct args {
	uint64_t runs, warm_up, seed, buffer_kb;
	struct opt_time at_least;
	const char *prepare, *conclude;
	bool compare, each, show_output;
	struct show show;
};

static const struct opt measure_opts[] = {
	{ 'r', "runs", "N", "so many runs of each command (default: at least ten, and for --for)", opt_count,
	  offsetof(struct args, runs), 0, NULL },
	{ 0, "for", "TIME", "without --runs: go on for so long (default: 3)", opt_time,
	  offsetof(struct args, at_least), 0, NULL },
	{ 'w', "warm-up", "N", "runs before those that count (default: 1)", opt_count,
	  offsetof(struct args, warm_up), 0, NULL },
	{ 0, "compare", NULL, "behind -- several commands, parted by ---; they run in turn, and each is compared with the first",
	  opt_flag, offsetof(struct args, compare), 0, NULL },
	{ 0, "prepare", "LINE", "have a shell carry out LINE before each run; it is no part of it", opt_string,
	  offsetof(struct args, prepare), 0, NULL },
	{ 0, "conclude", "LINE", "and this after each run", opt_string, offsetof(struct args, conclude), 0, NULL },
	{ 0, "each", NULL, "a row per run instead of per measure: the values themselves", opt_flag,
	  offsetof(struct args, each), 0, NULL },
	{ 0, "show-output", NULL, "leave the command its standard input and output", opt_flag,
	  offsetof(struct args, show_output), 0, NULL },
	{ 0, "seed", "N", "of the resampling behind intervals (default: 1)", opt_count,
	  offsetof(struct args, seed), 0, NULL },
	{ 0, "buffer", "KB", "size of the kernel's buffers, all CPUs together (default: the module's)",
	  opt_count, offsetof(struct args, buffer_kb), 0, NULL },
};

static const struct opt_group measure_groups[] = {
	OPT_OWN("MEASURING", measure_opts),
	SHOW_GROUP(struct args, show),
};

/* The words behind --, parted at each --- (which becomes the NULL at the end of one). */
static int take_commands(struct measure_plan *plan, const struct args *args, struct opt_rest *rest)
{
	char **word = rest->command;

	if (!rest->n_command)
		return say_error(WRONG_USE, "measure: what? for example: ktally measure -- sleep 0.1");
	plan->command[plan->n_commands++] = word;
	for (int i = 0; args->compare && i < rest->n_command; i++) {
		if (strcmp(word[i], "---"))
			continue;
		if (plan->n_commands == MEASURE_COMMANDS)
			return say_error(WRONG_USE, "measure: at most %d commands can be compared", MEASURE_COMMANDS);
		word[i] = NULL;
		plan->command[plan->n_commands++] = &word[i + 1];
	}
	for (size_t i = 0; i < plan->n_commands; i++)
		if (!plan->command[i][0])
			return say_error(WRONG_USE, "measure: command %zu is empty", i + 1);
	if (args->compare && plan->n_commands < 2)
		return say_error(WRONG_USE, "measure: --compare wants two commands: ktally measure --compare -- A --- B");
	return OPT_GO_ON;
}

static int plan_of(struct measure_plan *plan, const struct args *args, struct opt_rest *rest)
{
	if (rest->n_words)
		return say_error(WRONG_USE, "measure: '%s': the command stands behind --: ktally measure -- %s",
				 rest->words[0], rest->words[0]);
	*plan = (struct measure_plan){
		.warm_up = args->warm_up, .runs = args->runs,
		.at_least = args->at_least.set ? args->at_least.ns : 3 * SECOND,
		.prepare = args->prepare, .conclude = args->conclude,
		.show_output = args->show_output, .buffer_kb = args->buffer_kb,
	};
	return take_commands(plan, args, rest);
}

static int measure(struct args *args, struct opt_rest *rest)
{
	struct measure_result result = { .n = 0 };
	struct measure_plan plan;
	struct measure_host host;
	char lost[32];
	int status = plan_of(&plan, args, rest);

	if (status != OPT_GO_ON)
		return status;
	measure_host_read(&host);
	measure_host_warn(&host);
	status = measure_all(&plan, &result);
	if (status == OPT_GO_ON && !result.n)
		status = say_error(NOTHING_MATCHED, "measure: stopped before the first run was through");
	if (status == OPT_GO_ON) {
		const struct measure_look look = { .each = args->each, .seed = args->seed, .show = &args->show };

		status = measure_show(&plan, &result, &look);
	}
	if (result.lost)
		status = say_error(INCOMPLETE, "measure: %s records were lost (buffer full), so these figures are void; raise --buffer",
				   say_count(lost, result.lost));
	free(result.run);
	return status;
}

static int run_measure(int argc, char **argv)
{
	struct args args = { .warm_up = 1, .seed = 1 };
	struct opt_rest rest;
	int status = opt_parse(&cmd_measure, argc, argv, &args, &rest);

	return status == OPT_GO_ON ? measure(&args, &rest) : status;
}

static const char *const measure_examples[] = {
	"measure -- sleep 0.1",
	"measure -r 200 --csv -o runs.csv --each -- ./server --selftest",
	"measure --compare -r 100 -- ./old --- ./new",
	NULL
};

const struct cmd cmd_measure = {
	.name = "measure",
	.words = "[--compare] -- CMD...",
	.help = "run commands again and again: distribution of what they cost",
	.about = "Runs CMD at least ten times and shows mean, standard deviation, quartiles and extremes of its time, CPU, peak memory, I/O and network bytes, each over the whole tree of processes of a run, by the module's clock. With --compare commands run in turn (A B A B), and the ratio of medians is given with its 95 % interval; a difference is only called one when that interval leaves out 1 and a rank test agrees. Says first what of the machine would spoil it. Records lost make the figures void.",
	.bits = CMD_RUNS,
	.run = run_measure,
	CMD_GROUPS(measure_groups),
	.examples = measure_examples,
};
