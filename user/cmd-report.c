// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-report.c - the table of processes, or of groups of them.
 */
#include <string.h>

#include "cmd.h"
#include "devices.h"
#include "lives.h"
#include "modes.h"

struct report {
	int key;
	bool devices;
	struct reading_options in;
	struct sel sel;
	struct show show;
	struct lives lives;
	bool folded;			/* lives were put together while they were read */
};

static const struct opt report_opts[] = {
	{ 'b', "by", "KEY", "a row per process, program, command, user, cgroup, unit, container, netns, parent, or one for all",
	  opt_word, offsetof(struct report, key), KTALLY_BY_PROCESS,
	  "process program command user cgroup unit container netns parent all" },
	{ 0, "devices", NULL, "network devices instead of processes: what passed each while recording, and whether it adds up; see status",
	  opt_flag, offsetof(struct report, devices), 0, NULL },
};

static const char *const ways[] = { "processes", "--devices", NULL };
static const struct modes_row way_rows[] = {
	{ "by", MODE(false) },
};

static const struct opt_group report_groups[] = {
	OPT_OWN("GROUPING", report_opts),
	READING_GROUP(struct report, in),
	SEL_GROUP(struct report, sel),
	SHOW_GROUP(struct report, show),
};

/* Groups need no lives that have ended: then a recording may be larger than memory. */
static int begin(void *arg, struct reading *r, struct sel_match *match)
{
	struct report *args = arg;
	enum ktally_key key = (enum ktally_key)args->key;

	if (args->devices && !sel_empty(match))
		return say_error(WRONG_USE, "report: --devices shows what passed each while recording, whoever sent it; leave out names and what selects processes or a time");
	args->folded = !args->devices && lives_may_fold(r, key, &args->sel, match);
	return args->folded ? lives_fold(&args->lives, r, key, match, &args->show) : OPT_GO_ON;
}

static int print(void *arg, struct reading *r, struct sel_match *match)
{
	struct report *args = arg;
	struct lives *lives = &args->lives;
	struct show_source src;
	struct out *o;
	int status;

	if (args->devices)
		return devices_print(&args->show, r);
	status = args->folded ? lives_fold_rest(lives) :
				lives_make(lives, r, (enum ktally_key)args->key, match);
	if (status == OPT_GO_ON) {
		lives_source(lives, &args->show, &src);
		status = show_rows(&args->show, &src, &o);
	}
	if (status == OPT_GO_ON) {
		lives_footer(o, r, match);
		status = show_close(o);
	}
	if (status == DONE && !lives_count(lives))
		status = lives_none(r, match);
	return status;
}

static int list_columns(enum ktally_key key)
{
	struct lives lives;
	int status;

	memset(&lives, 0, sizeof(lives));
	status = lives_fields(&lives, key);
	if (status == OPT_GO_ON)
		status = show_columns(lives.fields, lives.n_fields, lives_columns(key));
	lives_free(&lives);
	return status;
}

static int run_report(int argc, char **argv)
{
	static const struct modes modes = MODES(ways, way_rows);
	struct report args = { .key = KTALLY_BY_PROCESS };
	struct view view = { .in = &args.in, .sel = &args.sel, .begin = begin,
			     .print = print, .arg = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_report, argc, argv, &args, &rest);

	if (status == OPT_GO_ON)
		status = modes_check(&modes, args.devices, &cmd_report, &rest);
	if (status != OPT_GO_ON)
		return status;
	if (show_wants_help(&args.show) && args.devices)
		return devices_columns();
	if (show_wants_help(&args.show))
		return list_columns((enum ktally_key)args.key);
	view.strict = args.show.strict;
	status = view_run(&view, &rest);
	lives_free(&args.lives);
	return status;
}

static const char *const report_examples[] = {
	"report",
	"report --by program --sort -cpu",
	"report build.ktl cc1 --tree --columns pid,cpu,peak,command",
	"report --failed --csv -o failed.csv",
	NULL
};

const struct cmd cmd_report = {
	.name = "report",
	.words = "[FILE...] [NAME...] [--by KEY]",
	.help = "table of processes or of groups of them",
	.about = "Shows what each process cost, or each group of them. Words that name a file or folder, or end in .ktl, are recordings; other words are names of processes. A recording of a command shows its tree. Below stand the total and the balance: every process counted at the beginning or forked since has ended, lives, or is counted as lost.",
	.bits = CMD_FILES,
	.run = run_report,
	CMD_GROUPS(report_groups),
	.examples = report_examples,
};
