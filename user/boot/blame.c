// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blame.c - which commands, or which of systemd's units, took longest.
 *
 * A row is one run: an image from its exec to the next exec or the end of its process.
 * What still ran when the boot was over held nobody up and is left out, unless asked
 * for. A parent's time holds its children's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "cmd.h"
#include "out/text.h"

enum { MOSTLY = 50, LINE = 4096 };	/* per cent of waiting that is worth a word */

struct run {
	const struct ktally_life *life;
	size_t image;
	uint64_t from, to;
	bool over;			/* ended before the boot did */
	bool cpu_known;
	uint64_t cpu;
};

struct unit_row {
	const struct unit *unit;
	uint64_t cpu, processes, first, last;	/* first start, last end of its processes; 0 = none */
};

struct blame {
	struct boot_view v;
	const struct boot_args *args;
	struct run *runs;
	struct unit_row *units;
	size_t n;
	size_t room;			/* for a command on this terminal */
	char text[LINE];		/* being made */
};

enum run_column { R_TIME, R_CPU, R_WAITING, R_PID, R_PPID, R_FROM, R_TO, R_STATE, R_STATUS, R_PEAK,
		  R_STARTER, R_UNIT, R_ARGV, R_CPU_WORDS, R_LINE, R_COLUMNS, R_PLAIN = R_CPU_WORDS };

static const struct ktally_field run_fields[R_COLUMNS] = {
	[R_TIME] = COLUMN("time_ns", "TIME", "from its exec to its end, the end of the boot at the latest", KTALLY_NS, KTALLY_SUM, 8),
	[R_CPU] = COLUMN("cpu_ns", "CPU", "its own CPU time", KTALLY_NS, KTALLY_SUM, 8),
	[R_WAITING] = COLUMN("waiting_percent", "WAITING", "of its time it used no CPU: waited for children, disk, others", KTALLY_PERCENT, KTALLY_SAME, 7),
	[R_PID] = COLUMN("pid", "PID", "process", KTALLY_ID, KTALLY_SAME, 7),
	[R_PPID] = COLUMN("ppid", "PPID", "its parent at birth", KTALLY_ID, KTALLY_SAME, 7),
	[R_FROM] = COLUMN("from_ns", "FROM", "exec, since the kernel's start", KTALLY_TIME, KTALLY_MIN, 9),
	[R_TO] = COLUMN("to_ns", "TO", "next exec or end", KTALLY_TIME, KTALLY_MAX, 9),
	[R_STATE] = COLUMN("state", "STATE", "ended, or running when the boot was over", KTALLY_TEXT, KTALLY_SAME, -7),
	[R_STATUS] = COLUMN("status", "EXIT", "how it ended, as wait() sees it", KTALLY_STATUS, KTALLY_SAME, 4),
	[R_PEAK] = COLUMN("peak_rss_bytes", "PEAK", "its peak memory", KTALLY_BYTES, KTALLY_MAX, 7),
	[R_STARTER] = COLUMN("started_by", "BY", "the program that started it", KTALLY_TEXT, KTALLY_SAME, -10),
	[R_UNIT] = COLUMN("unit", "UNIT", "systemd's unit", KTALLY_TEXT, KTALLY_SAME, -20),
	[R_ARGV] = COLUMN("argv", "COMMAND", "exact command", KTALLY_ARGV, KTALLY_SAME, 0),
	/* For the table alone: what people read. */
	[R_CPU_WORDS] = COLUMN("cpu", "CPU", "cpu_ns in words", KTALLY_TEXT, KTALLY_SAME, -12),
	[R_LINE] = COLUMN("command", "COMMAND", "argv, and waiting_percent where it is most of the time", KTALLY_TEXT, KTALLY_SAME, 0),
};

/* ---- commands ---- */

static bool last_image(const struct run *r)
{
	return r->image + 1 == r->life->n_images;
}

