// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-export.c - a recording for the tools that people already use. A format is a row
 * of the table below and a function that writes it; what it writes comes from the
 * library's model and field table. Command lines stay here unless --args says otherwise.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "export/export.h"
#include "modes.h"
#include "out/markup.h"
#include "replace.h"

struct args {
	int to;
	const char *output;
	bool stream;
	struct export_options options;
	struct reading_options in;
	struct sel sel;
};

static const struct format {
	const char *name;
	enum {
		INTO_SINK,
		INTO_ROWS,		/* opens its output by itself, */
		INTO_PLACE,		/* and needs a name for it */
	} into;
	bool twice;			/* reads the records again, so they must lie in files */
	int (*write)(struct export *ex);
	const struct export_stream *stream;	/* NULL: */
	const char *no_stream;			/* why not */
} formats[] = {
	{ "folded", INTO_SINK, false, export_folded, NULL, "adds up whole trees" },
	{ "chrome", INTO_SINK, false, export_chrome, &export_stream_chrome, NULL },
	{ "sqlite", INTO_PLACE, false, export_sqlite, NULL, "appears when it is whole" },
	{ "trace.dat", INTO_PLACE, true, export_tracedat, NULL, "says at its beginning how long it is" },
	{ "ctf", INTO_PLACE, true, export_ctf, NULL, "describes at its beginning what all its records have" },
	{ "perfetto", INTO_SINK, false, export_perfetto, &export_stream_perfetto, NULL },
	{ "csv", INTO_ROWS, false, export_csv, &export_stream_csv, NULL },
	{ "jsonl", INTO_ROWS, false, export_jsonl, &export_stream_jsonl, NULL },
	{ "openmetrics", INTO_ROWS, false, export_openmetrics, NULL, "is of the past; for what happens now: ktally metrics" },
};
#define FORMAT_WORDS "folded chrome sqlite trace.dat ctf perfetto csv jsonl openmetrics"

static const struct opt export_opts[] = {
	{ 0, "to", "FORMAT", "folded (stacks of the process tree, for flame graphs), chrome (JSON for ui.perfetto.dev and speedscope), perfetto (protobuf for ui.perfetto.dev), sqlite (a database with views, into -o FILE), trace.dat (for trace-cmd and KernelShark, into -o FILE), ctf (for babeltrace2, into the folder -o FILE), csv or jsonl (a row per process), or openmetrics (series over time, for promtool to back-fill)",
	  opt_word, offsetof(struct args, to), 1, FORMAT_WORDS },
	{ 'o', "output", "FILE", "write to FILE instead of standard output", opt_output,
	  offsetof(struct args, output), 0, "@file" },
	{ 0, "weight", "WHAT", "of folded: time (of each life, ns), cpu (ns), or bytes (read from and written to storage, sent and received over physical devices); default: cpu",
	  opt_word, offsetof(struct args, options.weight), EXPORT_TIME, "time cpu bytes" },
	{ 'b', "by", "KEY", "of openmetrics: series by program, user, cgroup, unit or container; default: program",
	  opt_word, offsetof(struct args, options.by), EXPORT_BY_PROGRAM, "program user cgroup unit container" },
	{ 0, "step", "TIME", "of openmetrics: a sample so often; default: 15s", opt_time,
	  offsetof(struct args, options.step), 0, NULL },
	{ 0, "groups", "N", "of openmetrics: series of the N groups that used most CPU, and of all others as (others); default: 200",
	  opt_count, offsetof(struct args, options.groups), 0, NULL },
	{ 0, "args", NULL, "with command lines, which may hold secrets; names of programs and users are always there",
	  opt_flag, offsetof(struct args, options.args), 0, NULL },
	{ 0, "stream", NULL, "each process as soon as it has ended, and at the end those that live: of what happens now, or of one recording; as chrome, perfetto, csv or jsonl",
	  opt_flag, offsetof(struct args, stream), 0, NULL },
	{ 'D', "duration", "TIME", "of a stream of what happens now: end after TIME; default: with Ctrl-C", opt_time,
	  offsetof(struct args, options.duration), 0, NULL },
	{ 0, "strict", NULL, "exit 6 if something was lost", opt_flag, offsetof(struct args, options.strict), 0, NULL },
};

