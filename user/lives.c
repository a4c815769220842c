// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives.c - rows of processes, or of groups of them, and the lines below.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "devices.h"
#include "lives.h"
#include "out/text.h"

const char *lives_columns(enum ktally_key key)
{
	if (key == KTALLY_BY_PROCESS)
		return "pid,start_ns,life_ns,cpu_ns,peak_rss_bytes,rx,tx,status,argv";
	/* What passed a veth and what passed a card stand side by side there. */
	if (key == KTALLY_BY_CONTAINER || key == KTALLY_BY_NETNS)
		return "count,cpu_ns,peak_rss_bytes,rx_wire_bytes,tx_wire_bytes,virt_rx_wire_bytes,virt_tx_wire_bytes,key";
	return "count,failed,life_ns,cpu_ns,peak_rss_bytes,rx,tx,key";
}

/* What is yes or no of one process is a number of processes in a group. */
static void copy_fields(struct lives *l, const struct ktally_field *all, size_t n)
{
	memcpy(l->own, all, n * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		if (l->key != KTALLY_BY_PROCESS && l->own[i].unit == KTALLY_BOOL)
			l->own[i].unit = KTALLY_COUNT;
		l->fields[l->n_fields++] = &l->own[i];
	}
}

int lives_fields(struct lives *l, enum ktally_key key)
{
	const struct ktally_field *all;
	size_t n = ktally_fields(&all);

	l->key = key;
	l->name = (struct ktally_field){
		.name = "key", .title = "KEY", .help = "what the processes have in common",
		.unit = key == KTALLY_BY_COMMAND ? KTALLY_ARGV : KTALLY_TEXT, .sum = KTALLY_SAME,
	};
	l->bounds = (struct ktally_field){
		.name = "bounds", .title = "BOUNDS", .width = -10,
		.help = "which of the columns before are only bounds: name<= or name>=",
		.unit = KTALLY_TEXT, .sum = KTALLY_SAME,
	};
	l->rx = (struct ktally_field){
		.name = "rx", .title = "RX", .width = 8, .unit = KTALLY_BYTES, .sum = KTALLY_SUM,
		.help = "in tables: bytes received over physical devices; if none v: virtual ones, if none lo: loopback",
	};
	l->tx = l->rx;
	l->tx.name = "tx";
	l->tx.title = "TX";
	l->tx.help = "the same of bytes sent";
	l->fields = calloc(n + 4, sizeof(*l->fields));
	l->own = calloc(n, sizeof(*l->own));
	if (!l->fields || !l->own)
		return say_error(FAILED, "out of memory");
	copy_fields(l, all, n);
	l->fields[l->n_fields++] = &l->bounds;
	if (key != KTALLY_BY_PROCESS)
		l->fields[l->n_fields++] = &l->name;
	l->fields[l->n_fields++] = &l->rx;
	l->fields[l->n_fields++] = &l->tx;
	return OPT_GO_ON;
}

