// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-measure.c - how long commands take and what they cost, run again and again; two
 * or more of them compared.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "measure/measure.h"
#include "measure/method.h"
#include "modes.h"

#define SECOND	1000000000ULL

struct args {
	uint64_t runs, seed, buffer_kb;
	struct opt_time at_least;
	const char *warm_up, *prepare, *conclude, *pictures;
	bool compare, each, show_output;
	struct opt_list scan;
	struct method_args method;
	struct show show;
};

static const struct opt measure_opts[] = {
	{ 'r', "runs", "N", "so many runs of each command (default: at least ten, and for --for)", opt_count,
	  offsetof(struct args, runs), 0, NULL },
	{ 0, "for", "TIME", "without --runs: go on for so long (default: 3)", opt_time,
	  offsetof(struct args, at_least), 0, NULL },
	{ 'w', "warm-up", "N", "runs before those that count (default: 1); of a method a time (10), bounds of one drawn by --seed (5..20), or stable", opt_string,
	  offsetof(struct args, warm_up), 0, NULL },
	{ 0, "compare", NULL, "behind -- several commands, parted by ---; they run in turn, and each is compared with the first",
	  opt_flag, offsetof(struct args, compare), 0, NULL },
	{ 0, "scan", "NAME=A,B,C", "one command per value, put in place of {NAME}; they are compared as with --compare; repeatable",
	  opt_list, offsetof(struct args, scan), 0, NULL },
	{ 0, "prepare", "LINE", "have a shell carry out LINE before each run, of a method before each repeat; it is no part of it", opt_string,
	  offsetof(struct args, prepare), 0, NULL },
	{ 0, "conclude", "LINE", "and this afterwards", opt_string, offsetof(struct args, conclude), 0, NULL },
	{ 0, "each", NULL, "a row per run instead of per measure: the values themselves", opt_flag,
	  offsetof(struct args, each), 0, NULL },
	{ 0, "pictures", "FOLDER", "a picture per measure into it: box plots and histograms, SVG", opt_string,
	  offsetof(struct args, pictures), 0, NULL },
	{ 0, "show-output", NULL, "leave the command its standard input and output", opt_flag,
	  offsetof(struct args, show_output), 0, NULL },
	{ 0, "seed", "N", "of the resampling behind intervals, and of what a method draws (default: 1)", opt_count,
	  offsetof(struct args, seed), 0, NULL },
	{ 0, "buffer", "KB", "size of the kernel's buffers, all CPUs together (default: the module's)",
	  opt_count, offsetof(struct args, buffer_kb), 0, NULL },
};

static const struct opt_group measure_groups[] = {
	OPT_OWN("MEASURING", measure_opts),
	METHOD_GROUP(struct args, method),
	SHOW_GROUP(struct args, show),
};

enum { RUNS, METHOD, SHOW_FILE, COMPARE_FILES };
static const char *const ways[] = { "runs without a method", "a method", "show", "compare", NULL };
static const struct modes_row way_rows[] = {
	{ "runs for compare scan each show-output", MODE(RUNS) },
	{ "warm-up prepare conclude buffer", MODE(RUNS) | MODE(METHOD) },
	{ "seed", MODE(RUNS) | MODE(METHOD) | MODE(COMPARE_FILES) },
	{ "pictures", MODE(RUNS) | MODE(METHOD) | MODE(SHOW_FILE) },
	{ "role preset workers worker unit start-server ready samples every together solo shared repeats method command plan", MODE(METHOD) },
};

static int plan_of(struct measure_plan *plan, const struct args *args, struct opt_rest *rest)
{
	uint64_t warm_up = 1;

	if (!args->runs)
		return say_error(WRONG_USE, "measure: --runs: from 1 on");
	if (args->runs != METHOD_NOT_GIVEN && args->at_least.set)
		return say_error(WRONG_USE, "measure: --runs or --for, not both: they say when it is enough");
	if (args->warm_up && opt_parse_u64(args->warm_up, &warm_up))
		return say_error(WRONG_USE, "measure: --warm-up '%s': a whole number of runs is wanted", args->warm_up);
	*plan = (struct measure_plan){
		.warm_up = warm_up, .runs = args->runs == METHOD_NOT_GIVEN ? 0 : args->runs,
		.at_least = args->at_least.set ? args->at_least.ns : 3 * SECOND,
		.prepare = args->prepare, .conclude = args->conclude,
		.show_output = args->show_output, .buffer_kb = args->buffer_kb,
	};
	if (!rest->n_command)
		return say_error(WRONG_USE, "measure: what? for example: ktally measure -- sleep 0.1");
	return measure_plan_commands(plan, rest->command, args->compare, &args->scan);
}