static int waiting(const struct run *r)
{
	double time = (double)(r->to - r->from);

	if (!r->cpu_known || r->to <= r->from || (double)r->cpu >= time)
		return 0;
	return (int)(100.0 * (1.0 - (double)r->cpu / time) + 0.5);
}

/* Rows are sorted and written later: the text stays. */
static struct ktally_value text_of(struct blame *b, size_t n)
{
	const char *kept = arena_copy(&b->v.boot.arena, b->text, n);

	return (struct ktally_value){ .type = kept ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN,
				      .t = { kept, (uint32_t)n } };
}

static struct ktally_value cpu_words(struct blame *b, const struct run *r)
{
	size_t n;

	if (!r->cpu_known)
		return out_text("cpu -");
	n = (size_t)snprintf(b->text, sizeof(b->text), "cpu ");
	n += text_span(b->text + n, sizeof(b->text) - n, r->cpu);
	return text_of(b, n);
}

/* The command is cut, not what stands behind it. */
static size_t cut(struct blame *b, size_t n, size_t behind)
{
	const char *mark = text_glyphs()->cut;

	if (text_width(b->text, n) + behind <= b->room)
		return n;
	n = text_fit(b->text, n, b->room - behind - text_width(mark, strlen(mark)));
	memcpy(b->text + n, mark, strlen(mark));
	return n + strlen(mark);
}

static struct ktally_value line(struct blame *b, const struct run *r)
{
	struct ktally_value argv = boot_argv(&r->life->images[r->image]);
	size_t n = 0, room = sizeof(b->text) - 64, words = 0;
	char tail[32];

	if (argv.type == KTALLY_V_TEXT)
		n = text_quote_argv(b->text, room, argv.t.p, argv.t.len, TEXT_FOR_PEOPLE);
	if (r->cpu_known && waiting(r) >= MOSTLY)
		words = (size_t)snprintf(tail, sizeof(tail), "   waiting %d%%", waiting(r));
	n = cut(b, n, words);
	memcpy(b->text + n, tail, words);
	return text_of(b, n + words);
}

static struct ktally_value peak_of(const struct run *r)
{
	struct ktally_use use;
	struct ktally_value v;

	ktally_image_use(r->life, r->image, &use);
	v = boot_known(use.known >> KTALLY_U_PEAK_RSS & 1, use.peak_rss);
	v.upper = use.upper >> KTALLY_U_PEAK_RSS & 1;
	return v;
}

static struct ktally_value unit_name(const struct blame *b, const struct ktally_life *l)
{
	struct ktally_str id = boot_unit_of(&b->v.boot, l);

	return (struct ktally_value){ .type = id.len ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN, .t = id };
}

static struct ktally_value run_value(void *of, size_t row, const struct ktally_field *f)
{
	struct blame *b = of;
	const struct run *r = &b->runs[row];
	bool ended = last_image(r) && r->life->state == KTALLY_ENDED;

	switch ((enum run_column)(f - run_fields)) {
	case R_TIME:	return out_u64(r->to - r->from);
	case R_CPU:	return boot_known(r->cpu_known, r->cpu);
	case R_WAITING:	return boot_known(r->cpu_known && r->to > r->from, (uint64_t)waiting(r));
	case R_PID:	return out_u64(r->life->tgid);
	case R_PPID:	return out_u64(r->life->ppid);
	case R_FROM:	return out_u64(r->from);
	case R_TO:	return boot_known(r->over, r->to);
	case R_STATE:	return out_text(r->over ? "ended" : "running");
	case R_STATUS:	return boot_known(ended, r->life->status);
	case R_PEAK:	return peak_of(r);
	case R_STARTER:	return boot_starter(r->life);
	case R_UNIT:	return unit_name(b, r->life);
	case R_ARGV:	return boot_argv(&r->life->images[r->image]);
	case R_CPU_WORDS: return cpu_words(b, r);
	default:	return line(b, r);
	}
}

