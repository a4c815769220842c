// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-stat.c - what running programs cost, a row per program and interval.
 *
 * The figures are the watch's; here they get rows, a clock and an end. Deadlines are
 * absolute, so that a slow refresh does not shift those after it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "interval.h"
#include "stat/pp.h"
#include "stat/stat.h"

static const struct opt stat_opts[] = {
	{ 'b', "by", "KEY", "a row per process, program, command, user, cgroup, unit, container, netns or parent (default: program)",
	  opt_word, offsetof(struct stat_args, key), KTALLY_BY_PROCESS,
	  "process program command user cgroup unit container netns parent" },
	{ 0, "network", "ADDR|DEV", "beside it the traffic of the interface that has this address or name; columns RX and TX are those of its class",
	  opt_string, offsetof(struct stat_args, network), 0, NULL },
	{ 0, "since-load", NULL, "count bytes since the module was loaded instead of since stat began", opt_constant,
	  offsetof(struct stat_args, since), KTALLY_SINCE_LOAD, NULL },
	{ 0, "since-birth", NULL, "count CPU time and bytes since each process began", opt_constant,
	  offsetof(struct stat_args, since), KTALLY_SINCE_BIRTH, NULL },
	{ 0, "no-wait", NULL, "fail when nothing bears a name, instead of waiting for it", opt_flag,
	  offsetof(struct stat_args, no_wait), 0, NULL },
	{ 0, "style", "STYLE", "pp: options and lines of ProcessPerformance; see: ktally stat --style=pp -help", opt_word,
	  offsetof(struct stat_args, style), 1, "pp" },
};

static const struct opt_group stat_groups[] = {
	OPT_OWN("WATCHING", stat_opts),
	SEL_GROUP(struct stat_args, sel),
	SHOW_GROUP(struct stat_args, show),
};

static int put_averages(struct stat_view *s)
{
	const struct ktally_interval *i = ktally_watch_interval(s->view.watch);
	const struct statrow_span span = {
		.begin = s->view.begin, .end = i->end, .average = true,
		.for_people = s->args->show.out.format == OUT_TABLE,
	};

	return i->end ? stat_put_rows(s, &span) : OPT_GO_ON;
}

/* ---- who is there, and who is not ---- */

static int say_unseen(struct stat_view *s)
{
	bool end = false;

	for (size_t i = 0; !end; i++) {
		const char *name = sel_unseen(s->match, i, &end);

		if (!name)
			continue;
		if (s->args->no_wait)
			return say_error(NOTHING_MATCHED, "stat: no process is called '%s'", name);
		say("no process is called '%s' yet; waiting for one (--no-wait ends instead)", name);
	}
	return OPT_GO_ON;
}

static bool lives(const struct stat_view *s, uint32_t pid)
{
	const struct ktally_watched *p = ktally_watch_pid(s->view.watch, pid);

	return p && p->life.start <= s->view.begin;
}

/* Says who has ended. Nobody is left, and no name waits for others: then the view ends. */
static void check_pids(struct stat_view *s)
{
	size_t left = 0;
	bool end;

	for (size_t i = 0; i < s->n_pids; i++) {
		if (s->left[i] && !lives(s, s->left[i])) {
			say("process %u has ended", s->left[i]);
			s->left[i] = 0;
		}
		left += s->left[i] != 0;
	}
	if (s->n_pids && !left && !ktally_watch_total(s->view.watch)->alive) {
		sel_unseen(s->match, 0, &end);
		s->stop |= end;
	}
}

/* ---- the way through it ---- */

static void read_machine(struct stat_view *s)
{
	s->from = s->now;
	s->net_from = s->net_now;
	machine_read(&s->now);
	if (s->now.used_bytes > s->most_used)
		s->most_used = s->now.used_bytes;
	s->net_known = s->has_iface ? iface_read(&s->iface, &s->net_now) : iface_read_physical(&s->net_now);
}

static int one_interval(struct stat_view *s)
{
	const struct ktally_interval *i = ktally_watch_interval(s->view.watch);
	struct statrow_span span;
	int status = watching_refresh(&s->view);

	if (status != OPT_GO_ON)
		return status;
	read_machine(s);
	span = (struct statrow_span){ .begin = i->begin, .end = i->end };
	status = stat_put_rows(s, &span);
	check_pids(s);
	return status;
}

/* Stopped in the middle: the part is worth a row if it is not too short to tell rates. */
static bool worth_a_row(const struct stat_view *s, uint64_t deadline)
{
	uint64_t now = session_now();

	return now + s->every.ns > deadline && now + s->every.ns - deadline >= s->every.ns / 10;
}

static int loop(struct stat_view *s)
{
	uint64_t deadline = s->view.begin;
	int status = OPT_GO_ON;

	for (uint64_t n = 0; status == OPT_GO_ON && !s->stop && (!s->every.count || n < s->every.count); n++) {
		deadline = interval_next(&s->every, deadline, session_now());
		/* Once at least: a refresh may take longer than an interval. */
		do {
			status = watching_wait(&s->view, deadline, s->signals);
			s->stop |= child_asked_to_end(s->signals);
		} while (!s->stop && status == OPT_GO_ON && session_now() < deadline);
		if (status == OPT_GO_ON && (!s->stop || worth_a_row(s, deadline)))
			status = one_interval(s);
	}
	return status;
}

static int open_view(struct stat_view *s)
{
	const bool tree = s->args->sel.tree;
	struct ktally_watch_options watch = {
		.key = s->key, .since = (enum ktally_since)s->args->since, .want = sel_want, .arg = s->match,
		.tree = tree, .heads = tree && s->args->key < 0,
	};
	const struct ktally_live_options live = { .kinds = WATCHING_KINDS };
	int status;

	sel_bind_live(s->match, &s->view.ctx, session_now());
	status = watching_open(&s->view, &watch, &live);
	if (status == OPT_GO_ON)
		status = sel_check_live(s->match);
	return status == OPT_GO_ON ? say_unseen(s) : status;
}

