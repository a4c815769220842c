// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-commands.c - how often and how long each command ran.
 *
 * A run is one executed image: from its exec to the next exec of the same process
 * or to its end. Only runs seen from beginning to end enter the statistics; the
 * others are counted beside them. Processes that never executed anything are runs
 * only with --forks, under their parent's command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lives.h"

enum key { BY_PROGRAM, BY_PATH, BY_COMMAND, BY_COMM, BY_USER };

struct args {
	int key;
	bool runs, forks;
	struct reading_options in;
	struct sel sel;
	struct show show;
};

static const struct opt commands_opts[] = {
	{ 'b', "by", "KEY", "put together by program (name of the file), path (the file as it was called), command (all arguments), comm (the kernel's name), or user",
	  opt_word, offsetof(struct args, key), BY_PROGRAM, "program path command comm user" },
	{ 0, "runs", NULL, "a row per run instead of per command", opt_flag,
	  offsetof(struct args, runs), 0, NULL },
	{ 0, "forks", NULL, "also processes that executed nothing, as their parent's command",
	  opt_flag, offsetof(struct args, forks), 0, NULL },
};

static const struct opt_group commands_groups[] = {
	OPT_OWN("COUNTING", commands_opts),
	READING_GROUP(struct args, in),
	SEL_GROUP(struct args, sel),
	SHOW_GROUP(struct args, show),
};

struct run {
	const struct ktally_life *life;
	uint32_t image;
	bool whole;			/* seen from its beginning to its end */
	uint64_t duration;		/* whole */
	struct ktally_str key;
};

/* Runs of one key: a slice of the sorted runs. */
struct group {
	size_t first, n;
	struct ktally_stats stats;
	uint64_t cpu, peak, failed;
	bool cpu_known, cpu_lower, peak_known;
};

struct commands {
	struct args *args;
	struct reading *reading;
	struct run *runs;
	size_t n_runs;
	struct group *groups;
	size_t n_groups;
	size_t older, open;		/* runs that began before, or had not ended */
};

static const struct ktally_image *image_of(const struct run *run)
{
	return &run->life->images[run->image];
}

static bool last_image(const struct run *run)
{
	return run->image + 1 == run->life->n_images;
}

static struct ktally_str text_key(const char *text)
{
	return (struct ktally_str){ text, text ? (uint32_t)strlen(text) : 0 };
}

static struct ktally_str key_of(const struct run *run, enum key key, struct reading *r)
{
	const struct ktally_image *im = image_of(run);

	switch (key) {
	case BY_PATH:
		return im->filename ? text_key(im->filename) : ktally_image_program(im);
	case BY_COMMAND:
		if (im->argv && im->argv_len)
			return (struct ktally_str){ im->argv, im->argv_len };
		return ktally_image_program(im);
	case BY_COMM:
		return (struct ktally_str){ im->comm, (uint32_t)strnlen(im->comm, sizeof(im->comm)) };
	case BY_USER:
		return text_key(r->ctx.user_name ?
				r->ctx.user_name(run->life->owner.uid, r->ctx.arg) : NULL);
	default:
		return ktally_image_program(im);
	}
}

static void add_run(struct commands *c, const struct ktally_life *l, uint32_t image)
{
	struct run *run = &c->runs[c->n_runs++];
	const struct ktally_image *im = &l->images[image];

	*run = (struct run){ .life = l, .image = image };
	run->whole = im->begin_known && im->end && im->end >= im->begin;
	run->duration = run->whole ? im->end - im->begin : 0;
	run->key = key_of(run, (enum key)c->args->key, c->reading);
	if (!im->begin_known)
		c->older++;
	else if (!run->whole)
		c->open++;
}

/* The first image of a forked life is its parent's program, not a run of its own. */
static bool counts(const struct commands *c, const struct ktally_life *l, uint32_t image)
{
	const struct ktally_image *im = &l->images[image];

	if (im->has_exec || im->unknown)
		return true;
	if (!l->saw_fork)
		return !l->kthread;	/* older than the recording: it executed something once */
	return c->args->forks && l->n_images == 1;
}

