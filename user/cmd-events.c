// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-events.c - who starts, executes and ends, a line each, as it happens.
 *
 * The lines come in the order in which things happened, at most INTERVAL later: that is
 * how long this CPU's buffers may wait for a reader. A watch remembers who each process
 * is, so that an end carries its command.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "child.h"
#include "cmd.h"
#include "sel.h"
#include "show.h"
#include "watching.h"

enum { EVENTS_OWN = 2 };

struct args {
	const char *kinds;
	uint64_t count;
	bool no_wait;
	struct opt_time delay, duration;
	struct sel sel;
	struct show show;
};

static const struct opt events_opts[] = {
	{ 'e', "events", "KIND,...", "of fork, exec, exit only these (default: all)", opt_string,
	  offsetof(struct args, kinds), 0, "fork exec exit" },
	{ 0, "count", "N", "end after N of them; 0: never", opt_count, offsetof(struct args, count), 0, NULL },
	{ 'D', "duration", "TIME", "end after TIME", opt_time, offsetof(struct args, duration), 0, NULL },
	{ 0, "delay", "TIME", "show them at most so much later (default: 100ms)", opt_time,
	  offsetof(struct args, delay), 0, NULL },
};

static const struct opt_group events_groups[] = {
	OPT_OWN("WATCHING", events_opts),
	SEL_GROUP(struct args, sel),
	SHOW_GROUP(struct args, show),
};

static const struct {
	const char *name;
	uint32_t kind;
} kinds[] = {
	{ "fork", KTALLY_FORK }, { "exec", KTALLY_EXEC }, { "exit", KTALLY_EXIT },
};

struct events {
	struct args *args;
	uint64_t wanted;		/* kinds, a bit each */
	struct sel_match *match;
	struct watching view;
	struct out *out;
	struct show_source source;
	struct ktally_field own[EVENTS_OWN];
	const struct ktally_field **fields;
	size_t n_fields;
	const struct ktally_event *event;	/* the row at hand */
	const struct ktally_watched *process;
	struct bounds bounds;			/* of that row */
	uint64_t shown;
};

static const struct ktally_field own_fields[EVENTS_OWN] = {
	{ "time_ns", "TIME", "when it happened", KTALLY_TIME, KTALLY_SAME, -12, NULL, 0 },
	{ "event", "EVENT", "fork, exec or exit", KTALLY_TEXT, KTALLY_SAME, -5, NULL, 0 },
};

/* ---- a line ---- */

static const char *kind_name(uint32_t kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return NULL;
}

static struct ktally_value value_of(void *of, size_t row, const struct ktally_field *f)
{
	struct events *e = of;
	struct ktally_value v;

	(void)row;
	if (f == &e->own[0])
		return out_u64(e->event->time);
	if (f == &e->own[1])
		return out_text(kind_name(e->event->kind));
	if (f == &bounds_field)
		return bounds_value(&e->bounds);
	v = ktally_field_value(f, &e->process->life, &e->view.ctx);
	bounds_note(&e->bounds, f, &v);
	return v;
}

/* The numbers that name the process a record is about. */
static void identity(const struct ktally_event *ev, uint32_t *tgid, uint64_t *start)
{
	switch (ev->kind) {
	case KTALLY_FORK:
		*tgid = ev->u.fork.tgid;
		*start = ev->u.fork.start;
		break;
	case KTALLY_EXEC:
		*tgid = ev->u.exec.tgid;
		*start = ev->u.exec.start;
		break;
	default:
		*tgid = ev->u.exit.tgid;
		*start = ev->u.exit.start;
	}
}

static int see(void *arg, const struct ktally_event *ev)
{
	struct events *e = arg;
	uint64_t start;
	uint32_t tgid;
	int status;

	if (e->view.stop || ev->kind >= 64 || !(e->wanted >> ev->kind & 1) || !ev->decoded || ev->time < e->view.begin)
		return OPT_GO_ON;
	identity(ev, &tgid, &start);
	e->process = ktally_watch_find(e->view.watch, tgid, start);
	if (!e->process || !e->process->tally)
		return OPT_GO_ON;
	e->event = ev;
	bounds_begin(&e->bounds);
	status = show_more(&e->args->show, &e->source, e->out);
	e->shown++;
	e->view.stop |= e->args->count && e->shown >= e->args->count;
	return status;
}

/* ---- the way through it ---- */

static bool flush(void *arg)
{
	struct events *e = arg;

	return out_flush(e->out);
}

static void source_of(struct events *e)
{
	e->source = (struct show_source){
		.schema = "ktally.events/1", .fields = e->fields, .n_fields = e->n_fields,
		.columns = "time_ns,event,pid,ppid,user,life_ns,cpu_ns,peak_rss_bytes,status,argv",
		.n_rows = 1, .value = value_of, .of = e,
		.clock = { .zero = e->view.begin, .real = watching_real(), .cpus = 1 },
	};
}

