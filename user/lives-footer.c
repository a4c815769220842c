// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives-footer.c - the lines below rows of processes: what they come to, whether every
 * process and every record is accounted for, and what was lost; for machine formats
 * the same as facts.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "devices.h"
#include "lives.h"
#include "out/text.h"

/* Over the wanted lives, in one group or in many: of what is known; unknown if nothing is. */
static struct ktally_value sum_of(struct reading *r, const struct ktally_groups *all, enum lives_sum which)
{
	const struct ktally_field *f = lives_sum_field(which);
	struct ktally_value sum = { .type = KTALLY_V_UNKNOWN };
	bool missing = false;

	for (size_t i = 0; all && i < ktally_groups_count(all); i++) {
		struct ktally_value v = ktally_group_value(ktally_groups_at(all, i), f, &r->ctx);

		if (v.type == KTALLY_V_U64) {
			sum.type = KTALLY_V_U64;
			sum.u += v.u;
		}
		sum.upper |= v.upper;
		missing |= v.lower || v.type != KTALLY_V_U64;
	}
	sum.lower = missing && sum.type == KTALLY_V_U64;
	return sum;
}

static size_t count_of(const struct ktally_groups *all)
{
	const struct ktally_life *const *lives;
	size_t n = 0;

	for (size_t i = 0; all && i < ktally_groups_count(all); i++)
		n += ktally_group_lives(ktally_groups_at(all, i), &lives);
	return n;
}

static const char *bound_sign(const struct ktally_value *v)
{
	if (v->upper && v->u)
		return text_glyphs()->upper;
	return v->lower ? text_glyphs()->lower : "";
}

static void total_line(struct out *o, struct reading *r, const struct ktally_groups *all, uint64_t lost)
{
	const char *dot = text_glyphs()->dot;
	char line[512], count[32], span[32], cpu[32], lost_text[32], network[128];
	struct ktally_value used = sum_of(r, all, LIVES_CPU);
	size_t n = count_of(all);

	text_span(span, sizeof(span), r->info->last_time - r->info->first_time);
	/* What was not measured is no 0; what nobody is there to use is. */
	if (n && used.type == KTALLY_V_UNKNOWN)
		strcpy(cpu, "-");
	else
		text_span(cpu, sizeof(cpu), used.u);
	devices_remainder(r, network, sizeof(network));
	snprintf(line, sizeof(line), "%s process%s in %s %s %s%s CPU %s lost %s%s%s%s%s", say_count(count, n),
		 n == 1 ? "" : "es", span, dot, bound_sign(&used), cpu, dot, say_count(lost_text, lost),
		 *network ? " " : "", *network ? dot : "", *network ? " " : "", network);
	out_line(o, line);
}

