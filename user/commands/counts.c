// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counts.c - a row per command: how often, how long, at what cost.
 *
 * Shows what the library counted. Values of a command of which nothing was measured
 * are unknown; where some of its runs lack a figure, the sum is a lower bound.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "out/text.h"

/* Places in the table of columns. */
enum column {
	RUNS, TOTAL, MEAN, MIN, P25, MEDIAN, P75, MAX, SD, SHARE, SELF, CPU, PEAK, READ, WRITE,
	RCHAR, WCHAR, RX, TX, MAJFLT, FAILED_RUNS, EXITS, UNFINISHED, NAME, NAME_ARGV, COLUMNS
};

static const struct ktally_field fields[COLUMNS] = {
	[RUNS] = COLUMN("runs", "RUNS", "runs seen from beginning to end", KTALLY_COUNT, KTALLY_SUM, 5),
	[TOTAL] = COLUMN("total_ns", "TOTAL", "their durations added up", KTALLY_NS, KTALLY_SUM, 8),
	[MEAN] = COLUMN("mean_ns", "MEAN", "mean duration", KTALLY_NS, KTALLY_SAME, 8),
	[MIN] = COLUMN("min_ns", "MIN", "shortest", KTALLY_NS, KTALLY_MIN, 8),
	[P25] = COLUMN("p25_ns", "P25", "first quartile (type 7, as in R and NumPy)", KTALLY_NS, KTALLY_SAME, 8),
	[MEDIAN] = COLUMN("median_ns", "MEDIAN", "median", KTALLY_NS, KTALLY_SAME, 8),
	[P75] = COLUMN("p75_ns", "P75", "third quartile", KTALLY_NS, KTALLY_SAME, 8),
	[MAX] = COLUMN("max_ns", "MAX", "longest", KTALLY_NS, KTALLY_MAX, 8),
	[SD] = COLUMN("sd_ns", "SD", "standard deviation of the sample; from two runs on", KTALLY_NS, KTALLY_SAME, 8),
	[SHARE] = COLUMN("share_percent", "SHARE", "total as a share of the recorded time; side by side it passes 100", KTALLY_PERCENT, KTALLY_SUM, 6),
	[SELF] = COLUMN("self_ns", "SELF", "of the total, with none of its children running", KTALLY_NS, KTALLY_SUM, 8),
	[CPU] = COLUMN("cpu_ns", "CPU", "CPU time of all these runs", KTALLY_NS, KTALLY_SUM, 8),
	[PEAK] = COLUMN("peak_rss_bytes", "PEAK", "highest peak memory of a run", KTALLY_BYTES, KTALLY_MAX, 6),
	[READ] = COLUMN("read_bytes", "READ", "bytes fetched from storage", KTALLY_BYTES, KTALLY_SUM, 6),
	[WRITE] = COLUMN("write_bytes", "WRITE", "bytes sent to storage", KTALLY_BYTES, KTALLY_SUM, 6),
	[RCHAR] = COLUMN("rchar_bytes", "RCHAR", "bytes through read calls", KTALLY_BYTES, KTALLY_SUM, 6),
	[WCHAR] = COLUMN("wchar_bytes", "WCHAR", "bytes through write calls", KTALLY_BYTES, KTALLY_SUM, 6),
	[RX] = COLUMN("rx_wire_bytes", "RX", "bytes received over physical devices, headers included; of processes that executed nothing else", KTALLY_BYTES, KTALLY_SUM, 6),
	[TX] = COLUMN("tx_wire_bytes", "TX", "bytes sent over physical devices, the same way", KTALLY_BYTES, KTALLY_SUM, 6),
	[MAJFLT] = COLUMN("majflt", "MAJFLT", "page faults that waited for storage", KTALLY_COUNT, KTALLY_SUM, 6),
	[FAILED_RUNS] = COLUMN("failed", "FAILED", "runs that ended with a status other than 0", KTALLY_COUNT, KTALLY_SUM, 6),
	[EXITS] = COLUMN("exits", "EXITS", "their statuses or signals, and how often each: 1:3 TERM:2", KTALLY_TEXT, KTALLY_SAME, -10),
	[UNFINISHED] = COLUMN("unfinished", "OPEN", "runs whose beginning or end was not seen; in no statistics", KTALLY_COUNT, KTALLY_SUM, 4),
	[NAME] = COLUMN("command", "COMMAND", "the key of --by", KTALLY_TEXT, KTALLY_SAME, 0),
	[NAME_ARGV] = COLUMN("command", "COMMAND", "the key of --by", KTALLY_ARGV, KTALLY_SAME, 0),
};

const struct commands_columns counts_columns = {
	.schema = "ktally.commands/1",
	.usual = "runs,total_ns,mean_ns,min_ns,p25_ns,median_ns,p75_ns,max_ns,cpu_ns,peak_rss_bytes,"
		 "failed,command",
	.narrow = "runs,total_ns,median_ns,max_ns,cpu_ns,failed,command",
	.sort = "-total_ns",
	.fields = fields,
	.n = COLUMNS,
};

/* ---- statuses of what failed ---- */

