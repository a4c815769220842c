// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-import.c - recordings made of other tools' files, so that every command can show
 * them. A format is a row of the table below and a function that reads its source.
 */
#include <string.h>

#include "cmd.h"
#include "import.h"
#include "reading.h"

struct args {
	int from;
	const char *output;
	bool force;
};

static const struct {
	const char *name;
	int (*read)(struct import *im, const char *source);
} formats[] = {
	{ "ash-scores", import_ash_scores },
};

static const struct opt import_opts[] = {
	{ 0, "from", "FORMAT", "what SOURCE is: ash-scores, the folder that ASH_SCORES named while a patched ash ran",
	  opt_word, offsetof(struct args, from), 1, "ash-scores" },
	{ 'o', "output", "FILE", "the recording to write (default: " READING_DEFAULT "); one that is there is moved to FILE.old",
	  opt_string, offsetof(struct args, output), 0, "@file" },
	{ 0, "force", NULL, "overwrite FILE instead", opt_flag, offsetof(struct args, force), 0, NULL },
};

static const struct opt_group import_groups[] = {
	OPT_OWN("IMPORTING", import_opts),
};

/* ---- the recording ---- */

static int file_failed(struct import *im, int err)
{
	return say_error(status_of(err), "%s", ktally_file_error(im->file));
}

int import_begin(struct import *im, int64_t real)
{
	const struct ktally_file_options options = {
		.force = im->force, .command = im->source, .boot_id = "", .host = "", .release = "",
		.machine = "",
	};
	int err = ktally_file_create(&im->file, im->path, &options);

	if (err)
		return file_failed(im, err);
	im->composer = ktally_composer_open(im->file, IMPORT_BEGIN, real);
	return im->composer ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

int import_leave_out(struct import *im, uint32_t kind, const char *field)
{
	if (ktally_composer_leave_out(im->composer, kind, field))
		return say_error(FAILED, "records have no field %s", field);
	return OPT_GO_ON;
}

int import_add(struct import *im, uint32_t kind, uint64_t time, const void *fixed,
	       const struct ktally_str *strings)
{
	int err = ktally_composer_add(im->composer, kind, time, fixed, strings);

	im->last = time;
	return err ? file_failed(im, err) : OPT_GO_ON;
}

int import_finish(struct import *im, bool whole)
{
	int err = ktally_composer_finish(im->composer, im->last, whole);

	if (!err)
		err = ktally_file_finish(im->file);
	return err ? file_failed(im, err) : OPT_GO_ON;
}

/* ---- the command ---- */

static int import(const struct args *args, const char *source)
{
	struct import im = {
		.path = args->output ? args->output : READING_DEFAULT, .source = source,
		.force = args->force,
	};
	int status = formats[args->from - 1].read(&im, source);

	if (status != OPT_GO_ON && im.file)
		ktally_file_discard(im.file);
	ktally_composer_close(im.composer);
	ktally_file_close(im.file);
	return status == OPT_GO_ON ? DONE : status;
}

static int run_import(int argc, char **argv)
{
	struct args args = { .from = 0 };
	struct opt_rest rest;
	int status = opt_parse(&cmd_import, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (!args.from)
		return say_error(WRONG_USE, "say what it is: ktally import --from ash-scores DIR");
	if (rest.n_words != 1)
		return say_error(WRONG_USE, "name one source: ktally import --from %s DIR",
				 formats[args.from - 1].name);
	return import(&args, rest.words[0]);
}

static const char *const import_examples[] = {
	"import --from ash-scores scores -o shells.ktl",
	NULL
};

const struct cmd cmd_import = {
	.name = "import",
	.words = "--from FORMAT SOURCE [-o FILE]",
	.help = "make a recording of another tool's files",
	.about = "Makes a recording of what another tool has measured, for every command that reads recordings. What that tool did not measure is unknown in it. The ash profiler's commands are texts, taken apart at blanks; its times are from waiting to reaping.",
	.run = run_import,
	CMD_GROUPS(import_groups),
	.examples = import_examples,
};
