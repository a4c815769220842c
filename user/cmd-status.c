// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-status.c - state of the module and its sessions.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "devices.h"
#include "lacks.h"
#include "lib/ktally.h"
#include "out/text.h"
#include "session.h"
#include "show.h"
#include "status/price.h"
#include "status/timing.h"

struct args {
	bool devices, cost;
	struct opt_time duration;
	struct show show;
};

static const struct opt status_opts[] = {
	{ 0, "devices", NULL, "network devices instead of sessions: what the hooks saw on each since the module was loaded, and whether it adds up",
	  opt_flag, offsetof(struct args, devices), 0, NULL },
	{ 0, "cost", NULL, "how long each hook of the module takes, timed until Ctrl-C or --duration; root only",
	  opt_flag, offsetof(struct args, cost), 0, NULL },
	{ 'D', "duration", "TIME", "with --cost: end after TIME", opt_time, offsetof(struct args, duration), 0, NULL },
};

static const struct opt_group status_groups[] = {
	OPT_OWN("WHAT TO SHOW", status_opts),
	SHOW_GROUP(struct args, show),
};

enum column { SESSION, PID, KIND, STARTED, BUFFER, RECORDS, LOST, FILTERED, COLUMNS };

static const struct ktally_field columns[COLUMNS] = {
	[SESSION] = { .name = "session", .title = "SESSION", .help = "its number since load", .unit = KTALLY_ID, .width = 7 },
	[PID] = { .name = "pid", .title = "PID", .help = "who opened it", .unit = KTALLY_ID, .width = 7 },
	[KIND] = { .name = "kind", .title = "KIND", .help = "boot: began at load and waits for record; else session", .unit = KTALLY_TEXT, .width = -7 },
	[STARTED] = { .name = "age_ns", .title = "AGE", .help = "since it began", .unit = KTALLY_NS, .width = 8 },
	[BUFFER] = { .name = "buffer_bytes", .title = "BUFFER", .help = "its buffers, all CPUs", .unit = KTALLY_BYTES, .width = 7 },
	[RECORDS] = { .name = "attempts", .title = "RECORDS", .help = "records it was to get", .unit = KTALLY_COUNT, .width = 9 },
	[LOST] = { .name = "lost", .title = "LOST", .help = "of them, lost because its buffers were full", .unit = KTALLY_COUNT, .width = 7 },
	[FILTERED] = { .name = "filtered", .title = "FILTERED", .help = "events it did not want or may not see", .unit = KTALLY_COUNT, .width = 9 },
};

struct sessions {
	const struct ktally_session_status *at[KTALLY_SESSIONS];
	size_t n;
	uint64_t now;
};

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	const struct sessions *all = of;
	const struct ktally_session_status *s = all->at[row];

	switch ((enum column)(f - columns)) {
	case SESSION:	return out_u64(s->session);
	case PID:	return s->tgid ? out_u64(s->tgid) : out_text(NULL);
	case KIND:	return out_text(s->boot ? "boot" : "session");
	case STARTED:	return out_u64(all->now > s->started ? all->now - s->started : 0);
	case BUFFER:	return out_u64((uint64_t)s->buffer_kb * 1024);
	case RECORDS:	return out_u64(s->attempts);
	case LOST:	return out_u64(s->lost);
	default:	return out_u64(s->filtered);
	}
}

static const char *end_way(uint64_t features)
{
	if (features & KTALLY_FEAT_EXIT_ARG)
		return "tracepoint";
	return features & KTALLY_FEAT_EXIT_KPROBE ? "kprobe" : "fallback";
}

static const char *copy_version(char *to, const struct ktally_status *st)
{
	memcpy(to, st->version, sizeof(st->version));
	to[sizeof(st->version)] = '\0';
	return to;
}

static const char *join_lacks(char *to, size_t n, uint64_t features)
{
	const struct lack *l = NULL;
	size_t at = 0;

	*to = '\0';
	while ((l = lacks_next(l, features)) && at < n)
		at += (size_t)snprintf(to + at, n - at, "%s%s", at ? "; " : "", l->what);
	return to;
}