int lives_make(struct lives *l, struct reading *r, enum ktally_key key, struct sel_match *match)
{
	int status;

	memset(l, 0, sizeof(*l));
	l->reading = r;
	status = lives_fields(l, key);
	if (status != OPT_GO_ON)
		return status;
	l->groups = ktally_groups_make(&r->ctx, key, sel_want, match);
	return l->groups ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

void lives_free(struct lives *l)
{
	ktally_groups_free(l->groups);
	free(l->fields);
	free(l->own);
	free(l->text);
}

size_t lives_count(const struct lives *l)
{
	return ktally_groups_count(l->groups);
}

/* " name<=" behind the others, once. */
static void add_bound(struct lives *l, const char *name, const char *sign)
{
	size_t need = l->n_text + strlen(name) + strlen(sign) + 2;
	char word[80];

	if (need > l->room) {
		char *text = realloc(l->text, 2 * need);

		if (!text)
			return;
		l->text = text;
		l->room = 2 * need;
	}
	snprintf(word, sizeof(word), "%s%s", name, sign);
	l->text[l->n_text] = '\0';
	if (l->n_text && strstr(l->text, word))
		return;		/* the row was sorted by it */
	l->n_text += (size_t)snprintf(l->text + l->n_text, l->room - l->n_text, "%s%s",
				      l->n_text ? " " : "", word);
}

/* Bounds are gathered as a row's values are asked for: `bounds` speaks of the columns before it. */
static void note_bound(struct lives *l, size_t row, const struct ktally_field *f,
		       const struct ktally_value *v)
{
	if (row != l->row || !l->n_text) {
		l->row = row;
		l->n_text = 0;
	}
	/* At most 0 is 0. */
	if (v->type == KTALLY_V_UNKNOWN || (v->type == KTALLY_V_U64 && !v->u && !v->lower))
		return;
	if (v->upper || v->lower)
		add_bound(l, f->name, v->upper ? "<=" : ">=");
}

static struct ktally_value bounds_of(const struct lives *l, size_t row)
{
	return out_text(row == l->row && l->n_text ? l->text : "");
}

static struct ktally_value name_of(const struct ktally_group *g)
{
	struct ktally_value v = { .type = KTALLY_V_TEXT, .t = ktally_group_name(g) };

	if (!v.t.p)
		v.type = KTALLY_V_UNKNOWN;
	return v;
}

/* "[kworker/0:1]": the name of what has no command line, as ps shows it. */
static struct ktally_value bracketed(struct lives *l, const struct ktally_group *g)
{
	struct ktally_value v = ktally_group_value(g, ktally_field_find("comm"), &l->reading->ctx);

	if (v.type != KTALLY_V_TEXT || !v.t.len)
		return v;
	v.t.len = (uint32_t)snprintf(l->bracketed, sizeof(l->bracketed), "[%.*s]", (int)v.t.len, v.t.p);
	v.t.p = l->bracketed;
	return v;
}

/* Classes are never added up, but bytes over loopback alone must not look like none. */
static struct ktally_value first_class(struct lives *l, const struct ktally_group *g, bool tx)
{
	static const struct { const char *mark, *field[2]; } class[] = {
		{ NULL, { "rx_wire_bytes", "tx_wire_bytes" } },
		{ "v:", { "virt_rx_wire_bytes", "virt_tx_wire_bytes" } },
		{ "lo:", { "loop_rx_wire_bytes", "loop_tx_wire_bytes" } },
	};
	struct ktally_value first, v;

	for (size_t i = 0; i < sizeof(class) / sizeof(class[0]); i++) {
		v = ktally_group_value(g, ktally_field_find(class[i].field[tx]), &l->reading->ctx);
		if (!i)
			first = v;
		if (v.type != KTALLY_V_U64 || !v.u)
			continue;
		v.mark = class[i].mark;
		return v;
	}
	return first;
}

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	struct lives *l = of;
	const struct ktally_group *g = ktally_groups_at(l->groups, row);
	struct ktally_value v;

	if (f == &l->name)
		return name_of(g);
	if (f == &l->bounds)
		return bounds_of(l, row);
	if (f == &l->rx || f == &l->tx)
		return first_class(l, g, f == &l->tx);
	v = ktally_group_value(g, f, &l->reading->ctx);
	note_bound(l, row, f, &v);
	if (l->for_people && f->unit == KTALLY_ARGV && v.type == KTALLY_V_UNKNOWN)
		return bracketed(l, g);
	return v;
}

struct out_clock lives_clock(const struct reading *r)
{
	return (struct out_clock){
		.zero = r->info->first_time,
		.real = (int64_t)(r->info->realtime - r->info->boottime),
		.cpus = r->info->has_info ? r->info->info.cpus : r->info->cpus,
	};
}

void lives_source(struct lives *l, const struct show *show, struct show_source *src)
{
	l->for_people = show->out.format == OUT_TABLE;
	*src = (struct show_source){
		.schema = "ktally.report/1",
		.fields = l->fields,
		/* rx and tx are for eyes: their class differs from row to row. */
		.n_fields = l->for_people ? l->n_fields : l->n_fields - 2,
		.columns = lives_columns(l->key),
		.sort = l->key == KTALLY_BY_PROCESS ? NULL : "-cpu_ns",
		.n_rows = lives_count(l),
		.value = value,
		.of = l,
		.clock = lives_clock(l->reading),
	};
}

int lives_none(const struct reading *r, const struct sel_match *match)
{
	const struct ktally_life *const *lives;
	size_t n = ktally_model_lives(r->model, (struct ktally_life *const **)&lives);
	char count[32];

	if (sel_empty(match))
		return say_error(NOTHING_MATCHED, "no process in this recording%s",
				 n ? " but kernel threads or other trees: -a shows them" : "");
	return say_error(NOTHING_MATCHED, "none of the %s processes here was meant; without names and options all are shown, with -a really all",
			 say_count(count, n));
}