static void count_ends(struct measure_report *report, const struct measure_plan *plan,
		       const struct measure_result *r)
{
	report->n_ends = plan->n_commands;
	for (size_t c = 0; c < plan->n_commands; c++)
		report->ends[c].label = plan->label[c];
	for (size_t i = 0; i < r->n; i++) {
		struct measure_ends *e = &report->ends[r->run[i].command];

		e->warm_up += r->run[i].warm_up;
		e->runs += !r->run[i].warm_up;
		e->failed += r->run[i].wait_status != 0;
	}
}

static const char *columns_of(const struct args *args, size_t commands)
{
	return args->scan.n ? "subject,measure,mean,sd,min,median,p75,max" : measure_columns(commands);
}

static int show_result(const struct args *args, const struct measure_plan *plan, const struct measure_result *r,
		       const struct measure_host *host)
{
	struct series_set set = { .n = 0 };
	struct measure_report report = {
		.set = &set, .host = host, .resolution = r->resolution, .cost = r->cost,
		.seed = args->seed, .lost = r->lost, .stopped = r->stopped, .pictures = args->pictures,
	};
	struct show show = args->show;
	int status;

	count_ends(&report, plan, r);
	if (args->each)
		return measure_show_runs(&report, r, &show);
	measure_series(plan, r, &set);
	report.columns = columns_of(args, plan->n_commands);
	status = set.oom ? say_error(FAILED, "out of memory") : measure_show(&report, &show);
	series_free(&set);
	return status;
}

/* What would be found wrong only when all is measured is looked at before. */
static int check_output(const struct args *args, size_t commands)
{
	int status = args->each ? measure_check_runs(&args->show) : measure_check(&args->show, columns_of(args, commands));

	if (status == OPT_GO_ON && args->each && args->pictures)
		status = say_error(WRONG_USE, "measure: --pictures are of measures, and --each shows runs: leave one of them out");
	if (status == OPT_GO_ON)
		status = show_check_path(&args->show);
	if (status == OPT_GO_ON && args->pictures)
		status = measure_plot_folder(args->pictures);
	return status;
}

static int say_losses(uint64_t lost, const char *what, int status)
{
	char count[32];

	if (!lost)
		return status;
	return say_error(INCOMPLETE, "measure: %s records were lost (buffer full), so %s void; raise --buffer",
			 say_count(count, lost), what);
}

/* Workers, roles, stages, repeats. */
static int carry_out(struct args *args, char *const *command)
{
	struct method_plan plan = {
		.prepare = args->prepare, .conclude = args->conclude, .seed = args->seed, .buffer_kb = args->buffer_kb,
	};
	struct series_set set = { .n = 0 };
	struct measure_host host;
	struct measure_report report = { .set = &set, .host = &host, .seed = args->seed, .pictures = args->pictures };
	int status = method_plan_make(&plan, &args->method, args->warm_up, command);

	if (status == OPT_GO_ON && args->show_output)
		status = say_error(WRONG_USE, "measure: --show-output is of runs without a method: output of workers is not kept");
	if (status == OPT_GO_ON && (args->compare || args->scan.n || args->runs != METHOD_NOT_GIVEN || args->at_least.set || args->each))
		status = say_error(WRONG_USE, "measure: --compare, --scan, --runs, --for and --each are of runs without a method; compare results of methods: ktally measure compare A B");
	if (status != OPT_GO_ON)
		return status;
	if (args->method.print)
		return method_plan_print(&plan);
	status = check_output(args, 0);
	if (status != OPT_GO_ON)
		return status;
	measure_host_read(&host);
	measure_host_warn(&host);
	status = method_run(&plan, &set, &report);
	report.columns = measure_columns(0);
	if (status == OPT_GO_ON && !set.n)
		status = say_error(NOTHING_MATCHED, "measure: stopped before the first stage was through");
	if (status == OPT_GO_ON)
		status = say_losses(report.lost, "the stages in which it happened are", measure_show(&report, &args->show));
	series_free(&set);
	return status;
}

static int method(struct args *args, const struct opt_rest *rest)
{
	struct method_words *words = NULL;
	char **command = rest->n_command ? rest->command : NULL;
	int status = OPT_GO_ON;

	if (!command && args->method.command)
		status = method_split(args->method.command, &words, &command);
	if (status == OPT_GO_ON)
		status = carry_out(args, command);
	method_words_free(words);
	return status;
}