static void add_run(struct blame *b, const struct ktally_life *l, size_t i)
{
	const struct ktally_image *im = &l->images[i];
	uint64_t end = boot_image_end(&b->v.boot, l, i), over = b->v.boot.end.time;
	struct run *r = &b->runs[b->n];
	struct ktally_use use;

	if (!im->has_exec || im->begin >= over)
		return;
	*r = (struct run){ .life = l, .image = i, .from = im->begin,
			   .to = end < over ? end : over, .over = im->end && end <= over };
	if (!r->over && !b->args->all)
		return;
	if (b->args->least.set && r->to - r->from < b->args->least.ns)
		return;
	ktally_image_use(l, i, &use);
	r->cpu_known = use.known >> KTALLY_U_RUNTIME & 1;
	r->cpu = use.runtime;
	b->n++;
}

static int collect_runs(struct blame *b)
{
	const struct boot *boot = &b->v.boot;
	size_t room = 1;

	for (size_t i = 0; i < boot->n_lives; i++)
		room += boot->lives[i]->n_images;
	b->runs = calloc(room, sizeof(*b->runs));
	if (!b->runs)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < boot->n_lives; i++)
		for (size_t k = 0; k < boot->lives[i]->n_images; k++)
			add_run(b, boot->lives[i], k);
	return OPT_GO_ON;
}

/* On a terminal: what the columns before the command leave, at the widest. */
static size_t room_for_command(const struct blame *b)
{
	size_t width = show_width(&b->args->show), starter = 0;
	enum { TIME_AND_CPU = 8 + 2 + 12 + 2, BLANKS = 2, LEAST = 32 };

	if (width == SIZE_MAX || b->args->show.out.wide || b->args->show.columns)
		return SIZE_MAX;
	for (size_t i = 0; i < b->n; i++) {
		struct ktally_value v = boot_starter(b->runs[i].life);
		size_t w = v.type == KTALLY_V_TEXT ? text_width(v.t.p, v.t.len) : 1;

		starter = w > starter ? w : starter;
	}
	starter += TIME_AND_CPU + BLANKS;
	return width > starter + LEAST ? width - starter : LEAST;
}

static int show_runs(struct blame *b)
{
	const struct ktally_field *all[R_COLUMNS];
	bool table = b->args->show.out.format == OUT_TABLE;
	struct boot_args args = *b->args;
	struct boot_rows rows = { .src = {
		.schema = "ktally.boot-blame/1", .fields = all,
		.n_fields = table ? R_COLUMNS : R_PLAIN,
		.columns = "time_ns,cpu,started_by,command", .sort = "-time_ns",
		.value = run_value, .of = b } };
	int status = collect_runs(b);

	if (status != OPT_GO_ON)
		return status;
	/* As systemd-analyze: the words say what the columns are. */
	if (table && !args.show.columns)
		args.show.out.human = args.show.out.no_header = true;
	rows.src.n_rows = b->n;
	b->room = room_for_command(b);
	for (size_t i = 0; i < R_COLUMNS; i++)
		all[i] = &run_fields[i];
	return boot_show(&args, &b->v, &rows);
}

/* ---- units ---- */

enum unit_column { U_TIME, U_BEGIN, U_ACTIVE, U_FIRST, U_LAST, U_CPU, U_PROCESSES, U_UNIT, U_COLUMNS };