/* In the order of formats. */
static const char *const modes_names[] = {
	"--to folded", "--to chrome", "--to sqlite", "--to trace.dat", "--to ctf", "--to perfetto",
	"--to csv", "--to jsonl", "--to openmetrics", NULL
};
enum { FOLDED = MODE(0), OPENMETRICS = MODE(8) };
_Static_assert(sizeof(modes_names) / sizeof(modes_names[0]) == sizeof(formats) / sizeof(formats[0]) + 1, "a name for each");
static const struct modes_row modes_rows[] = {
	{ "weight", FOLDED },
	{ "by step groups", OPENMETRICS },
};

static const struct opt_group export_groups[] = {
	OPT_OWN("EXPORTING", export_opts),
	READING_GROUP(struct args, in),
	SEL_GROUP(struct args, sel),
};

/* ---- for the writers ---- */

/* A life that is meant knows its row: user is 1 + that. */
struct ktally_life *export_parent(const struct ktally_life *l)
{
	struct ktally_life *up = l->parent;

	while (up && !up->user)
		up = up->parent;
	return up;
}

size_t export_row(const struct ktally_life *l)
{
	return (size_t)(uintptr_t)l->user - 1;
}

const struct ktally_field *export_field(const struct export *ex, const char *name)
{
	return show_find(ex->rows.fields, ex->rows.n_fields, name, strlen(name));
}

struct ktally_value export_value(struct export *ex, size_t row, const char *field)
{
	return ex->rows.value(ex->rows.of, row, export_field(ex, field));
}

bool export_shows(const struct export *ex, const struct ktally_field *f)
{
	return ex->options->args || f->unit != KTALLY_ARGV;
}

size_t export_name(const struct export *ex, const struct ktally_life *l,
		   const struct ktally_image *im, char *dst, size_t n)
{
	struct ktally_image bare;

	if (im && !ex->options->args) {
		bare = *im;
		bare.argv = NULL;
		im = &bare;
	}
	return markup_command(dst, n, l, im);
}

int export_in_place(struct export *ex, int (*write)(struct export *ex, const char *part, void *arg),
		    void *arg)
{
	struct replace file;
	int status = replace_begin(&file, ex->path);

	return status == OPT_GO_ON ? replace_end(&file, write(ex, file.part, arg)) : status;
}

/* ---- the command ---- */

static int take_lives(struct export *ex, const struct lives *l)
{
	const struct ktally_life *const *lives;

	ex->n = lives_count(l);
	ex->lives = calloc(ex->n + 1, sizeof(*ex->lives));
	if (!ex->lives)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < ex->n; i++) {
		ktally_group_lives(ktally_groups_at(l->groups, i), &lives);
		ex->lives[i] = (struct ktally_life *)lives[0];
		ex->lives[i]->user = (void *)(uintptr_t)(i + 1);
	}
	return OPT_GO_ON;
}

int export_open(struct export *ex)
{
	int err = 0;

	ex->sink = sink_open(ex->path, 1, &err);
	return err ? say_error(FAILED, "%s: %s", ex->path, strerror(-err)) : OPT_GO_ON;
}

/* status: what the writer said. */
static int close_sink(struct export *ex, int status)
{
	int err = ex->sink ? sink_close(ex->sink) : 0;

	/* What was lost while recording is no reason to be silent about the disk. */
	if (err && err != -EPIPE && (status == OPT_GO_ON || status == INCOMPLETE))
		return say_error(FAILED, "%s: %s", ex->path ? ex->path : "standard output",
				 strerror(-err));
	if (status == OPT_GO_ON)
		return err ? FAILED : DONE;
	return status;
}

static int write_format(const struct format *format, struct export *ex)
{
	int status = format->into == INTO_SINK ? export_open(ex) : OPT_GO_ON;

	return status == OPT_GO_ON ? close_sink(ex, format->write(ex)) : status;
}

static int print(void *arg, struct reading *r, struct sel_match *match)
{
	const struct args *args = arg;
	const struct show as_json = { .out.format = OUT_JSON };
	struct export ex = { .options = &args->options, .in = &args->in, .reading = r,
		.match = match, .path = args->output };
	struct lives lives;
	int status = lives_make(&lives, r, KTALLY_BY_PROCESS, match);

	if (status == OPT_GO_ON)
		status = take_lives(&ex, &lives);
	if (status == OPT_GO_ON && !ex.n)
		status = lives_none(r, match);
	if (status == OPT_GO_ON) {
		lives_source(&lives, &as_json, &ex.rows);
		status = write_format(&formats[args->to - 1], &ex);
	}
	free(ex.lives);
	lives_free(&lives);
	return status;
}