static int collect(struct commands *c, struct sel_match *match)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(c->reading->model, &lives), room = 0;

	for (size_t i = 0; i < n; i++)
		room += lives[i]->n_images;
	c->runs = calloc(room + 1, sizeof(*c->runs));
	c->groups = calloc(room + 1, sizeof(*c->groups));
	if (!c->runs || !c->groups)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < n; i++) {
		if (!sel_want(lives[i], match))
			continue;
		for (uint32_t k = 0; k < lives[i]->n_images; k++)
			if (counts(c, lives[i], k))
				add_run(c, lives[i], k);
	}
	return OPT_GO_ON;
}

static int compare_keys(struct ktally_str a, struct ktally_str b)
{
	uint32_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* By key; within it whole runs first, the shortest first: so each group's durations lie sorted. */
static int compare_runs(const void *pa, const void *pb)
{
	const struct run *a = pa, *b = pb;
	int c = compare_keys(a->key, b->key);

	if (c)
		return c;
	if (a->whole != b->whole)
		return b->whole - a->whole;
	if (a->duration != b->duration)
		return a->duration > b->duration ? 1 : -1;
	return (image_of(a)->begin > image_of(b)->begin) - (image_of(a)->begin < image_of(b)->begin);
}

static bool failed(const struct run *run)
{
	return last_image(run) && run->life->state == KTALLY_ENDED && run->life->status;
}

static void add_use(struct group *g, const struct run *run)
{
	struct ktally_use use;

	ktally_image_use(run->life, run->image, &use);
	if (use.known & 1ULL << KTALLY_U_RUNTIME) {
		g->cpu += use.runtime;
		g->cpu_known = true;
	} else {
		g->cpu_lower = true;
	}
	if (use.known & 1ULL << KTALLY_U_PEAK_RSS && use.peak_rss >= g->peak) {
		g->peak = use.peak_rss;
		g->peak_known = true;
	}
}

static int fill_group(struct commands *c, struct group *g)
{
	uint64_t *durations = calloc(g->n, sizeof(*durations));
	size_t whole = 0;

	if (!durations)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < g->n; i++) {
		const struct run *run = &c->runs[g->first + i];

		if (!run->whole)
			continue;
		durations[whole++] = run->duration;
		g->failed += failed(run);
		add_use(g, run);
	}
	ktally_stats_of(durations, whole, &g->stats);
	free(durations);
	return OPT_GO_ON;
}

static int group_runs(struct commands *c)
{
	qsort(c->runs, c->n_runs, sizeof(*c->runs), compare_runs);
	for (size_t i = 0, n; i < c->n_runs; i += n) {
		struct group *g = &c->groups[c->n_groups++];
		int status;

		for (n = 1; i + n < c->n_runs; n++)
			if (compare_keys(c->runs[i].key, c->runs[i + n].key))
				break;
		g->first = i;
		g->n = n;
		status = fill_group(c, g);
		if (status != OPT_GO_ON)
			return status;
	}
	return OPT_GO_ON;
}

static struct ktally_value duration(const struct group *g, double v)
{
	struct ktally_value value = { .type = KTALLY_V_UNKNOWN };

	if (!g->stats.n)
		return value;
	value.type = KTALLY_V_DOUBLE;
	value.d = v;
	return value;
}

static struct ktally_value unknown_unless(bool known, uint64_t v)
{
	struct ktally_value value = out_u64(v);

	if (!known)
		value.type = KTALLY_V_UNKNOWN;
	return value;
}

/* Places in the tables of columns below. */
enum group_column {
	G_RUNS, G_TOTAL, G_MEAN, G_MIN, G_P25, G_MEDIAN, G_P75, G_MAX, G_SD, G_CPU, G_PEAK,
	G_FAILED, G_UNFINISHED, G_COMMAND, G_COMMAND_LINE, G_COLUMNS
};

#define COLUMN(n, t, h, u, s, w)					\
	{ .name = (n), .title = (t), .help = (h), .unit = (u), .sum = (s), .width = (w) }