static int open_out(struct stat_view *s)
{
	struct out_options *o = &s->args->show.out;
	struct show_source src;

	o->grows = true;
	if (o->format == OUT_TABLE && o->time == OUT_TIME_DEFAULT)
		o->time = OUT_TIME_WALL;
	stat_source(s, &src);
	return show_open(&s->args->show, &src, &s->out);
}

static void say_lost(const struct stat_view *s)
{
	const struct ktally_interval *i = ktally_watch_interval(s->view.watch);
	char lost[32], ends[32];

	if (s->view.lost)
		say_warning("%s records lost (buffer full), %s ends among them; what these processes used at last is missing in the sums",
			    say_count(lost, s->view.lost), say_count(ends, i->lost_ends));
}

static int watch(struct stat_view *s)
{
	sigset_t old;
	int err = child_signals(&s->signals, &old), status, closed;

	if (err)
		return say_error(FAILED, "signals: %s", strerror(-err));
	read_machine(s);
	s->base = s->now;
	s->net_base = s->net_now;
	status = open_view(s);
	if (status == OPT_GO_ON)
		status = open_out(s);
	if (status != OPT_GO_ON)
		return status;
	status = loop(s);
	if (status == OPT_GO_ON)
		status = put_averages(s);
	closed = show_close(s->out);
	say_lost(s);
	if (status == OPT_GO_ON)
		status = closed;
	return status == DONE && s->args->show.strict && s->view.lost ? INCOMPLETE : status;
}

/* ---- words ---- */

static int check_network(struct stat_view *s)
{
	char why[512];
	int err;

	if (!s->args->network)
		return OPT_GO_ON;
	err = iface_find(&s->iface, s->args->network, why, sizeof(why));
	s->has_iface = !err;
	if (err)
		return say_error(WRONG_USE, "stat: --network '%s': no interface has this address or name; there are: %s",
				 s->args->network, why);
	return OPT_GO_ON;
}

static int prepare(struct stat_view *s, struct opt_rest *rest)
{
	struct stat_args *args = s->args;
	const char *past = sel_past(&args->sel);
	struct show_source src;
	int status = interval_take(&s->every, "stat", rest);

	if (status == OPT_GO_ON && past)
		status = say_error(WRONG_USE, "stat: --%s is for recordings: ktally report --%s", past, past);
	if (status == OPT_GO_ON)
		status = check_network(s);
	if (status != OPT_GO_ON)
		return status;
	s->match = sel_compile(&args->sel, rest->words, rest->n_words, &status);
	if (!s->match)
		return status;
	s->key = args->key < 0 ? KTALLY_BY_PROGRAM : (enum ktally_key)args->key;
	s->whole_machine = sel_empty(s->match);
	s->only_total = s->whole_machine && args->key < 0 && !args->sel.all;
	/* Of the machine everything is counted, the kernel's threads too. */
	args->sel.all |= s->whole_machine;
	s->n_pids = sel_pids(s->match, &s->pids);
	s->left = calloc(s->n_pids + 1, sizeof(*s->left));
	statrow_fields(s->fields, s->key);
	for (int i = 0; i < STAT_COLUMNS; i++)
		s->list[i] = &s->fields[i];
	if (!s->left)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < s->n_pids; i++)
		s->left[i] = s->pids[i];
	stat_source(s, &src);
	return show_wants_help(&args->show) ? OPT_GO_ON : show_check(&args->show, &src);
}

static void release(struct stat_view *s)
{
	watching_close(&s->view);
	sel_free(s->match);
	free(s->left);
	free(s->rows);
}

static int run_stat(int argc, char **argv)
{
	struct stat_args args = { .key = -1 };
	struct stat_view s = { .args = &args };
	struct opt_rest rest;
	int status;

	if (pp_is_meant(argc, argv))
		return pp_run(argc, argv);
	status = interval_refuse_negative("stat", argc, argv);
	if (status == OPT_GO_ON)
		status = opt_parse(&cmd_stat, argc, argv, &args, &rest);
	if (status != OPT_GO_ON)
		return status;
	status = prepare(&s, &rest);
	if (status == OPT_GO_ON && show_wants_help(&args.show))
		status = show_columns(s.list, STAT_COLUMNS, statrow_usual(-1, s.key, false));
	else if (status == OPT_GO_ON)
		status = watch(&s);
	release(&s);
	return status;
}

static const char *const stat_examples[] = {
	"stat",
	"stat nginx postgres 0.5 --network 10.0.0.1",
	"stat make --tree 1 60 --csv -o build.csv",
	"stat --by container 5",
	"stat -p 1234 100ms --columns +minflt,tcp_rx_bytes",
	NULL
};

const struct cmd cmd_stat = {
	.name = "stat",
	.words = "[NAME...] [INTERVAL [COUNT]]",
	.help = "what running programs cost, a row per program and interval",
	.about = "Shows at the end of each interval (default: a second) what the programs named used in it, all their processes together: those that came later, and those that lived and died between two rows, too. 100 % is one CPU. Bytes count from the start of stat on. A sum of peaks of several processes is an upper bound and is marked so. Trailing numbers are the interval and how many of them; PIDs are given by -p. With nobody named: all processes, and the whole machine as the kernel counts it. Ctrl-C, or the last row, shows averages.",
	.run = run_stat,
	CMD_GROUPS(stat_groups),
	.examples = stat_examples,
};