static int open_view(struct events *e)
{
	struct ktally_watch_options options = {
		.key = KTALLY_BY_ALL, .want = sel_want, .arg = e->match, .tree = e->args->sel.tree,
	};
	const struct ktally_live_options live = { .kinds = WATCHING_KINDS };
	int status;

	sel_bind_live(e->match, &e->view.ctx, session_now());
	e->view.see = see;
	e->view.see_arg = e;
	status = watching_open(&e->view, &options, &live);
	return status == OPT_GO_ON ? sel_check_live(e->match) : status;
}

static int watch(struct events *e)
{
	struct out_options *o = &e->args->show.out;
	struct watching_run run = {
		.delay = e->args->delay.set ? e->args->delay.ns : WATCHING_DELAY_NS,
		.duration = e->args->duration, .flush = flush, .flush_arg = e,
	};
	uint64_t wanted = e->wanted;
	sigset_t old;
	int err = child_signals(&run.signals, &old), status, closed;
	bool lost;

	if (err)
		return say_error(FAILED, "signals: %s", strerror(-err));
	/* What comes with the opening walk is not to be shown. */
	e->wanted = 0;
	status = open_view(e);
	if (status != OPT_GO_ON)
		return status;
	e->wanted = wanted;
	o->grows = true;
	if (o->format == OUT_TABLE && o->time == OUT_TIME_DEFAULT)
		o->time = OUT_TIME_WALL;
	source_of(e);
	status = show_open(&e->args->show, &e->source, &e->out);
	if (status != OPT_GO_ON)
		return status;
	status = watching_run(&e->view, &run);
	closed = show_close(e->out);
	lost = watching_say_lost(&e->view);
	if (status == OPT_GO_ON)
		status = closed;
	return status == DONE && e->args->show.strict && lost ? INCOMPLETE : status;
}

/* ---- words ---- */

static int take_kinds(struct events *e, const char *list)
{
	for (size_t i = 0; !list && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		e->wanted |= 1ULL << kinds[i].kind;
	while (list && *list) {
		size_t n = strcspn(list, ","), i = 0;

		while (i < sizeof(kinds) / sizeof(kinds[0]) &&
		       (strlen(kinds[i].name) != n || strncmp(kinds[i].name, list, n)))
			i++;
		if (i == sizeof(kinds) / sizeof(kinds[0]))
			return say_error(WRONG_USE, "events: -e '%.*s': there are fork, exec and exit", (int)n, list);
		e->wanted |= 1ULL << kinds[i].kind;
		list += n + (list[n] == ',');
	}
	if (!e->wanted)
		return say_error(WRONG_USE, "events: -e '': there are fork, exec and exit");
	return OPT_GO_ON;
}

static int make_fields(struct events *e)
{
	const struct ktally_field *all;
	size_t n = ktally_fields(&all);

	e->fields = malloc((EVENTS_OWN + n + 1) * sizeof(e->fields[0]));
	if (!e->fields)
		return say_error(FAILED, "out of memory");
	memcpy(e->own, own_fields, sizeof(own_fields));
	for (size_t i = 0; i < EVENTS_OWN; i++)
		e->fields[i] = &e->own[i];
	for (size_t i = 0; i < n; i++)
		e->fields[EVENTS_OWN + i] = &all[i];
	e->fields[EVENTS_OWN + n] = &bounds_field;
	e->n_fields = EVENTS_OWN + n + 1;
	return OPT_GO_ON;
}

static int prepare(struct events *e, struct opt_rest *rest)
{
	const char *past = sel_past(&e->args->sel);
	int status = take_kinds(e, e->args->kinds);

	if (status == OPT_GO_ON && past)
		status = say_error(WRONG_USE, "events: --%s is for recordings: ktally report --%s", past, past);
	if (status == OPT_GO_ON && e->args->show.sort)
		status = say_error(WRONG_USE, "events: --sort: events come in the order of time");
	if (status == OPT_GO_ON)
		status = make_fields(e);
	if (status != OPT_GO_ON)
		return status;
	e->match = sel_compile(&e->args->sel, rest->words, rest->n_words, &status);
	return e->match ? OPT_GO_ON : status;
}

static int run_events(int argc, char **argv)
{
	struct args args = { .kinds = NULL };
	struct events e = { .args = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_events, argc, argv, &args, &rest);

	if (status == OPT_GO_ON)
		status = prepare(&e, &rest);
	source_of(&e);
	if (status == OPT_GO_ON && show_wants_help(&args.show))
		status = show_columns(e.fields, e.n_fields, e.source.columns);
	else if (status == OPT_GO_ON)
		status = watch(&e);
	watching_close(&e.view);
	sel_free(e.match);
	bounds_free(&e.bounds);
	free(e.fields);
	return status;
}

static const char *const events_examples[] = {
	"events",
	"events -e exec",
	"events -e exit --csv -D 1h -o ends.csv",
	"events -p 1234 --tree",
	NULL
};

const struct cmd cmd_events = {
	.name = "events",
	.words = "[NAME...] [-e KIND,...]",
	.help = "who starts, executes and ends, a line each, as it happens",
	.about = "Prints a line for each fork, exec and exit in the order of time, at most a tenth of a second later, until Ctrl-C. The line of an exit has the whole cost of that process. Every column of report can be chosen.",
	.run = run_events,
	CMD_GROUPS(events_groups),
	.examples = events_examples,
};
