// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-diff.c - two recordings compared, command by command; exits with 1 if some
 * command became slower.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "commands/commands.h"
#include "diff.h"
#include "lib/whole.h"
#include "lives.h"
#include "out/text.h"

struct args {
	int key, metric, test;
	bool fold, forks;
	double threshold;
	struct reading_options in;
	struct sel sel;
	struct show show;
};

static int take_percent(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	char *rest;
	double *percent = to;

	(void)o;
	*percent = strtod(value, &rest);
	rest += *rest == '%';
	if (rest != value && !*rest && *percent >= 0 && *percent < 1e6)
		return 0;
	snprintf(why, n, "a percentage is wanted: 5%%");
	return -1;
}

static const struct opt diff_opts[] = {
	{ 't', "threshold", "PERCENT", "a median that moved by no more than this is the same (5%)",
	  take_percent, offsetof(struct args, threshold), 0, NULL },
	{ 'm', "metric", "WHAT", "compare time (how long runs took), self (with no child running), cpu, or peak (memory)",
	  opt_word, offsetof(struct args, metric), DIFF_TIME, "time self cpu peak" },
	{ 0, "test", "TEST", "rank: differences that may be chance are no verdict; none: the threshold alone decides",
	  opt_word, offsetof(struct args, test), 0, "rank none" },
	{ 'b', "by", "KEY", "commands are those of one script (its name behind an interpreter, else program), program, basename (of the first argument), path, command (all arguments), comm or user",
	  opt_word, offsetof(struct args, key), KTALLY_RUN_SCRIPT,
	  "script program basename path command comm user" },
	{ 'f', "fold", NULL, "put together what differs in numbers (N) and temporary names (*) alone", opt_flag,
	  offsetof(struct args, fold), 0, NULL },
	{ 0, "forks", NULL, "also processes that executed nothing, as their parent's command", opt_flag,
	  offsetof(struct args, forks), 0, NULL },
};

static const struct opt_group diff_groups[] = {
	OPT_OWN("COMPARING", diff_opts),
	SEL_GROUP(struct args, sel),
	SHOW_GROUP(struct args, show),
};

enum column { VERDICT, CHANGE, MEDIAN_A, MEDIAN_B, CHANCE, RUNS_A, RUNS_B, TOTAL_A, TOTAL_B, NAME, COLUMNS };

static const struct ktally_field fields[COLUMNS] = {
	[VERDICT] = COLUMN("verdict", "VERDICT", "slower, faster (peak: more, less); same: within the threshold; unsure: it may be chance; few: too few runs to tell; new, gone", KTALLY_TEXT, KTALLY_SAME, -7),
	[CHANGE] = COLUMN("change_percent", "CHANGE%", "of the median, from A to B", KTALLY_PERCENT, KTALLY_SAME, 7),
	[MEDIAN_A] = COLUMN("a_median", "MEDIAN A", "median of its runs in A, ns or bytes", KTALLY_NS, KTALLY_SAME, 9),
	[MEDIAN_B] = COLUMN("b_median", "MEDIAN B", "median of its runs in B", KTALLY_NS, KTALLY_SAME, 9),
	[CHANCE] = COLUMN("chance", "CHANCE", "that runs of the same kind would differ so much, among all commands compared; unknown: too few runs", KTALLY_TEXT, KTALLY_SAME, 6),
	[RUNS_A] = COLUMN("a_runs", "RUNS A", "whole runs in A", KTALLY_COUNT, KTALLY_SUM, 6),
	[RUNS_B] = COLUMN("b_runs", "RUNS B", "whole runs in B", KTALLY_COUNT, KTALLY_SUM, 6),
	[TOTAL_A] = COLUMN("a_total", "TOTAL A", "all its runs in A added up", KTALLY_NS, KTALLY_SUM, 9),
	[TOTAL_B] = COLUMN("b_total", "TOTAL B", "all its runs in B added up", KTALLY_NS, KTALLY_SUM, 9),
	[NAME] = COLUMN("command", "COMMAND", "the key of --by", KTALLY_TEXT, KTALLY_SAME, 0),
};

#define USUAL "verdict,change_percent,a_median,b_median,chance,a_runs,b_runs,command"

struct side {
	struct reading reading;
	struct sel_match *match;
	struct ktally_runs *runs;
	bool open;
};

struct diff {
	const struct args *args;
	struct side side[2];
	struct diff_rows rows;
	struct ktally_field fields[COLUMNS];
	bool for_people;
	char chance[16];
};

/* ---- reading ---- */