static const struct ktally_field group_fields[G_COLUMNS] = {
	[G_RUNS] = COLUMN("runs", "RUNS", "runs seen from beginning to end", KTALLY_COUNT, KTALLY_SUM, 5),
	[G_TOTAL] = COLUMN("total_ns", "TOTAL", "their durations added up", KTALLY_NS, KTALLY_SUM, 8),
	[G_MEAN] = COLUMN("mean_ns", "MEAN", "mean duration", KTALLY_NS, KTALLY_SAME, 8),
	[G_MIN] = COLUMN("min_ns", "MIN", "shortest", KTALLY_NS, KTALLY_MIN, 8),
	[G_P25] = COLUMN("p25_ns", "P25", "first quartile (type 7, as in R and NumPy)", KTALLY_NS, KTALLY_SAME, 8),
	[G_MEDIAN] = COLUMN("median_ns", "MEDIAN", "median", KTALLY_NS, KTALLY_SAME, 8),
	[G_P75] = COLUMN("p75_ns", "P75", "third quartile", KTALLY_NS, KTALLY_SAME, 8),
	[G_MAX] = COLUMN("max_ns", "MAX", "longest", KTALLY_NS, KTALLY_MAX, 8),
	[G_SD] = COLUMN("sd_ns", "SD", "standard deviation; from two runs on", KTALLY_NS, KTALLY_SAME, 8),
	[G_CPU] = COLUMN("cpu_ns", "CPU", "CPU time of all these runs", KTALLY_NS, KTALLY_SUM, 8),
	[G_PEAK] = COLUMN("peak_rss_bytes", "PEAK", "highest peak memory of a run", KTALLY_BYTES, KTALLY_MAX, 6),
	[G_FAILED] = COLUMN("failed", "FAILED", "runs that ended with a status other than 0", KTALLY_COUNT, KTALLY_SUM, 6),
	[G_UNFINISHED] = COLUMN("unfinished", "OPEN", "runs whose beginning or end was not seen; in no statistics", KTALLY_COUNT, KTALLY_SUM, 4),
	[G_COMMAND] = COLUMN("command", "COMMAND", "the key", KTALLY_TEXT, KTALLY_SAME, 0),
	[G_COMMAND_LINE] = COLUMN("command", "COMMAND", "the key", KTALLY_ARGV, KTALLY_SAME, 0),
};

static struct ktally_value key_value(struct ktally_str key)
{
	struct ktally_value v = { .type = key.p ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN, .t = key };

	return v;
}

static struct ktally_value group_value(void *of, size_t row, const struct ktally_field *f)
{
	const struct commands *c = of;
	const struct group *g = &c->groups[row];
	const struct ktally_stats *s = &g->stats;
	struct ktally_value v;

	switch ((enum group_column)(f - group_fields)) {
	case G_RUNS:		return out_u64(s->n);
	case G_TOTAL:		return duration(g, s->total);
	case G_MEAN:		return duration(g, s->mean);
	case G_MIN:		return duration(g, s->min);
	case G_P25:		return duration(g, s->p25);
	case G_MEDIAN:		return duration(g, s->median);
	case G_P75:		return duration(g, s->p75);
	case G_MAX:		return duration(g, s->max);
	case G_SD:
		v = duration(g, s->sd);
		v.type = s->n && s->has_sd ? KTALLY_V_DOUBLE : KTALLY_V_UNKNOWN;
		return v;
	case G_CPU:
		v = unknown_unless(g->cpu_known, g->cpu);
		v.lower = g->cpu_lower;
		return v;
	case G_PEAK:		return unknown_unless(g->peak_known, g->peak);
	case G_FAILED:		return out_u64(g->failed);
	case G_UNFINISHED:	return out_u64(g->n - s->n);
	default:		return key_value(c->runs[g->first].key);
	}
}

enum run_column {
	R_PID, R_PPID, R_START, R_END, R_DURATION, R_CPU, R_PEAK, R_STATUS, R_EXIT_CODE,
	R_EXIT_SIGNAL, R_STATE, R_UID, R_PROGRAM, R_FILENAME, R_ARGV, R_COLUMNS
};

