// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-totals.c - what all processes cost since the module was loaded, as the kernel
 * itself keeps it: no session, no record, nothing to lose. --save and --add carry the
 * sums over reboots.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/ktally.h"
#include "machine.h"
#include "names.h"
#include "out/text.h"
#include "replace.h"
#include "show.h"
#include "sumfile.h"
#include "totals.h"

enum by { BY_PROGRAM, BY_USER, BY_CGROUP, BY_ALL };

struct args {
	int by;
	const char *save, *add;
	bool reset, quiet;
	struct show show;
};

static const struct opt totals_opts[] = {
	{ 'b', "by", "KEY", "a row per program, user, cgroup, or all three (each); default: program", opt_word,
	  offsetof(struct args, by), BY_PROGRAM, "program user cgroup each" },
	{ 0, "add", "FILE", "add the sums of earlier loads that FILE has", opt_string,
	  offsetof(struct args, add), 0, "@file" },
	{ 0, "save", "FILE", "keep the sums in FILE for later loads; what it has of earlier ones stays", opt_string,
	  offsetof(struct args, save), 0, "@file" },
	{ 0, "reset", NULL, "let the kernel begin anew, after showing and saving; root only", opt_flag,
	  offsetof(struct args, reset), 0, NULL },
	{ 'q', "quiet", NULL, "show nothing", opt_flag, offsetof(struct args, quiet), 0, NULL },
};

static const struct opt_group totals_groups[] = {
	OPT_OWN("TOTALS", totals_opts),
	SHOW_GROUP(struct args, show),
};

struct totals {
	const struct args *args;
	struct totals_now now;
	struct sums earlier, shown;
	struct names names;
	char text[64];
};

/* ---- values ---- */

static struct ktally_value key_of(struct totals *v, const struct sum *s)
{
	const char *name;

	if (s->row.flags & KTALLY_TOTALS_OTHER)
		return out_text("(others)");
	switch ((enum by)v->args->by) {
	case BY_CGROUP:
		return out_text(s->cgroup);
	case BY_USER:
		name = names_user(s->row.uid, &v->names);
		if (!name)
			snprintf(v->text, sizeof(v->text), "%u", s->row.uid);
		return out_text(name ? name : v->text);
	default:
		return out_text(s->row.program);
	}
}

static struct ktally_value value(void *of, size_t i, const struct ktally_field *f)
{
	struct totals *v = of;
	const struct sum *s = &v->shown.at[i];
	bool each = v->args->by == BY_ALL && !(s->row.flags & KTALLY_TOTALS_OTHER);

	switch (f->arg) {
	case TOTALS_KEY:	return key_of(v, s);
	case TOTALS_PROGRAM:	return out_text(each ? s->row.program : NULL);
	case TOTALS_UID:	return each ? out_u64(s->row.uid) : out_text(NULL);
	case TOTALS_CGROUP:	return out_text(each ? s->cgroup : NULL);
	}
	return totals_value(&v->now.t, s, f);
}

/* ---- gathering ---- */

static int gather_shown(struct totals *v)
{
	static int (*const same[])(const void *a, const void *b) = {
		[BY_PROGRAM] = totals_by_program, [BY_USER] = totals_by_user,
		[BY_CGROUP] = totals_by_cgroup, [BY_ALL] = sums_by_all,
	};
	int err = 0;

	for (size_t i = 0; i < v->now.sums.n && !err; i++)
		err = totals_add(&v->shown, v->now.sums.at[i].cgroup, &v->now.sums.at[i]);
	for (size_t i = 0; v->args->add && i < v->earlier.n && !err; i++)
		err = totals_add(&v->shown, v->earlier.at[i].cgroup, &v->earlier.at[i]);
	if (!err)
		sums_merge(&v->shown, same[v->args->by]);
	return err;
}

/* ---- the file ---- */

static int read_id(struct totals *v, struct sumfile_id *id)
{
	if (!machine_boot_id(id->boot, sizeof(id->boot)))
		return say_error(FAILED, "/proc/sys/kernel/random/boot_id: cannot read it; is /proc mounted?");
	id->since = v->now.t.since;
	return OPT_GO_ON;
}

/* A file to save to need not be there yet; one to add must be. */
static int read_file(struct totals *v, const char *path, const struct sumfile_id *id, bool must)
{
	size_t line;
	int err = sumfile_read(path, id, &v->earlier, &line);

	if (!err || (err == -ENOENT && !must))
		return OPT_GO_ON;
	if (err == -EBADMSG)
		return say_error(FAILED, "%s: line %zu: no totals that ktally saved; move it away", path, line);
	return say_error(FAILED, "%s: cannot read it: %s", path, strerror(-err));
}

static int save(struct totals *v, const struct sumfile_id *id, const char *part)
{
	int err = sumfile_write(part, id, &v->earlier, &v->now.sums);

	return err ? say_error(FAILED, "%s: cannot save to it: %s", v->args->save, strerror(-err)) : OPT_GO_ON;
}

/* part: where to save, or NULL. */
static int files(struct totals *v, const char *part)
{
	const struct args *args = v->args;
	struct sumfile_id id;
	int status;

	if (!args->save && !args->add)
		return OPT_GO_ON;
	status = read_id(v, &id);
	if (status == OPT_GO_ON)
		status = read_file(v, args->add ? args->add : args->save, &id, args->add);
	return status == OPT_GO_ON && part ? save(v, &id, part) : status;
}