/* Sums over the wanted lives; NULL: no memory, or there is none. */
static const struct ktally_group *all_of(const struct ktally_groups *all)
{
	return all && ktally_groups_count(all) ? ktally_groups_at(all, 0) : NULL;
}

static uint64_t sum_of(struct reading *r, const struct ktally_group *all, const char *field)
{
	struct ktally_value v = { .type = KTALLY_V_UNKNOWN };

	if (all)
		v = ktally_group_value(all, ktally_field_find(field), &r->ctx);
	return v.type == KTALLY_V_U64 ? v.u : 0;
}

static void total_line(struct out *o, struct reading *r, const struct ktally_group *all, uint64_t lost)
{
	const char *dot = text_glyphs()->dot;
	char line[512], count[32], span[32], cpu[32], lost_text[32], network[128];
	const struct ktally_life *const *lives;
	size_t n = all ? ktally_group_lives(all, &lives) : 0;

	text_span(span, sizeof(span), r->info->last_time - r->info->first_time);
	text_span(cpu, sizeof(cpu), sum_of(r, all, "cpu_ns"));
	devices_remainder(r, network, sizeof(network));
	snprintf(line, sizeof(line), "%s process%s in %s %s %s CPU %s lost %s%s%s%s%s", say_count(count, n),
		 n == 1 ? "" : "es", span, dot, cpu, dot, say_count(lost_text, lost),
		 *network ? " " : "", *network ? dot : "", *network ? " " : "", network);
	out_line(o, line);
}

/* What went over each class, as soon as there is more than physical devices. */
static void classes_line(struct out *o, struct reading *r, const struct ktally_group *all)
{
	static const struct { const char *name, *rx, *tx; } class[] = {
		{ "physical", "rx_wire_bytes", "tx_wire_bytes" },
		{ "virtual (v:)", "virt_rx_wire_bytes", "virt_tx_wire_bytes" },
		{ "loopback (lo:)", "loop_rx_wire_bytes", "loop_tx_wire_bytes" },
	};
	char line[256] = "received/sent:", sep[8];
	size_t at = strlen(line);
	bool wanted = false;

	snprintf(sep, sizeof(sep), " %s", text_glyphs()->dot);
	for (size_t i = 0; i < sizeof(class) / sizeof(class[0]); i++) {
		uint64_t rx = sum_of(r, all, class[i].rx), tx = sum_of(r, all, class[i].tx);
		char in[32], out[32];

		if (!rx && !tx)
			continue;
		wanted |= i > 0;
		text_bytes(in, sizeof(in), rx);
		text_bytes(out, sizeof(out), tx);
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%s %s %s/%s",
				       at > strlen("received/sent:") ? sep : "", class[i].name, in, out);
	}
	if (wanted)
		out_line(o, line);
}

static size_t add_term(char *line, size_t room, size_t at, const char *sign, uint64_t n,
		       const char *what)
{
	char count[32];

	if (!n || at >= room)
		return at;
	return at + (size_t)snprintf(line + at, room - at, " %s %s %s", sign, say_count(count, n), what);
}

/* dumped + forks = exits + alive + lost: terms beyond the usual ones only when they are not 0. */
static void balance_line(struct out *o, const struct ktally_balance *b)
{
	char line[512], a[32], c[32], d[32], e[32];
	size_t at, room = sizeof(line);

	at = (size_t)snprintf(line, room, "balance: %s dumped + %s forks", say_count(a, b->dumped),
			      say_count(c, b->forks));
	at = add_term(line, room, at, "+", b->older, "older");
	at = add_term(line, room, at, "+", b->never_seen, "older, never seen");
	at = add_term(line, room, at, "+", b->entered, "selected later");
	at = add_term(line, room, at, "+", b->lost[KTALLY_FORK], "forks lost");
	at += (size_t)snprintf(line + at, room - at, " = %s exits + %s alive", say_count(d, b->exits),
			       say_count(e, b->running));
	at = add_term(line, room, at, "+", b->end_unseen, "ended unseen");
	if (b->lost[KTALLY_EXIT])
		at = add_term(line, room, at, "+", b->lost[KTALLY_EXIT], "exits lost");
	else
		at += (size_t)snprintf(line + at, room - at, " + 0 lost");
	at = add_term(line, room, at, "+", b->missed_ends, "missed by the kprobe");
	at = add_term(line, room, at, "+", b->unknown_ends, "of unknown end");
	if (!b->checked)
		at += (size_t)snprintf(line + at, room - at, " (the recording has no end, so this is not checked)");
	else if (b->difference && b->filtered_total)
		at += (size_t)snprintf(line + at, room - at, "; the sides differ by %lld: some came into the recorded part, or left it",
				       (long long)b->difference);
	else if (b->difference)
		at += (size_t)snprintf(line + at, room - at, "; the sides differ by %lld",
				       (long long)b->difference);
	out_line(o, line);
}