static int open_side(struct diff *d, int i, const struct opt_rest *rest)
{
	const struct args *args = d->args;
	struct reading_options in = {
		.files = { .at = { args->in.files.at[i] }, .n = 1 },
		.since = args->sel.since, .until = args->sel.until, .whole_lives = true,
	};
	struct side *s = &d->side[i];
	struct ktally_runs_options options = {
		.key = (enum ktally_run_key)args->key, .fold = args->fold, .forks = args->forks,
		.want = sel_want, .ctx = &s->reading.ctx,
	};
	int status;

	s->match = sel_compile(&args->sel, rest->words, rest->n_words, &status);
	if (!s->match)
		return status;
	status = reading_open(&s->reading, &in);
	if (status != OPT_GO_ON)
		return status;
	s->open = true;
	status = sel_bind(s->match, s->reading.model);
	if (status != OPT_GO_ON)
		return status;
	options.arg = s->match;
	s->runs = ktally_runs_make(&options);
	return s->runs ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

static void close_side(struct side *s)
{
	ktally_runs_free(s->runs);
	if (s->open)
		reading_close(&s->reading);
	if (s->match)
		sel_free(s->match);
}

/* ---- rows ---- */

static struct ktally_value rounded(const struct diff_row *row, int side, double v)
{
	return row->n[side] ? out_u64(whole_of(v)) : out_text(NULL);
}

/* Machines get the number; for people two digits are enough. */
static struct ktally_value chance(struct diff *d, const struct diff_row *row)
{
	struct ktally_value v = { .type = KTALLY_V_DOUBLE, .d = row->chance };

	if (!row->tested)
		return out_text(NULL);
	if (!d->for_people)
		return v;
	if (row->chance < 0.001)
		return out_text("<0.001");
	snprintf(d->chance, sizeof(d->chance), "%.2g", row->chance);
	return out_text(d->chance);
}

static struct ktally_value value(void *of, size_t i, const struct ktally_field *f)
{
	struct diff *d = of;
	const struct diff_row *row = &d->rows.at[i];
	struct ktally_value v = { .type = KTALLY_V_DOUBLE, .d = row->change };
	const struct ktally_command *c = row->command[!row->command[0]];

	switch ((enum column)(f - d->fields)) {
	case VERDICT:	return out_text(diff_word(row->verdict, (enum diff_metric)d->args->metric));
	case CHANGE:	return row->has_change ? v : out_text(NULL);
	case MEDIAN_A:	return rounded(row, 0, row->median[0]);
	case MEDIAN_B:	return rounded(row, 1, row->median[1]);
	case CHANCE:	return chance(d, row);
	case RUNS_A:	return out_u64(row->n[0]);
	case RUNS_B:	return out_u64(row->n[1]);
	case TOTAL_A:	return rounded(row, 0, row->total[0]);
	case TOTAL_B:	return rounded(row, 1, row->total[1]);
	default:	break;
	}
	v = (struct ktally_value){ .type = KTALLY_V_TEXT, .t = c->name };
	return c->name.p ? v : out_text(NULL);
}

static void prepare(struct diff *d)
{
	static const enum column measured[] = { MEDIAN_A, MEDIAN_B, TOTAL_A, TOTAL_B };

	memcpy(d->fields, fields, sizeof(fields));
	d->for_people = d->args->show.out.format == OUT_TABLE;
	if (!d->for_people)
		d->fields[CHANCE].unit = KTALLY_NONE;
	if (d->args->key == KTALLY_RUN_COMMAND)
		d->fields[NAME].unit = KTALLY_ARGV;
	for (size_t i = 0; d->args->metric == DIFF_PEAK && i < sizeof(measured) / sizeof(measured[0]); i++)
		d->fields[measured[i]].unit = KTALLY_BYTES;
}

/* ---- what stands below ---- */

static void total_line(struct out *o, const struct diff *d)
{
	const double *total = d->rows.total;
	char a[32], b[32], line[160];

	if (d->args->metric == DIFF_PEAK || total[0] <= 0)
		return;
	text_span(a, sizeof(a), (uint64_t)total[0]);
	text_span(b, sizeof(b), (uint64_t)total[1]);
	snprintf(line, sizeof(line), "all runs of what is in both: A %s, B %s (%+.1f%%)", a, b,
		 100 * (total[1] / total[0] - 1));
	out_line(o, line);
}

static void counts_line(struct out *o, const struct diff *d)
{
	char line[256], count[32];
	size_t at = 0;

	for (int v = 0; v < DIFF_VERDICTS; v++)
		if (d->rows.count[v] && at < sizeof(line))
			at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s %s", at ? ", " : "",
					       say_count(count, d->rows.count[v]), v == DIFF_FEW ? "with too few runs" :
					       diff_word((enum diff_verdict)v, (enum diff_metric)d->args->metric));
	if (at)
		out_line(o, line);
}