/* ---- showing ---- */

static void put_footer(struct out *o, const struct totals *v)
{
	const struct ktally_totals *t = &v->now.t;
	const struct out_fact facts[] = {
		{ "since_ns", KTALLY_ID, out_u64(t->since) },
		{ "until_ns", KTALLY_ID, out_u64(t->until) },
		{ "ends", KTALLY_COUNT, out_u64(t->ends) },
		{ "alive", KTALLY_COUNT, out_u64(t->alive) },
		{ "others", KTALLY_COUNT, out_u64(t->others) },
		{ "folded", KTALLY_COUNT, out_u64(t->folded) },
		{ "twice", KTALLY_COUNT, out_u64(t->twice) },
		{ "kprobe_missed", KTALLY_COUNT, out_u64(t->kp_missed) },
	};
	char line[256], ends[32], alive[32], span[32], others[32];

	text_span(span, sizeof(span), t->until - t->since);
	snprintf(line, sizeof(line), "%s processes ended and %s live, in %s since the totals began",
		 say_count(ends, t->ends), say_count(alive, t->alive), span);
	out_line(o, line);
	if (t->others) {
		snprintf(line, sizeof(line), "%s of them found no row of their own; totals_rows= of the module gives more",
			 say_count(others, t->others));
		out_line(o, line);
	}
	out_facts(o, "totals", facts, sizeof(facts) / sizeof(facts[0]));
}

static int show(struct totals *v)
{
	const struct args *args = v->args;
	const struct ktally_field *columns, *all[TOTALS_COLUMNS];
	size_t n = totals_columns(&columns);
	struct show_source src = {
		.schema = "ktally.totals/1", .fields = all, .n_fields = n,
		.columns = args->by == BY_ALL ?
			"count,alive,cpu_ns,peak_rss_bytes,rx_wire_bytes,tx_wire_bytes,program,uid,cgroup" :
			"count,alive,failed,cpu_ns,peak_rss_bytes,rx_wire_bytes,tx_wire_bytes,read_bytes,write_bytes,key",
		.sort = "-cpu_ns", .n_rows = v->shown.n, .value = value, .of = v,
	};
	struct out *o;
	int status;

	for (size_t i = 0; i < n; i++)
		all[i] = &columns[i];
	if (show_wants_help(&args->show))
		return show_columns(all, n, src.columns);
	status = show_rows(&args->show, &src, &o);
	if (status != OPT_GO_ON)
		return status;
	put_footer(o, v);
	return show_close(o);
}

static int reset(void)
{
	char why[256];
	int err = ktally_totals_reset(NULL, why, sizeof(why));

	if (err == -EPERM)
		return say_error(NO_PERMISSION, "--reset: only root may let the totals begin anew");
	return err ? say_error(status_of(err), "%s", why) : DONE;
}

/* Where sums may not be kept is told before they are asked for, and before it is read. */
static int read_and_save(struct totals *v)
{
	const char *path = v->args->save;
	struct replace file = { .part = NULL };
	int status = path ? replace_begin(&file, path) : OPT_GO_ON;

	if (status != OPT_GO_ON)
		return status;
	status = totals_read(&v->now);
	if (status == OPT_GO_ON)
		status = files(v, file.part);
	return path ? replace_end(&file, status) : status;
}

static int totals(struct totals *v)
{
	int status = show_wants_help(&v->args->show) ? show(v) : read_and_save(v);

	if (status == OPT_GO_ON && !v->args->quiet)
		status = gather_shown(v) ? say_error(FAILED, "out of memory") : show(v);
	if (status == OPT_GO_ON)
		status = DONE;
	return status == DONE && v->args->reset ? reset() : status;
}

static int run_totals(int argc, char **argv)
{
	struct args args = { .show = { .columns = NULL } };
	struct totals v = { .args = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_totals, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (rest.n_words)
		return say_error(WRONG_USE, "totals: '%s'? it takes options only", rest.words[0]);
	if (args.save && args.add && strcmp(args.save, args.add))
		return say_error(WRONG_USE, "totals: --save and --add name different files");
	status = totals(&v);
	totals_free(&v.now);
	sums_free(&v.earlier);
	sums_free(&v.shown);
	return status;
}

static const char *const totals_examples[] = {
	"totals",
	"totals --by cgroup --sort -tx_wire_bytes",
	"totals -q --save /var/lib/ktally/totals",
	"totals --by each --json --add /var/lib/ktally/totals",
	NULL
};

const struct cmd cmd_totals = {
	.name = "totals",
	.words = "[--by KEY] [--add FILE] [--save FILE]",
	.help = "what all processes cost since load, as the kernel sums it up",
	.about = "Shows the sums that the module keeps by program, user and control group: of every process that ended since it was loaded, whether anybody recorded or not, and of those that live now. What was used before the load is not in them. Nothing is lost when buffers overflow. What a removed control group had belongs to its nearest ancestor that is left. With --save and --add sums go on over reboots: saving as often as you like counts nothing twice.",
	.run = run_totals,
	CMD_GROUPS(totals_groups),
	.examples = totals_examples,
};