/* Only a part of the machine was recorded: which, and how much was left out. */
static void selection_line(struct out *o, const struct ktally_selection *s,
			   const struct ktally_balance *b)
{
	static const struct { uint32_t bit; const char *word; } words[] = {
		{ KTALLY_SELECT_PIDS, "by PID" },
		{ KTALLY_SELECT_NAMES, "by name" },
		{ KTALLY_SELECT_TREE, "with what they start" },
		{ KTALLY_SELECT_UIDS, "by user" },
		{ KTALLY_SELECT_CGROUPS, "by cgroup" },
		{ KTALLY_SELECT_NETNS, "by network namespace" },
		{ KTALLY_SELECT_PIDNS, "by PID namespace" },
		{ KTALLY_SELECT_EXITS, "ends only" },
		{ KTALLY_SELECT_MIN_LIFE, "of lives of a certain length" },
	};
	char line[512], count[32];
	size_t at, n = 0;

	if (!s->what)
		return;
	at = (size_t)snprintf(line, sizeof(line), "selected while recording");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (s->what & words[i].bit)
			at += (size_t)snprintf(line + at, sizeof(line) - at, "%s %s", n++ ? "," : ":",
					       words[i].word);
	snprintf(line + at, sizeof(line) - at, "; %s events left out",
		 say_count(count, b->filtered_total));
	out_line(o, line);
}

/* By kind, only when there is something to say. */
static void lost_line(struct out *o, const struct ktally_balance *b)
{
	char line[512], count[32];
	size_t at;

	if (!b->lost_total)
		return;
	at = (size_t)snprintf(line, sizeof(line), "lost on full buffers:");
	for (uint32_t kind = 0; kind < KTALLY_KINDS; kind++)
		if (b->lost[kind] && at < sizeof(line))
			at += (size_t)snprintf(line + at, sizeof(line) - at, " %s %s",
					       say_count(count, b->lost[kind]),
					       ktally_kind_name(kind) ? ktally_kind_name(kind) : "?");
	out_line(o, line);
}

static void balance_facts(struct out *o, const struct ktally_balance *b)
{
	const struct out_fact facts[] = {
		{ "dumped", KTALLY_COUNT, out_u64(b->dumped) },
		{ "older", KTALLY_COUNT, out_u64(b->older) },
		{ "forks", KTALLY_COUNT, out_u64(b->forks) },
		{ "exits", KTALLY_COUNT, out_u64(b->exits) },
		{ "alive", KTALLY_COUNT, out_u64(b->running) },
		{ "end_unseen", KTALLY_COUNT, out_u64(b->end_unseen) },
		{ "lost_ends", KTALLY_COUNT, out_u64(b->lost_ends) },
		{ "lost_forks", KTALLY_COUNT, out_u64(b->lost_forks) },
		{ "unknown_ends", KTALLY_COUNT, out_u64(b->unknown_ends) },
		{ "duplicates", KTALLY_COUNT, out_u64(b->duplicates) },
		{ "lost_fork_records", KTALLY_COUNT, out_u64(b->lost[KTALLY_FORK]) },
		{ "lost_exec_records", KTALLY_COUNT, out_u64(b->lost[KTALLY_EXEC]) },
		{ "lost_exit_records", KTALLY_COUNT, out_u64(b->lost[KTALLY_EXIT]) },
		{ "lost_total", KTALLY_COUNT, out_u64(b->lost_total) },
		{ "filtered_total", KTALLY_COUNT, out_u64(b->filtered_total) },
		{ "threads", KTALLY_COUNT, out_u64(b->threads) },
		{ "kprobe_missed", KTALLY_COUNT, out_u64(b->kp_missed) },
		{ "missed_ends", KTALLY_COUNT, out_u64(b->missed_ends) },
		{ "never_seen", KTALLY_COUNT, out_u64(b->never_seen) },
		{ "entered", KTALLY_COUNT, out_u64(b->entered) },
		{ "difference", KTALLY_COUNT, out_s64(b->difference) },
		{ "checked", KTALLY_BOOL, out_u64(b->checked) },
		{ "disarmed", KTALLY_BOOL, out_u64(b->disarmed) },
		{ "exact", KTALLY_BOOL, out_u64(b->checked && !b->difference && !b->lost_total &&
						 !b->kp_missed && !b->disarmed) },
	};

	out_facts(o, "balance", facts, sizeof(facts) / sizeof(facts[0]));
}