static const struct ktally_field unit_fields[U_COLUMNS] = {
	[U_TIME] = COLUMN("time_ns", "TIME", "from its begin to active, as systemd-analyze blame", KTALLY_NS, KTALLY_SUM, 8),
	[U_BEGIN] = COLUMN("begin_ns", "BEGIN", "when systemd began to start it", KTALLY_TIME, KTALLY_MIN, 9),
	[U_ACTIVE] = COLUMN("active_ns", "ACTIVE", "when systemd had it active", KTALLY_TIME, KTALLY_MAX, 9),
	[U_FIRST] = COLUMN("first_ns", "FIRST", "first start of a process of it", KTALLY_TIME, KTALLY_MIN, 9),
	[U_LAST] = COLUMN("last_ns", "LAST", "last end of a process of it", KTALLY_TIME, KTALLY_MAX, 9),
	[U_CPU] = COLUMN("cpu_ns", "CPU", "CPU time of its processes", KTALLY_NS, KTALLY_SUM, 8),
	[U_PROCESSES] = COLUMN("processes", "PROCS", "its processes", KTALLY_COUNT, KTALLY_SUM, 5),
	[U_UNIT] = COLUMN("unit", "UNIT", "its name", KTALLY_TEXT, KTALLY_SAME, 0),
};

static struct ktally_value unit_value(void *of, size_t row, const struct ktally_field *f)
{
	const struct blame *b = of;
	const struct unit_row *r = &b->units[row];
	bool both = r->unit->begin && r->unit->active >= r->unit->begin;

	switch ((enum unit_column)(f - unit_fields)) {
	case U_TIME:	return boot_known(both, r->unit->active - r->unit->begin);
	case U_BEGIN:	return boot_known(r->unit->begin, r->unit->begin);
	case U_ACTIVE:	return boot_known(r->unit->active, r->unit->active);
	case U_FIRST:	return boot_known(r->first, r->first);
	case U_LAST:	return boot_known(r->last, r->last);
	case U_CPU:	return boot_known(r->processes, r->cpu);
	case U_PROCESSES: return out_u64(r->processes);
	default:	return out_text(r->unit->id);
	}
}

static void add_to_unit(struct blame *b, const struct ktally_life *l)
{
	struct ktally_str id = boot_unit_of(&b->v.boot, l);
	const struct units *all = &b->v.boot.units;
	const struct unit *u = id.len ? units_find(all, id.p, id.len) : NULL;
	struct unit_row *r = u ? &b->units[u - all->all] : NULL;

	if (!r)
		return;
	r->processes++;
	r->cpu += l->use.known >> KTALLY_U_RUNTIME & 1 ? l->use.runtime : 0;
	if (!r->first || l->start < r->first)
		r->first = l->start;
	if (l->state == KTALLY_ENDED && l->end > r->last)
		r->last = l->end;
}

static int show_units(struct blame *b)
{
	const struct ktally_field *all[U_COLUMNS];
	struct boot_rows rows = { .src = {
		.schema = "ktally.boot-units/1", .fields = all, .n_fields = U_COLUMNS,
		.columns = "time_ns,begin_ns,active_ns,cpu_ns,processes,unit", .sort = "-time_ns",
		.value = unit_value, .of = b, .n_rows = b->v.boot.units.n } };

	if (!b->v.boot.units.n)
		return say_error(NOTHING_MATCHED, "boot blame --units: this recording carries nothing of systemd; 'ktally boot save' puts it there");
	b->units = calloc(b->v.boot.units.n, sizeof(*b->units));
	if (!b->units)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < b->v.boot.units.n; i++)
		b->units[i].unit = &b->v.boot.units.all[i];
	for (size_t i = 0; i < b->v.boot.n_lives; i++)
		add_to_unit(b, b->v.boot.lives[i]);
	for (size_t i = 0; i < U_COLUMNS; i++)
		all[i] = &unit_fields[i];
	return boot_show(b->args, &b->v, &rows);
}

int boot_blame(const struct boot_args *args)
{
	struct blame b = { .args = args };
	int status = boot_open(&b.v, args, &args->in);

	if (status != OPT_GO_ON)
		return status;
	if (args->by)
		status = boot_commands_show(&b.v, args);
	else
		status = args->units ? show_units(&b) : show_runs(&b);
	free(b.runs);
	free(b.units);
	boot_close(&b.v);
	return status;
}