static int check_stream(const struct args *args, const struct format *format)
{
	const char *past = sel_past(&args->sel);

	if (!format->stream)
		return say_error(WRONG_USE, "export: --stream: %s is no stream: it %s", format->name, format->no_stream);
	if (args->in.live)
		return say_error(WRONG_USE, "export: --live is one look at the living; --stream alone goes on");
	return past ? say_error(WRONG_USE, "export: --stream: --%s is for whole recordings", past) : OPT_GO_ON;
}

static int check(const struct args *args, const struct opt_rest *rest)
{
	static const struct modes modes = MODES(modes_names, modes_rows);
	const struct format *format;
	int status;

	if (!args->to)
		return say_error(WRONG_USE, "export: say which format; for example: ktally export --to folded");
	format = &formats[args->to - 1];
	status = modes_check(&modes, args->to - 1, &cmd_export, rest);
	if (status != OPT_GO_ON)
		return status;
	if (format->into == INTO_PLACE && (!args->output || !strcmp(args->output, "-")))
		return say_error(WRONG_USE, "export: %s needs a file; add: -o FILE", format->name);
	if (args->stream)
		return check_stream(args, format);
	if (args->options.duration.set)
		return say_error(WRONG_USE, "export: --duration is for a stream; add: --stream");
	if (format->twice && args->in.live)
		return say_error(WRONG_USE, "export: %s is made of a recording; for a while: ktally record -D 10",
				 format->name);
	return OPT_GO_ON;
}

/* A pipe can't be read again. */
static int check_files(struct args *args, struct opt_rest *rest)
{
	int status = reading_take_words(&args->in, rest);
	struct stat st;

	for (size_t i = 0; status == OPT_GO_ON && i < args->in.files.n && formats[args->to - 1].twice; i++) {
		const char *file = args->in.files.at[i];

		if (!strcmp(file, "-") || (!stat(file, &st) && S_ISFIFO(st.st_mode)))
			return say_error(WRONG_USE, "export: %s reads the records twice, '%s' gives them once; record to a file",
					 formats[args->to - 1].name, file);
	}
	return status;
}

static int run_stream(struct args *args, struct opt_rest *rest)
{
	const struct format *format = &formats[args->to - 1];
	struct export ex = { .options = &args->options, .in = &args->in, .path = args->output };
	int status = OPT_GO_ON;

	args->options.tree = args->sel.tree;
	ex.match = sel_compile(&args->sel, rest->words, rest->n_words, &status);
	if (!ex.match)
		return status;
	status = close_sink(&ex, export_stream(&ex, format->stream));
	sel_free(ex.match);
	return status;
}

static int run_export(int argc, char **argv)
{
	struct args args = { .options = { .weight = EXPORT_CPU, .groups = 200 } };
	struct view view = { .in = &args.in, .sel = &args.sel, .print = print, .arg = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_export, argc, argv, &args, &rest);

	if (status == OPT_GO_ON)
		status = check(&args, &rest);
	if (status == OPT_GO_ON)
		status = check_files(&args, &rest);
	if (status != OPT_GO_ON)
		return status;
	if (args.stream)
		return run_stream(&args, &rest);
	view.strict = args.options.strict;
	return view_run(&view, &rest);
}

static const char *const export_examples[] = {
	"export --to folded --weight cpu -o cpu.folded",
	"export build.ktl --to chrome -o build.json",
	"export build.ktl --to sqlite -o build.db",
	"export --stream --to perfetto -D 1m -o minute.pftrace",
	NULL
};

const struct cmd cmd_export = {
	.name = "export",
	.words = "[FILE...] [NAME...] --to FORMAT",
	.help = "a recording in other tools' formats",
	.about = "Writes the processes of a recording in another tool's format. Command lines stay out of it unless --args asks for them; a parent that is not meant is passed over. What was not measured is left out, never 0, and what was lost is said in the file where the format has a place for it.",
	.bits = CMD_FILES,
	.run = run_export,
	CMD_GROUPS(export_groups),
	.examples = export_examples,
};