static const struct ktally_field run_fields[R_COLUMNS] = {
	[R_PID] = COLUMN("pid", "PID", "process", KTALLY_ID, KTALLY_SAME, 7),
	[R_PPID] = COLUMN("ppid", "PPID", "its parent at birth", KTALLY_ID, KTALLY_SAME, 7),
	[R_START] = COLUMN("start_ns", "START", "exec", KTALLY_TIME, KTALLY_MIN, 9),
	[R_END] = COLUMN("end_ns", "END", "next exec or end of the process", KTALLY_TIME, KTALLY_MAX, 9),
	[R_DURATION] = COLUMN("duration_ns", "TIME", "from one to the other", KTALLY_NS, KTALLY_SUM, 8),
	[R_CPU] = COLUMN("cpu_ns", "CPU", "CPU time of this run alone", KTALLY_NS, KTALLY_SUM, 8),
	[R_PEAK] = COLUMN("peak_rss_bytes", "PEAK", "its peak memory", KTALLY_BYTES, KTALLY_MAX, 6),
	[R_STATUS] = COLUMN("status", "EXIT", "how it ended, as wait() sees it", KTALLY_STATUS, KTALLY_SAME, 4),
	[R_EXIT_CODE] = COLUMN("exit_code", "CODE", "exit status; unknown for a signal", KTALLY_ID, KTALLY_SAME, 4),
	[R_EXIT_SIGNAL] = COLUMN("exit_signal", "SIGNAL", "signal that ended it", KTALLY_ID, KTALLY_SAME, 6),
	[R_STATE] = COLUMN("state", "STATE", "ended, replaced (by another exec), running, or unknown", KTALLY_TEXT, KTALLY_SAME, -8),
	[R_UID] = COLUMN("uid", "UID", "user's number", KTALLY_ID, KTALLY_SAME, 5),
	[R_PROGRAM] = COLUMN("program", "PROGRAM", "name of the file", KTALLY_TEXT, KTALLY_SAME, -10),
	[R_FILENAME] = COLUMN("filename", "FILE", "the file as it was called; of a script the script", KTALLY_TEXT, KTALLY_SAME, -12),
	[R_ARGV] = COLUMN("argv", "COMMAND", "exact command", KTALLY_ARGV, KTALLY_SAME, 0),
};

static const char *run_state(const struct run *run)
{
	if (!last_image(run))
		return "replaced";
	if (run->life->state == KTALLY_ENDED)
		return "ended";
	return run->life->state == KTALLY_RUNNING ? "running" : "unknown";
}

static struct ktally_value run_use(const struct run *run, enum ktally_usage what)
{
	struct ktally_value v;
	struct ktally_use use;

	ktally_image_use(run->life, run->image, &use);
	v = unknown_unless(use.known & 1ULL << what,
			   what == KTALLY_U_RUNTIME ? use.runtime : use.peak_rss);
	v.upper = use.upper & 1ULL << what;
	return v;
}

static struct ktally_value run_argv(const struct run *run)
{
	const struct ktally_image *im = image_of(run);

	if (im->argv && im->argv_len)
		return key_value((struct ktally_str){ im->argv, im->argv_len });
	return key_value(ktally_image_program(im));
}

static struct ktally_value run_value(void *of, size_t row, const struct ktally_field *f)
{
	const struct commands *c = of;
	const struct run *run = &c->runs[row];
	const struct ktally_image *im = image_of(run);
	const struct ktally_life *l = run->life;
	bool ended = last_image(run) && l->state == KTALLY_ENDED;

	switch ((enum run_column)(f - run_fields)) {
	case R_PID:		return out_u64(l->tgid);
	case R_PPID:		return unknown_unless(l->ppid || !l->parent_start, l->ppid);
	case R_START:		return unknown_unless(im->begin_known, im->begin);
	case R_END:		return unknown_unless(im->end, im->end);
	case R_DURATION:	return unknown_unless(run->whole, run->duration);
	case R_CPU:		return run_use(run, KTALLY_U_RUNTIME);
	case R_PEAK:		return run_use(run, KTALLY_U_PEAK_RSS);
	case R_STATUS:		return unknown_unless(ended, l->status);
	case R_EXIT_CODE:	return unknown_unless(ended && !(l->status & 0x7f), l->status >> 8 & 0xff);
	case R_EXIT_SIGNAL:	return unknown_unless(ended && l->status & 0x7f, l->status & 0x7f);
	case R_STATE:		return out_text(run_state(run));
	case R_UID:		return out_u64(l->owner.uid);
	case R_PROGRAM:		return key_value(ktally_image_program(im));
	case R_FILENAME:	return out_text(im->filename);
	default:		return run_argv(run);
	}
}