static void put_facts(struct out *o, const struct ktally_status *st, uint64_t now)
{
	char version[sizeof(st->version) + 1], lacks[1024];
	const struct out_fact facts[] = {
		{ "version", KTALLY_TEXT, out_text(copy_version(version, st)) },
		{ "api", KTALLY_ID, out_u64(st->api) },
		{ "load_id_ns", KTALLY_ID, out_u64(st->load_id) },
		{ "loaded_for_ns", KTALLY_NS, out_u64(now - st->load_id) },
		{ "features", KTALLY_ID, out_u64(st->features) },
		{ "lacks", KTALLY_TEXT, out_text(join_lacks(lacks, sizeof(lacks), st->features)) },
		{ "ends_by", KTALLY_TEXT, out_text(end_way(st->features)) },
		{ "kprobe_hits", KTALLY_COUNT, out_u64(st->kp_hits) },
		{ "tracepoint_hits", KTALLY_COUNT, out_u64(st->tp_hits) },
		{ "kprobe_missed", KTALLY_COUNT, out_u64(st->kp_missed) },
		{ "disarmed", KTALLY_COUNT, out_u64(st->disarmed) },
		{ "buffer_bytes", KTALLY_BYTES, out_u64((uint64_t)st->buffer_kb * 1024) },
		{ "arg_bytes", KTALLY_BYTES, out_u64(st->arg_bytes) },
		{ "argv", KTALLY_BOOL, out_u64(st->argv) },
	};

	out_facts(o, "module", facts, sizeof(facts) / sizeof(facts[0]));
}

static void put_lines(struct out *o, const struct ktally_status *st, size_t sessions, uint64_t now)
{
	char line[256], age[32], buffer[32], args[32];

	text_span(age, sizeof(age), now - st->load_id);
	text_bytes(buffer, sizeof(buffer), (uint64_t)st->buffer_kb * 1024);
	text_bytes(args, sizeof(args), st->arg_bytes);
	snprintf(line, sizeof(line), "module %.*s, loaded for %s, %zu of %d sessions, ends by %s",
		 (int)sizeof(st->version), st->version, age, sessions, KTALLY_SESSIONS,
		 end_way(st->features));
	out_line(o, line);
	snprintf(line, sizeof(line), "a session's buffers %s, arguments %s%s", buffer,
		 st->argv ? "up to " : "off", st->argv ? args : "");
	out_line(o, line);
}

/* What this kernel cannot give, and what is done instead. */
static void put_lacks(struct out *o, const struct ktally_status *st)
{
	const struct lack *l = NULL;
	char line[256];

	while ((l = lacks_next(l, st->features))) {
		snprintf(line, sizeof(line), "not here: %s; %s", l->what,
			 l->instead ? l->instead : "shown as unknown");
		out_line(o, line);
	}
}

/* What ktally costs here: nothing is said where the module doesn't tell. */
static void put_price(struct out *o, const struct ktally_status *st)
{
	char line[256], why[256], records[32], packets[32], each[32], all[32];
	struct ktally_work w;
	struct price p;
	uint64_t per_s;

	if (ktally_work_read(&w, NULL, why, sizeof(why)))
		return;
	price_of(&w, &p);
	per_s = p.instructions / ((w.until - st->load_id) / 1000000000 + 1);
	snprintf(line, sizeof(line),
		 "since load %s records and %s packets, about %s instructions, %s a second, as counted on %s; how long that takes here: --cost",
		 say_count(records, p.records), say_count(packets, p.packets),
		 say_count(all, p.instructions), say_count(each, per_s), p.kernel);
	out_line(o, line);
	out_facts(o, "cost", (const struct out_fact[]){
		{ "records", KTALLY_COUNT, out_u64(p.records) },
		{ "packets", KTALLY_COUNT, out_u64(p.packets) },
		{ "instructions", KTALLY_COUNT, out_u64(p.instructions) },
		{ "instructions_per_s", KTALLY_COUNT, out_u64(per_s) },
		{ "counted_on", KTALLY_TEXT, out_text(p.kernel) },
	}, 5);
}