/* What went over each class, as soon as there is more than physical devices. */
static void classes_line(struct out *o, struct reading *r, const struct ktally_groups *all)
{
	static const struct { const char *name; enum lives_sum rx, tx; } class[] = {
		{ "physical", LIVES_RX, LIVES_TX },
		{ "virtual (v:)", LIVES_VIRT_RX, LIVES_VIRT_TX },
		{ "loopback (lo:)", LIVES_LOOP_RX, LIVES_LOOP_TX },
	};
	char line[256] = "received/sent:", sep[8];
	size_t at = strlen(line);
	bool wanted = false;

	snprintf(sep, sizeof(sep), " %s", text_glyphs()->dot);
	for (size_t i = 0; i < sizeof(class) / sizeof(class[0]); i++) {
		uint64_t rx = sum_of(r, all, class[i].rx).u, tx = sum_of(r, all, class[i].tx).u;
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

static size_t add_bytes(char *line, size_t room, size_t at, const char *class, const uint64_t *net)
{
	char rx[32], tx[32];

	if ((!net[0] && !net[1]) || at >= room)
		return at;
	text_bytes(rx, sizeof(rx), net[0]);
	text_bytes(tx, sizeof(tx), net[1]);
	return at + (size_t)snprintf(line + at, room - at, ", %s%s/%s", class, rx, tx);
}

/* The kernel's totals against the records: said where not every end is a record. */
static void totals_line(struct out *o, const struct ktally_balance *b)
{
	char line[512], a[32], c[32], cpu[32];
	size_t at, room = sizeof(line);

	if (!b->ends_known || (b->ends == b->ended_records && !b->ends_difference))
		return;
	at = (size_t)snprintf(line, room, "totals: %s ends = %s recorded", say_count(a, b->ends),
			      say_count(c, b->ended_records));
	at = add_term(line, room, at, "+", b->lost[KTALLY_EXIT], "lost");
	at = add_term(line, room, at, "+", b->filtered[KTALLY_EXIT], "left out");
	if (b->ends_difference)
		at += (size_t)snprintf(line + at, room - at, "; the sides differ by %lld",
				       (long long)b->ends_difference);
	if (b->amounts_known && b->lost[KTALLY_EXIT]) {
		text_span(cpu, sizeof(cpu), b->lost_runtime);
		at += (size_t)snprintf(line + at, room - at, "; lost: %s CPU", cpu);
		at = add_bytes(line, room, at, "received/sent ", b->lost_net);
		at = add_bytes(line, room, at, "lo:", b->lost_net + 2);
		add_bytes(line, room, at, "v:", b->lost_net + 4);
	}
	out_line(o, line);
}

static struct ktally_value known_u64(bool known, uint64_t v)
{
	return known ? out_u64(v) : out_text(NULL);
}

static void ends_facts(struct out *o, const struct ktally_balance *b)
{
	const struct out_fact facts[] = {
		{ "total", KTALLY_COUNT, known_u64(b->ends_known, b->ends) },
		{ "recorded", KTALLY_COUNT, out_u64(b->ended_records) },
		{ "lost", KTALLY_COUNT, out_u64(b->lost[KTALLY_EXIT]) },
		{ "filtered", KTALLY_COUNT, out_u64(b->filtered[KTALLY_EXIT]) },
		{ "difference", KTALLY_COUNT, b->ends_known ? out_s64(b->ends_difference) : out_text(NULL) },
		{ "lost_cpu_ns", KTALLY_NS, known_u64(b->amounts_known, b->lost_runtime) },
		{ "lost_rx_wire_bytes", KTALLY_BYTES, known_u64(b->amounts_known, b->lost_net[0]) },
		{ "lost_tx_wire_bytes", KTALLY_BYTES, known_u64(b->amounts_known, b->lost_net[1]) },
		{ "lost_loop_rx_wire_bytes", KTALLY_BYTES, known_u64(b->amounts_known, b->lost_net[2]) },
		{ "lost_loop_tx_wire_bytes", KTALLY_BYTES, known_u64(b->amounts_known, b->lost_net[3]) },
		{ "lost_virt_rx_wire_bytes", KTALLY_BYTES, known_u64(b->amounts_known, b->lost_net[4]) },
		{ "lost_virt_tx_wire_bytes", KTALLY_BYTES, known_u64(b->amounts_known, b->lost_net[5]) },
	};

	out_facts(o, "ends", facts, sizeof(facts) / sizeof(facts[0]));
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
	struct ktally_groups *all = NULL;
	struct ktally_balance b;

	ktally_model_balance(r->model, &b);
	if (o->writer->facts) {
		recording_facts(o, r->info);
		balance_facts(o, &b);
		devices_facts(o, r);
		ends_facts(o, &b);
		return;
	}
	if (!r->folded)
		all = ktally_groups_make(&r->ctx, KTALLY_BY_ALL, sel_want, match);
	total_line(o, r, r->folded ? r->folded : all, b.lost_total);
	classes_line(o, r, r->folded ? r->folded : all);
	ktally_groups_free(all);
	balance_line(o, &b);
	totals_line(o, &b);
	selection_line(o, &r->info->selection, &b);
	lost_line(o, &b);
}