static struct ktally_value text_or_unknown(const char *text)
{
	return out_text(*text ? text : NULL);
}

static void recording_facts(struct out *o, const struct ktally_stream_info *i)
{
	const struct out_fact facts[] = {
		{ "host", KTALLY_TEXT, text_or_unknown(i->host) },
		{ "boot_id", KTALLY_TEXT, text_or_unknown(i->boot_id) },
		{ "release", KTALLY_TEXT, text_or_unknown(i->release) },
		{ "machine", KTALLY_TEXT, text_or_unknown(i->machine) },
		{ "module", KTALLY_TEXT, text_or_unknown(i->module) },
		{ "command", KTALLY_TEXT, text_or_unknown(i->command) },
		{ "load_id_ns", KTALLY_ID, out_u64(i->load_id) },
		{ "first_ns", KTALLY_ID, out_u64(i->first_time) },
		{ "last_ns", KTALLY_ID, out_u64(i->last_time) },
		{ "realtime_minus_boottime_ns", KTALLY_ID, out_s64((int64_t)(i->realtime - i->boottime)) },
		{ "cpus", KTALLY_COUNT, out_u64(i->cpus) },
		{ "records", KTALLY_COUNT, out_u64(i->records) },
		{ "bytes", KTALLY_BYTES, out_u64(i->bytes) },
		{ "missing_blocks", KTALLY_COUNT, out_u64(i->missing_blocks) },
		{ "selection", KTALLY_ID, out_u64(i->selection.what) },
	};

	out_facts(o, "recording", facts, sizeof(facts) / sizeof(facts[0]));
}

void lives_footer(struct out *o, struct reading *r, struct sel_match *match)
{
	struct ktally_groups *all;
	struct ktally_balance b;

	ktally_model_balance(r->model, &b);
	if (o->writer->facts) {
		recording_facts(o, r->info);
		balance_facts(o, &b);
		devices_facts(o, r);
		return;
	}
	all = ktally_groups_make(&r->ctx, KTALLY_BY_ALL, sel_want, match);
	total_line(o, r, all_of(all), b.lost_total);
	classes_line(o, r, all_of(all));
	ktally_groups_free(all);
	balance_line(o, &b);
	selection_line(o, &r->info->selection, &b);
	lost_line(o, &b);
}

static int view_reading(const struct view *view, struct sel_match *match)
{
	struct reading r;
	int status = reading_open(&r, view->in), missing;

	if (status != OPT_GO_ON)
		return status;
	status = sel_bind(match, r.model);
	if (status == OPT_GO_ON)
		status = view->print(view->arg, &r, match);
	/* A failure was said in one line; what is missing matters only to those who read. */
	if (status != FAILED)
		reading_warn(&r);
	missing = reading_status(&r, view->strict);
	reading_close(&r);
	/* Nothing may have matched only because it is what is missing. */
	if (status == DONE || (status == NOTHING_MATCHED && missing == FAILED))
		return missing;
	return status;
}

int view_run(const struct view *view, struct opt_rest *rest)
{
	int status = reading_take_words(view->in, rest);
	struct sel_match *match;

	if (status != OPT_GO_ON)
		return status;
	view->in->since = view->sel->since;
	view->in->until = view->sel->until;
	if (view->in->live && (view->in->since || view->in->until))
		return say_error(WRONG_USE, "--since and --until are for recordings, --live shows now; over a while: ktally stat");
	match = sel_compile(view->sel, rest->words, rest->n_words, &status);
	if (!match)
		return status;
	status = view_reading(view, match);
	sel_free(match);
	return status;
}