/* What a reader of the figures must know. */
static int judge(const struct ktally_status *st)
{
	char count[32];

	if (st->kp_missed)
		say_warning("the kprobe missed %s ends of processes (was it disarmed?); they are counted as lost",
			    say_count(count, st->kp_missed));
	if (st->disarmed)
		return say_error(NO_MODULE, "the module found itself inconsistent and stopped its probes; why: dmesg | grep ktally, then: ktally unload, ktally load");
	return DONE;
}

static int print(const struct args *args, const struct ktally_status *st)
{
	struct sessions sessions = { .now = session_now() };
	const struct ktally_field *chosen[COLUMNS];
	struct show_source src = {
		.schema = "ktally.status/1", .fields = chosen, .n_fields = COLUMNS,
		.columns = "session,pid,kind,age_ns,buffer_bytes,attempts,lost,filtered",
		.value = value, .of = &sessions,
	};
	struct out *o;
	int status;

	for (size_t i = 0; i < COLUMNS; i++)
		chosen[i] = &columns[i];
	if (show_wants_help(&args->show))
		return show_columns(chosen, COLUMNS, src.columns);
	for (size_t i = 0; i < KTALLY_SESSIONS; i++)
		if (st->sessions[i].session)
			sessions.at[sessions.n++] = &st->sessions[i];
	src.n_rows = sessions.n;
	status = show_rows(&args->show, &src, &o);
	if (status != OPT_GO_ON)
		return status;
	put_lines(o, st, sessions.n, sessions.now);
	put_lacks(o, st);
	put_facts(o, st, sessions.now);
	put_price(o, st);
	status = show_close(o);
	return status == DONE ? judge(st) : status;
}

/* The module tells of devices in a walk, so a session of that kind alone is opened. */
static int print_devices(const struct args *args)
{
	struct reading r;
	int status;

	if (show_wants_help(&args->show))
		return devices_columns();
	status = reading_open_live(&r, 1ULL << KTALLY_DEVICE);
	if (status != OPT_GO_ON)
		return status;
	status = devices_print(&args->show, &r);
	if (status == DONE)
		reading_warn(&r);
	reading_close(&r);
	return status;
}

static int run_status(int argc, char **argv)
{
	struct args args = { .show = { .columns = NULL } };
	struct ktally_status st;
	struct opt_rest rest;
	char why[256];
	int status = opt_parse(&cmd_status, argc, argv, &args, &rest), err;

	if (status != OPT_GO_ON)
		return status;
	if (rest.n_words)
		return say_error(WRONG_USE, "status: '%s'? it takes no words", rest.words[0]);
	if (args.duration.set && !args.cost)
		return say_error(WRONG_USE, "status: --duration goes with --cost");
	if (args.cost && show_wants_help(&args.show))
		return timing_columns();
	err = ktally_status_read(&st, NULL, why, sizeof(why));
	if (err)
		return say_error(status_of(err), "%s", why);
	if (st.api != KTALLY_API_VERSION)
		return say_error(NO_MODULE, "module %.*s speaks version %u of the interface, this program %u; install both from one version",
				 (int)sizeof(st.version), st.version, st.api, KTALLY_API_VERSION);
	if (args.cost)
		return timing_print(&args.show, args.duration.set ? args.duration.ns : 0);
	return args.devices ? print_devices(&args) : print(&args, &st);
}

static const char *const status_examples[] = { "status", "status --json", "status --devices", "status --cost -D 10", NULL };

const struct cmd cmd_status = {
	.name = "status",
	.words = "",
	.help = "state of the module and its sessions",
	.about = "Shows the module's version, how it sees the ends of processes, who records what, and what its work since load comes to by the figures of its bench: in instructions, for what they take differs by processor. With --cost the hooks are timed on this machine, with a histogram each, for as long as the command runs; else that costs nothing. With --devices the terms of two equations, by device and direction: wire bytes at the hooks are those of sockets, carried on, or of no socket by name, and the device's own counters are what the hooks saw and what drivers count their own way; and by class: bytes of sockets are those of processes, of the kernel, pending, unowned or beyond the tables; and what no process has by kind of packet. The remainder of each is printed, never hidden; what is not traced is -.",
	.run = run_status,
	CMD_GROUPS(status_groups),
	.examples = status_examples,
};