static void put_facts(struct out *o, const struct diff *d)
{
	const size_t *n = d->rows.count;
	const struct out_fact facts[] = {
		{ "a", KTALLY_TEXT, out_text(d->args->in.files.at[0]) },
		{ "b", KTALLY_TEXT, out_text(d->args->in.files.at[1]) },
		{ "threshold_percent", KTALLY_PERCENT, { .type = KTALLY_V_DOUBLE, .d = d->args->threshold } },
		{ "tested", KTALLY_BOOL, out_u64(!d->args->test) },
		{ "slower", KTALLY_COUNT, out_u64(n[DIFF_SLOWER]) },
		{ "faster", KTALLY_COUNT, out_u64(n[DIFF_FASTER]) },
		{ "same", KTALLY_COUNT, out_u64(n[DIFF_SAME]) },
		{ "unsure", KTALLY_COUNT, out_u64(n[DIFF_UNSURE]) },
		{ "few", KTALLY_COUNT, out_u64(n[DIFF_FEW]) },
		{ "new", KTALLY_COUNT, out_u64(n[DIFF_NEW]) },
		{ "gone", KTALLY_COUNT, out_u64(n[DIFF_GONE]) },
		{ "a_total", KTALLY_COUNT, out_u64(whole_of(d->rows.total[0])) },
		{ "b_total", KTALLY_COUNT, out_u64(whole_of(d->rows.total[1])) },
	};

	out_facts(o, "diff", facts, sizeof(facts) / sizeof(facts[0]));
}

static int print(struct diff *d)
{
	const struct ktally_field *chosen[COLUMNS];
	struct show_source src = {
		.schema = "ktally.diff/1", .fields = chosen, .n_fields = COLUMNS, .columns = USUAL,
		.n_rows = d->rows.n, .value = value, .of = d,
		.clock = lives_clock(&d->side[1].reading),
	};
	struct out *o;
	int status;

	for (size_t i = 0; i < COLUMNS; i++)
		chosen[i] = &d->fields[i];
	status = show_rows(&d->args->show, &src, &o);
	if (status != OPT_GO_ON)
		return status;
	counts_line(o, d);
	total_line(o, d);
	put_facts(o, d);
	return show_close(o);
}

/* ---- the command ---- */

static int verdict(struct diff *d)
{
	bool strict = d->args->show.strict;
	int missing[2];

	for (int i = 0; i < 2; i++) {
		reading_warn(&d->side[i].reading);
		missing[i] = reading_status(&d->side[i].reading, strict);
	}
	if (missing[0] || missing[1])
		return missing[0] == FAILED || missing[1] == FAILED ? FAILED : INCOMPLETE;
	if (!d->rows.n)
		return say_error(NOTHING_MATCHED, "no commands in either recording");
	return d->rows.count[DIFF_SLOWER] ? FAILED : DONE;
}

static int compare(struct diff *d, const struct opt_rest *rest)
{
	const struct diff_options options = {
		.metric = (enum diff_metric)d->args->metric, .threshold = d->args->threshold,
		.untested = d->args->test,
	};
	int status = open_side(d, 0, rest);

	if (status == OPT_GO_ON)
		status = open_side(d, 1, rest);
	if (status == OPT_GO_ON && diff_make(&d->rows, d->side[0].runs, d->side[1].runs, &options))
		status = say_error(FAILED, "out of memory");
	if (status == OPT_GO_ON) {
		status = print(d);
		status = status == DONE ? verdict(d) : status;
	}
	diff_free(&d->rows);
	close_side(&d->side[0]);
	close_side(&d->side[1]);
	return status;
}

static int list_columns(void)
{
	const struct ktally_field *chosen[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		chosen[i] = &fields[i];
	return show_columns(chosen, COLUMNS, USUAL);
}

static int run_diff(int argc, char **argv)
{
	struct args args = { .threshold = 5, .key = KTALLY_RUN_SCRIPT };
	struct diff d = { .args = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_diff, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (show_wants_help(&args.show))
		return list_columns();
	status = reading_take_words(&args.in, &rest);
	if (status != OPT_GO_ON)
		return status;
	if (args.in.files.n != 2)
		return say_error(WRONG_USE, "diff: compares two recordings, not %zu; for example: ktally diff before.ktl after.ktl",
				 args.in.files.n);
	prepare(&d);
	return compare(&d, &rest);
}

static const char *const diff_examples[] = {
	"diff before.ktl after.ktl",
	"diff --threshold 10% --metric cpu before.ktl after.ktl",
	"diff --test none --json before.ktl after.ktl cc1",
	NULL
};

const struct cmd cmd_diff = {
	.name = "diff",
	.words = "A B [NAME...] [--threshold PERCENT]",
	.help = "two recordings compared; exit 1 if something became slower",
	.about = "Compares the runs of each command in two recordings, or in two folders of them: medians, and by a rank test whether runs of one kind would differ so much by chance, raised for the number of commands that were compared. Slower is a command whose median grew by more than the threshold and hardly by chance; then the exit status is 1. With too few runs (four on either side are enough) nothing is said but what changed; --test none lets the threshold alone decide. With --since and --until all runs of the processes that lived then count, and whole.",
	.bits = CMD_FILES,
	.run = run_diff,
	CMD_GROUPS(diff_groups),
	.examples = diff_examples,
};