static int measure(struct args *args, struct opt_rest *rest)
{
	struct measure_result result = { .n = 0 };
	struct measure_plan plan = { .n_commands = 0 };
	struct measure_host host;
	int status = plan_of(&plan, args, rest);

	if (status == OPT_GO_ON)
		status = check_output(args, plan.n_commands);
	if (status == OPT_GO_ON) {
		measure_host_read(&host);
		measure_host_warn(&host);
		status = measure_all(&plan, &result);
		host.others = result.others;
	}
	if (status == OPT_GO_ON && !result.n)
		status = say_error(NOTHING_MATCHED, "measure: stopped before the first run was through");
	if (status == OPT_GO_ON) {
		measure_host_warn_of_others(&host);
		status = show_result(args, &plan, &result, &host);
	}
	status = say_losses(result.lost, "these figures are", status);
	measure_plan_free(&plan);
	free(result.run);
	return status;
}

/* The words in front of results; 0: it is none of them. */
static int files_wanted(const char *word)
{
	return !strcmp(word, "compare") ? 2 : !strcmp(word, "show");
}

static int way_of(const struct args *args, const struct opt_rest *rest)
{
	int files = rest->n_words ? files_wanted(rest->words[0]) : 0;

	if (files)
		return files == 2 ? COMPARE_FILES : SHOW_FILE;
	return method_is_meant(&args->method) ? METHOD : RUNS;
}

static int look_at_files(struct args *args, const struct opt_rest *rest)
{
	char **words = rest->words;
	int wanted = files_wanted(words[0]);

	if (rest->n_words != 1 + wanted || rest->n_command)
		return say_error(WRONG_USE, wanted == 2 ? "measure: compare wants two results: ktally measure compare old.json new.json" :
				 "measure: show wants a result: ktally measure show old.json");
	if (wanted == 2)
		return measure_compare_files(words[1], words[2], args->seed, &args->show);
	return measure_show_file(words[1], args->pictures, &args->show);
}

/* A method's file stands in for this machine's settings; not for those whom it runs. */
static int parse(int argc, char **argv, struct args *args, struct opt_rest *rest)
{
	const char *now = getenv("KTALLY_CONFIG");
	char *before = now ? strdup(now) : NULL;
	int status = method_use_file(argc, argv);

	if (status == OPT_GO_ON)
		status = opt_parse(&cmd_measure, argc, argv, args, rest);
	if (before)
		setenv("KTALLY_CONFIG", before, 1);
	else
		unsetenv("KTALLY_CONFIG");
	free(before);
	return status;
}

static int run_measure(int argc, char **argv)
{
	static const struct modes modes = MODES(ways, way_rows);
	struct args args = { .runs = METHOD_NOT_GIVEN, .seed = 1, .method = METHOD_ARGS_NONE };
	struct opt_rest rest;
	int status = parse(argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	status = modes_check(&modes, way_of(&args, &rest), &cmd_measure, &rest);
	if (status != OPT_GO_ON)
		return status;
	if (rest.n_words && files_wanted(rest.words[0]))
		return look_at_files(&args, &rest);
	if (rest.n_words)
		return say_error(WRONG_USE, "measure: '%s': the command stands behind --: ktally measure -- %s",
				 rest.words[0], rest.words[0]);
	if (show_wants_help(&args.show))
		return check_output(&args, !method_is_meant(&args.method));
	return method_is_meant(&args.method) ? method(&args, &rest) : measure(&args, &rest);
}

static const char *const measure_examples[] = {
	"measure -- sleep 0.1",
	"measure -r 200 --csv -o runs.csv --each -- ./server --selftest",
	"measure --compare -r 100 -- ./old --- ./new",
	"measure --scan threads=1,2,4 -- ./server -j {threads}",
	"measure --role server=name:nginx --workers 4 -- curl -s http://localhost/",
	"measure --json -o new.json -- ./server --selftest",
	"measure compare old.json new.json",
	NULL
};

const struct cmd cmd_measure = {
	.name = "measure",
	.words = "[--compare] -- CMD... | show FILE | compare A B",
	.verbs = "show compare",
	.help = "run commands again and again: distribution of what they cost",
	.about = "Runs CMD at least ten times and shows mean, standard deviation, quartiles and extremes of its time, CPU, peak memory, I/O and network bytes, each over the whole tree of processes of a run, by the module's clock. With --compare commands run in turn (A B A B), and the ratio of medians is given with its 95 % interval; a difference is only called one when that interval leaves out 1 and a rank test agrees. Says first what of the machine would spoil it. With roles, workers or a preset it carries out a method: warming up, resources of clients and servers, single measurements of one worker and of all, the whole repeated. Records lost make figures void. CSV and JSON hold the values themselves and the machine; show reads such a JSON file again, compare reads two and tells what differs by more than the noise.",
	.bits = CMD_RUNS,
	.run = run_measure,
	CMD_GROUPS(measure_groups),
	.examples = measure_examples,
};