static const char group_columns[] =
	"runs,total_ns,mean_ns,min_ns,p25_ns,median_ns,p75_ns,max_ns,cpu_ns,peak_rss_bytes,failed,command";
static const char run_columns[] = "pid,ppid,start_ns,end_ns,duration_ns,cpu_ns,peak_rss_bytes,status,argv";

struct columns {
	const struct ktally_field *at[G_COLUMNS + R_COLUMNS];
	size_t n;
};

static void choose_columns(const struct args *args, struct columns *columns)
{
	size_t all = args->runs ? (size_t)R_COLUMNS : (size_t)G_COLUMNS;

	for (size_t i = 0; i < all; i++) {
		if (!args->runs && i == (args->key == BY_COMMAND ? G_COMMAND : G_COMMAND_LINE))
			continue;
		columns->at[columns->n++] = args->runs ? &run_fields[i] : &group_fields[i];
	}
}

static void put_open_line(struct out *o, const struct commands *c)
{
	char line[160], older[32], open[32];

	if (!c->older && !c->open)
		return;
	snprintf(line, sizeof(line), "not in the statistics: %s still running, %s older than the recording",
		 say_count(open, c->open), say_count(older, c->older));
	out_line(o, line);
}

static int print(struct commands *c, struct sel_match *match)
{
	const struct args *args = c->args;
	struct columns columns = { .n = 0 };
	struct show_source src = { .schema = args->runs ? "ktally.runs/1" : "ktally.commands/1" };
	struct out *o;
	int status;

	choose_columns(args, &columns);
	src.fields = columns.at;
	src.n_fields = columns.n;
	src.columns = args->runs ? run_columns : group_columns;
	src.sort = args->runs ? "start_ns" : "-total_ns";
	src.n_rows = args->runs ? c->n_runs : c->n_groups;
	src.value = args->runs ? run_value : group_value;
	src.of = c;
	src.clock = lives_clock(c->reading);
	status = show_rows(&args->show, &src, &o);
	if (status != OPT_GO_ON)
		return status;
	put_open_line(o, c);
	lives_footer(o, c->reading, match);
	status = show_close(o);
	return status == DONE && !c->n_runs ? lives_none(c->reading, match) : status;
}

static int count_and_print(void *arg, struct reading *r, struct sel_match *match)
{
	struct commands c = { .args = arg, .reading = r };
	int status = collect(&c, match);

	if (status == OPT_GO_ON)
		status = group_runs(&c);
	if (status == OPT_GO_ON)
		status = print(&c, match);
	free(c.runs);
	free(c.groups);
	return status;
}

static int run_commands(int argc, char **argv)
{
	struct args args = { .key = BY_PROGRAM };
	struct view view = { .in = &args.in, .sel = &args.sel, .print = count_and_print, .arg = &args };
	struct columns columns = { .n = 0 };
	struct opt_rest rest;
	int status = opt_parse(&cmd_commands, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (show_wants_help(&args.show)) {
		choose_columns(&args, &columns);
		return show_columns(columns.at, columns.n, args.runs ? run_columns : group_columns);
	}
	view.strict = args.show.strict;
	return view_run(&view, &rest);
}

static const char *const commands_examples[] = {
	"commands",
	"commands build.ktl --sort -max",
	"commands --runs --csv cc1",
	NULL
};

const struct cmd cmd_commands = {
	.name = "commands",
	.words = "[FILE...] [NAME...] [--runs]",
	.help = "how often and how long each command ran",
	.about = "Counts the runs of each command and shows total, mean, least, quartiles and greatest of their durations, their CPU time, highest peak memory and failures. A run lasts from its exec to the next exec of the same process or to its end. With --runs a row per run.",
	.bits = CMD_FILES,
	.run = run_commands,
	CMD_GROUPS(commands_groups),
	.examples = commands_examples,
};
