// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-boot.c - the boot profile: a table of verbs, the options they share, and the way
 * from a recording to a boot.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "boot/boot.h"
#include "cmd.h"
#include "modes.h"
#include "secrets.h"

static const struct opt boot_opts[] = {
	{ 'e', "end", "WHAT", "where the boot is over: a mark, a unit or a program, or mark:X unit:X process:X exit:X, saved, last (default: the default target, else the last mark, else when it was saved)",
	  opt_string, offsetof(struct boot_args, end), 0, NULL },
	{ 0, "least", "TIME", "leave out what is shorter; gaps: 50ms", opt_time,
	  offsetof(struct boot_args, least), 0, NULL },
	{ 0, "every", "TIME", "time: a row per slice of this length, with CPU, waiting and disk",
	  opt_time, offsetof(struct boot_args, every), 0, NULL },
	{ 0, "gaps", NULL, "time: the stretches in which nothing happened", opt_flag,
	  offsetof(struct boot_args, gaps), 0, NULL },
	{ 0, "units", NULL, "blame: systemd's units instead of commands", opt_flag,
	  offsetof(struct boot_args, units), 0, NULL },
	{ 'b', "by", "KEY", "blame: a row per command, put together as in ktally commands: script, program, basename, path, command, comm or user",
	  opt_word, offsetof(struct boot_args, by), 1 + KTALLY_RUN_SCRIPT,
	  "script program basename path command comm user" },
	{ 'f', "fold", NULL, "blame --by: also what differs in numbers (N) and temporary names (*) alone",
	  opt_flag, offsetof(struct boot_args, fold), 0, NULL },
	{ 'a', "all", NULL, "blame: what was still running at the end as well", opt_flag,
	  offsetof(struct boot_args, all), 0, NULL },
	{ 0, "threshold", "PERCENT", "diff: exit with 1 when the boot took longer by more than this (5%)",
	  opt_string, offsetof(struct boot_args, threshold), 0, NULL },
};

static const struct opt boot_setup_opts[] = {
	{ 0, "once", NULL, "enable, save: undo it when one boot has been saved", opt_flag,
	  offsetof(struct boot_args, once), 0, NULL },
	{ 0, "root", "DIR", "enable, disable: in the system below DIR", opt_string,
	  offsetof(struct boot_args, root), 0, "@file" },
	{ 'P', "parameter", "NAME=VALUE", "enable: a parameter of the module, such as boot_kb=32768",
	  opt_list, offsetof(struct boot_args, parameters), 0, NULL },
	SECRETS_OPT(struct boot_args, secrets),
};

static const struct opt_group boot_groups[] = {
	OPT_OWN("THE BOOT", boot_opts),
	OPT_OWN("SETTING UP", boot_setup_opts),
	READING_GROUP(struct boot_args, in),
	SHOW_GROUP(struct boot_args, show),
};

static const struct verb {
	const char *name;
	int (*run)(const struct boot_args *args);
	bool reads;			/* words behind it are recordings */
} verbs[] = {
	{ "time", boot_time, true },
	{ "blame", boot_blame, true },
	{ "chain", boot_chain, true },
	{ "plot", boot_plot, true },
	{ "diff", boot_diff, true },
	{ "enable", boot_enable, false },
	{ "disable", boot_disable, false },
	{ "save", boot_save, false },
};

/* In the order of verbs. */
static const char *const verb_modes[] = { "time", "blame", "chain", "plot", "diff", "enable", "disable", "save", NULL };
enum {
	TIME = MODE(0), BLAME = MODE(1), CHAIN = MODE(2), PLOT = MODE(3), DIFF = MODE(4),
	ENABLE = MODE(5), DISABLE = MODE(6), SAVE = MODE(7),
	ROWS = TIME | BLAME | CHAIN | DIFF, READS = ROWS | PLOT,
};
_Static_assert(sizeof(verb_modes) / sizeof(verb_modes[0]) == sizeof(verbs) / sizeof(verbs[0]) + 1, "a name for each");

static const struct modes_row verb_rows[] = {
	{ "end", READS | ENABLE | SAVE },
	{ "least", ROWS },
	{ "every gaps", TIME },
	{ "by fold", TIME | BLAME },
	{ "units all", BLAME },
	{ "threshold", DIFF },
	{ "once", ENABLE | SAVE },
	{ "root", ENABLE | DISABLE },
	{ "parameter", ENABLE },
	{ "redact", SAVE },
	{ "input live since-birth", READS },
	{ "output", READS | SAVE },
	{ "columns sort limit csv json jsonl raw no-header wide human ns bytes normalize time utc csv-safe color no-pager strict", ROWS },
};

/* Without a verb: time. */
static const struct verb *take_verb(struct opt_rest *rest)
{
	for (size_t i = 0; rest->n_words && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(rest->words[0], verbs[i].name)) {
			rest->words++;
			rest->n_words--;
			return &verbs[i];
		}
	return &verbs[0];
}

static const char *verb_name(const void *of, size_t i)
{
	(void)of;
	return verbs[i].name;
}

static int unknown_word(const char *word)
{
	const char *nearest = opt_nearest(word, sizeof(verbs) / sizeof(verbs[0]), verb_name, NULL);

	if (nearest)
		return say_error(WRONG_USE, "boot: '%s' is neither a recording nor a verb; did you mean: ktally boot %s",
				 word, nearest);
	return say_error(WRONG_USE, "boot: '%s' is neither a recording nor one of: %s",
			 word, cmd_boot.verbs);
}

/* Where save puts it, when there is nothing here. */
static void choose_file(struct reading_options *in)
{
	if (!in->files.n && access(READING_DEFAULT, F_OK) && !access(BOOT_SAVE_PATH, R_OK))
		in->files.at[in->files.n++] = BOOT_SAVE_PATH;
}

