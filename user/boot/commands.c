// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands.c - the runs of a boot put together as `ktally commands` does: how
 * often each command ran and how long all its runs took. What still ran when the boot
 * was over held nobody up and does not count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "cmd.h"
#include "out/text.h"

struct group {
	struct ktally_str name;
	uint64_t runs, total, max, cpu;
	bool cpu_known, cpu_lower;
};

struct boot_commands {
	struct ktally_runs *runs;
	struct group *all;		/* the longest total first */
	size_t n;
	uint64_t boot;			/* ns, of the whole */
};

enum column { TIME, RUNS, MEAN, MAX, CPU, SHARE, NAME, NAME_ARGV, COLUMNS };

static const struct ktally_field fields[COLUMNS] = {
	[TIME] = COLUMN("time_ns", "TIME", "its runs added up, those that ended before the boot did", KTALLY_NS, KTALLY_SUM, 8),
	[RUNS] = COLUMN("runs", "RUNS", "how many they are", KTALLY_COUNT, KTALLY_SUM, 5),
	[MEAN] = COLUMN("mean_ns", "MEAN", "mean duration", KTALLY_NS, KTALLY_SAME, 8),
	[MAX] = COLUMN("max_ns", "MAX", "longest", KTALLY_NS, KTALLY_MAX, 8),
	[CPU] = COLUMN("cpu_ns", "CPU", "CPU time of these runs", KTALLY_NS, KTALLY_SUM, 8),
	[SHARE] = COLUMN("share_percent", "SHARE", "time as a share of the boot; side by side it passes 100", KTALLY_PERCENT, KTALLY_SUM, 6),
	[NAME] = COLUMN("command", "COMMAND", "the key of --by", KTALLY_TEXT, KTALLY_SAME, 0),
	[NAME_ARGV] = COLUMN("command", "COMMAND", "the key of --by", KTALLY_ARGV, KTALLY_SAME, 0),
};

static void add_run(struct group *g, const struct ktally_run *run)
{
	struct ktally_use use;

	ktally_image_use(run->life, run->image, &use);
	g->runs++;
	g->total += run->duration;
	if (run->duration > g->max)
		g->max = run->duration;
	if (use.known >> KTALLY_U_RUNTIME & 1) {
		g->cpu += use.runtime;
		g->cpu_known = true;
	} else {
		g->cpu_lower = true;
	}
}

static bool in_time(const struct ktally_run *run, uint64_t over)
{
	return run->whole && ktally_run_image(run)->end <= over;
}

static int longest_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->total < y->total ? 1 : x->total > y->total ? -1 : 0;
}

static int make(struct boot_commands *c, struct boot_view *v, const struct boot_args *args)
{
	const struct ktally_runs_options options = {
		.key = (enum ktally_run_key)(args->by ? args->by - 1 : KTALLY_RUN_SCRIPT),
		.fold = args->fold, .ctx = &v->reading.ctx,
	};
	const struct ktally_command *all;
	size_t n;

	c->boot = v->boot.end.time;
	c->runs = ktally_runs_make(&options);
	n = c->runs ? ktally_runs_commands(c->runs, &all) : 0;
	c->all = c->runs ? calloc(n + 1, sizeof(*c->all)) : NULL;
	if (!c->all)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < n; i++) {
		struct group *g = &c->all[c->n];

		g->name = all[i].name;
		for (size_t k = 0; k < all[i].n; k++)
			if (in_time(&all[i].runs[k], c->boot))
				add_run(g, &all[i].runs[k]);
		c->n += g->runs > 0;
	}
	qsort(c->all, c->n, sizeof(*c->all), longest_first);
	return OPT_GO_ON;
}

static void release(struct boot_commands *c)
{
	free(c->all);
	ktally_runs_free(c->runs);
}

/* ---- the table ---- */

static struct ktally_value measured(double d)
{
	return (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = d };
}

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	const struct boot_commands *c = of;
	const struct group *g = &c->all[row];
	struct ktally_value v;

	switch ((enum column)(f - fields)) {
	case TIME:	return out_u64(g->total);
	case RUNS:	return out_u64(g->runs);
	case MEAN:	return measured((double)g->total / (double)g->runs);
	case MAX:	return out_u64(g->max);
	case SHARE:	return measured(100.0 * (double)g->total / (double)c->boot);
	case CPU:
		v = boot_known(g->cpu_known, g->cpu);
		v.lower = g->cpu_lower;
		return v;
	default:
		return (struct ktally_value){ .type = g->name.p ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN,
					      .t = g->name };
	}
}

int boot_commands_show(struct boot_view *v, const struct boot_args *args)
{
	bool words = args->by == KTALLY_RUN_COMMAND + 1;
	const struct ktally_field *at[COLUMNS];
	struct boot_commands c = { .runs = NULL };
	struct boot_rows rows = { .src = {
		.schema = "ktally.boot-commands/1", .fields = at, .n_fields = COLUMNS - 1,
		.columns = "time_ns,runs,mean_ns,max_ns,cpu_ns,share_percent,command",
		.value = value, .of = &c } };
	int status = make(&c, v, args);

	for (size_t i = 0; i < NAME; i++)
		at[i] = &fields[i];
	at[NAME] = &fields[words ? NAME_ARGV : NAME];
	rows.src.n_rows = c.n;
	if (status == OPT_GO_ON)
		status = boot_show(args, v, &rows);
	release(&c);
	return status;
}

/* ---- a line of it ---- */

enum { LINE = 80 };

/* "6 x modprobe 32.06 s" */
static size_t put_group(const struct group *g, const char *before, char *dst, size_t n)
{
	char name[LINE + 8] = "-", span[32], times[32] = "";

	if (g->name.p)
		text_escape(name, sizeof(name), g->name.p, g->name.len < LINE / 5 ? g->name.len : LINE / 5);
	text_span(span, sizeof(span), g->total);
	if (g->runs > 1)
		snprintf(times, sizeof(times), "%llu x ", (unsigned long long)g->runs);
	return (size_t)snprintf(dst, n, "%s%s%s %s", before, times, name, span);
}

int boot_commands_line(struct boot_view *v, const struct boot_args *args, char *line, size_t n)
{
	struct boot_commands c = { .runs = NULL };
	int status = make(&c, v, args);
	size_t at = 0, len;
	char words[2 * LINE];

	line[0] = '\0';
	for (size_t i = 0; status == OPT_GO_ON && i < c.n; i++) {
		len = put_group(&c.all[i], at ? ", " : "longest: ", words, sizeof(words));
		if (text_width(line, at) + text_width(words, len) >= LINE || at + len >= n)
			break;
		memcpy(line + at, words, len + 1);
		at += len;
	}
	release(&c);
	return status;
}