static int by_status(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Codes in front, by number; then signals. A core dump is no other end. */
static uint64_t rank(uint32_t status)
{
	return status & 0x7f ? 0x10000 | (status & 0x7f) : status >> 8 & 0xff;
}

static void put_status(FILE *f, uint64_t rank, size_t times)
{
	char name[16];

	if (rank & 0x10000) {
		text_signal(name, sizeof(name), (int)(rank & 0x7f));
		fprintf(f, "%s:%zu", name, times);
	} else {
		fprintf(f, "%llu:%zu", (unsigned long long)rank, times);
	}
}

static void put_statuses(FILE *f, uint64_t *ranks, size_t n)
{
	qsort(ranks, n, sizeof(*ranks), by_status);
	for (size_t i = 0, times; i < n; i += times) {
		for (times = 1; i + times < n && ranks[i + times] == ranks[i];)
			times++;
		if (i)
			putc(' ', f);
		put_status(f, ranks[i], times);
	}
}

/* NULL: no memory. */
static char *exits_of(const struct ktally_command *c)
{
	uint64_t *ranks = calloc(c->failed + 1, sizeof(*ranks));
	char *text = NULL;
	size_t n = 0, len;
	FILE *f;

	for (size_t i = 0; ranks && i < c->stats.n; i++)
		if (c->runs[i].failed)
			ranks[n++] = rank(c->runs[i].life->status);
	f = ranks ? open_memstream(&text, &len) : NULL;
	if (f) {
		put_statuses(f, ranks, n);
		if (fclose(f)) {
			free(text);
			text = NULL;
		}
	}
	free(ranks);
	return text;
}

/* All that is known of it is that it was there before; the line below counts those. */
static bool only_older(const struct ktally_command *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (ktally_run_image(&c->runs[i])->begin_known)
			return false;
	return true;
}

int counts_make(struct counts *c, struct reading *r, const struct ktally_runs *runs, bool older)
{
	const struct ktally_command *all;
	size_t n = ktally_runs_commands(runs, &all);

	*c = (struct counts){ .reading = r };
	c->commands = calloc(n + 1, sizeof(*c->commands));
	c->exits = calloc(n + 1, sizeof(*c->exits));
	for (size_t i = 0; c->commands && c->exits && i < n; i++) {
		if (!older && only_older(&all[i]))
			continue;
		c->exits[c->n] = exits_of(&all[i]);
		if (!c->exits[c->n])
			return say_error(FAILED, "out of memory");
		c->commands[c->n++] = &all[i];
	}
	return c->commands && c->exits ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

void counts_free(struct counts *c)
{
	for (size_t i = 0; c->exits && i < c->n; i++)
		free(c->exits[i]);
	free(c->exits);
	free(c->commands);
}

/* ---- values ---- */

struct ktally_value commands_text(struct ktally_str s)
{
	struct ktally_value v = { .type = s.p ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN, .t = s };

	return v;
}

struct ktally_value commands_known(bool known, uint64_t u)
{
	struct ktally_value v = out_u64(u);

	if (!known)
		v.type = KTALLY_V_UNKNOWN;
	return v;
}

/* Figures of durations: there are none without a whole run. */
static struct ktally_value of_runs(const struct ktally_stats *s, bool known, double d)
{
	struct ktally_value v = { .type = KTALLY_V_DOUBLE, .d = d };

	if (!s->n || !known)
		v.type = KTALLY_V_UNKNOWN;
	return v;
}

static struct ktally_value share(const struct counts *c, const struct ktally_stats *s)
{
	const struct ktally_stream_info *info = c->reading->info;
	double whole = (double)(info->last_time - info->first_time);

	return of_runs(s, whole > 0, whole > 0 ? 100 * s->total / whole : 0);
}

static struct ktally_value use(const struct ktally_command *c, enum ktally_usage what)
{
	const __u64 *all = &c->use.utime;	/* in the order of enum ktally_usage */
	struct ktally_value v = commands_known(c->use.known >> what & 1, all[what]);

	v.lower = c->partly >> what & 1;
	v.upper = !v.lower && c->use.upper >> what & 1;
	return v;
}

static struct ktally_value network(const struct ktally_command *c, bool tx)
{
	struct ktally_value v = c->network[tx];

	if (v.lower)
		v.upper = false;
	return v;
}

/* The ash profiler's files, say, have no statuses. */
static bool is_judged(const struct ktally_command *c)
{
	return c->judged || !c->stats.n;
}

static struct ktally_value failures(const struct ktally_command *c)
{
	struct ktally_value v = commands_known(is_judged(c), c->failed);

	v.lower = c->judged < c->stats.n;
	return v;
}

struct ktally_value counts_value(void *of, size_t row, const struct ktally_field *f)
{
	const struct counts *c = of;
	const struct ktally_command *cmd = c->commands[row];
	const struct ktally_stats *s = &cmd->stats;

	switch ((enum column)(f - fields)) {
	case RUNS:		return out_u64(s->n);
	case TOTAL:		return of_runs(s, true, s->total);
	case MEAN:		return of_runs(s, true, s->mean);
	case MIN:		return of_runs(s, true, s->min);
	case P25:		return of_runs(s, true, s->p25);
	case MEDIAN:		return of_runs(s, true, s->median);
	case P75:		return of_runs(s, true, s->p75);
	case MAX:		return of_runs(s, true, s->max);
	case SD:		return of_runs(s, s->has_sd, s->sd);
	case SHARE:		return share(c, s);
	case SELF:		return commands_known(s->n, cmd->self);
	case CPU:		return use(cmd, KTALLY_U_RUNTIME);
	case PEAK:		return use(cmd, KTALLY_U_PEAK_RSS);
	case READ:		return use(cmd, KTALLY_U_READ_BYTES);
	case WRITE:		return use(cmd, KTALLY_U_WRITE_BYTES);
	case RCHAR:		return use(cmd, KTALLY_U_RCHAR);
	case WCHAR:		return use(cmd, KTALLY_U_WCHAR);
	case MAJFLT:		return use(cmd, KTALLY_U_MAJFLT);
	case RX:		return network(cmd, false);
	case TX:		return network(cmd, true);
	case FAILED_RUNS:	return failures(cmd);
	case EXITS:		return is_judged(cmd) ? out_text(c->exits[row]) : commands_known(false, 0);
	case UNFINISHED:	return out_u64(cmd->n - s->n);
	default:		return commands_text(cmd->name);
	}
}