static int run_boot(int argc, char **argv)
{
	static const struct modes modes = MODES(verb_modes, verb_rows);
	struct boot_args args = { .end = NULL };
	struct opt_rest rest;
	const struct verb *verb;
	int status = opt_parse(&cmd_boot, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	verb = take_verb(&rest);
	status = modes_check(&modes, (int)(verb - verbs), &cmd_boot, &rest);
	if (status != OPT_GO_ON)
		return status;
	if (verb->reads) {
		status = opt_check_output(&cmd_boot, args.show.out.path);
		if (status == OPT_GO_ON)
			status = reading_take_words(&args.in, &rest);
		if (status != OPT_GO_ON)
			return status;
		if (args.in.live)
			return say_error(WRONG_USE, "boot: --live knows no past; save the boot first: ktally boot save");
	}
	if (verb->reads)
		choose_file(&args.in);
	if (rest.n_words)
		return unknown_word(rest.words[0]);
	args.rest = &rest;
	return verb->run(&args);
}

/* ---- a recording as a boot ---- */

static int settle(struct boot_view *v, const struct boot_args *args)
{
	struct boot *b = &v->boot;
	size_t len;
	int err;

	err = boot_settle(b, v->reading.model, v->reading.info,
			  ktally_stream_note(v->reading.stream, UNITS_NOTE, &len),
			  ktally_stream_note(v->reading.stream, BOOT_END_NOTE, &len));
	if (err)
		return say_error(FAILED, "out of memory for this boot");
	if (v->reading.info->boots > 1)
		return say_error(WRONG_USE, "these recordings are of %u boots; name one, or: ktally boot diff A B",
				 v->reading.info->boots);
	if (args->end && boot_choose_end(b, args->end))
		return say_error(NOTHING_MATCHED, "boot: no mark, unit that became active or program '%s' in this recording",
				 args->end);
	return OPT_GO_ON;
}

int boot_open(struct boot_view *v, const struct boot_args *args, const struct reading_options *in)
{
	struct reading_options options = *in;
	int status;

	memset(v, 0, sizeof(*v));
	options.made_by = "ktally boot enable";
	options.see = boot_see;
	options.arg = &v->boot;
	status = reading_open(&v->reading, &options);
	if (status != OPT_GO_ON) {
		boot_free(&v->boot);
		return status;
	}
	status = settle(v, args);
	v->match = status == OPT_GO_ON ? sel_compile(&v->sel, NULL, 0, &status) : NULL;
	if (status == OPT_GO_ON)
		status = sel_bind(v->match, v->reading.model);
	if (status != OPT_GO_ON)
		boot_close(v);
	return status;
}

void boot_close(struct boot_view *v)
{
	if (v->match)
		sel_free(v->match);
	reading_close(&v->reading);
	boot_free(&v->boot);
}

struct out_clock boot_clock(const struct boot_view *v)
{
	struct out_clock clock = lives_clock(&v->reading);

	clock.zero = 0;
	return clock;
}

/* ---- showing ---- */

static int finish(const struct boot_args *args, struct boot_view *v, int status)
{
	int own;

	reading_warn(&v->reading);
	own = reading_status(&v->reading, args->show.strict);
	return status == DONE ? own : status;
}

int boot_show(const struct boot_args *args, struct boot_view *v, struct boot_rows *rows)
{
	struct out *o;
	int status;

	rows->src.clock = boot_clock(v);
	if (show_wants_help(&args->show))
		return show_columns(rows->src.fields, rows->src.n_fields, rows->src.columns);
	status = show_rows(&args->show, &rows->src, &o);
	if (status != OPT_GO_ON)
		return status;
	if (rows->below)
		rows->below(o, rows->src.of);
	lives_footer(o, &v->reading, v->match);
	return finish(args, v, show_close(o));
}

struct ktally_value boot_known(bool known, uint64_t v)
{
	struct ktally_value value = out_u64(v);

	if (!known)
		value.type = KTALLY_V_UNKNOWN;
	return value;
}

struct ktally_value boot_argv(const struct ktally_image *im)
{
	struct ktally_str s = { NULL, 0 };

	if (im && im->argv && im->argv_len)
		s = (struct ktally_str){ im->argv, im->argv_len };
	else if (im)
		s = ktally_image_program(im);
	return (struct ktally_value){ .type = s.p ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN, .t = s };
}

struct ktally_value boot_starter(const struct ktally_life *l)
{
	const struct ktally_image *im = l->parent ? boot_image_at(l->parent, l->start) : NULL;
	struct ktally_str s = { NULL, 0 };

	if (im)
		s = ktally_image_program(im);
	return (struct ktally_value){ .type = s.p ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN, .t = s };
}

static const char *const boot_examples[] = {
	"boot enable",
	"boot blame",
	"boot blame --by script --limit 10",
	"boot chain --least 20ms boot.ktl",
	"boot plot -o boot.html",
	"boot diff before.ktl after.ktl",
	NULL
};

const struct cmd cmd_boot = {
	.name = "boot",
	.words = "[time|blame|chain|plot|diff] [FILE...] | enable [--once] | disable | save",
	.verbs = "time blame chain plot diff enable disable save",
	.help = "where the time of a boot went",
	.about = "Shows a boot that was recorded from the initramfs on: time, kernel, initramfs and system on one axis; blame, which commands took longest; chain, what the end waited for; plot, a picture as SVG or one HTML page (-o FILE.svg, FILE.html); diff, two boots compared. enable sets a machine up to record its boots, disable takes that back, save ends such a recording and writes it.",
	.bits = CMD_FILES | CMD_SAVES,
	.run = run_boot,
	CMD_GROUPS(boot_groups),
	.examples = boot_examples,
};
