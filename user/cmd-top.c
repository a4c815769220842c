// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-top.c - what running processes cost, on the full screen, and batches of the same
 * for files.
 *
 * One loop: wait for the deadline, a key or a signal; refresh the watch at the deadline;
 * draw. What keys do is in top/keys.c. Whatever ends it gives the terminal back first.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "modes.h"
#include "out/out.h"
#include "top/state.h"

static const struct opt top_opts[] = {
	{ 'b', "batch", NULL, "no screen: each refresh as lines on standard output, for logs", opt_flag,
	  offsetof(struct top_args, batch), 0, NULL },
	{ 'o', "sort", "COL", "sort by pid, user, state, cpu, time, rss, peak, tx, rx, read, write, age or command (default: cpu)",
	  opt_word, offsetof(struct top_args, sort), 0, "pid user state cpu time rss peak tx rx read write age command" },
	{ 't', "forest", NULL, "start as a tree", opt_flag, offsetof(struct top_args, tree), 0, NULL },
	{ 'g', "groups", NULL, "start with a row per program, or what --by says", opt_flag,
	  offsetof(struct top_args, groups), 0, NULL },
	{ 0, "by", "KEY", "what rows of groups are: program, command, user, cgroup, unit, container, netns or parent",
	  opt_word, offsetof(struct top_args, key), KTALLY_BY_PROGRAM, "program command user cgroup unit container netns parent" },
	{ 'I', "per-machine", NULL, "100 % = all CPUs", opt_flag, offsetof(struct top_args, per_machine), 0, NULL },
	{ 0, "io", NULL, "show I/O in place of network bytes where there is no room for both", opt_flag,
	  offsetof(struct top_args, io), 0, NULL },
	{ 0, "net", "CLASS", "whose bytes TX/s and RX/s are: physical, loopback or virtual devices (default: physical)",
	  opt_word, offsetof(struct top_args, class), IFACE_PHYSICAL, "physical loopback virtual" },
	{ 0, "limit", "N", "with -b at most N rows a refresh; 0: all", opt_count, offsetof(struct top_args, limit), 0, NULL },
	{ 0, "color", "WHEN", "auto, always or never", opt_word, offsetof(struct top_args, color), OUT_COLOR_AUTO,
	  "auto always never" },
};

static const struct opt_group top_groups[] = {
	OPT_OWN("WATCHING", top_opts),
	SEL_GROUP(struct top_args, sel),
};

/* ---- figures ---- */

static size_t most_ended(const struct top *t)
{
	return t->screen ? 2 * top_screen_rows() : SIZE_MAX;
}

static int make_rows(struct top *t)
{
	if (top_rows_make(&t->rows, t->view.watch, &t->view.ctx, &t->shown, most_ended(t)))
		return say_error(FAILED, "out of memory");
	return OPT_GO_ON;
}

static int refresh(struct top *t)
{
	const struct ktally_interval *i = ktally_watch_interval(t->view.watch);
	int status = watching_refresh(&t->view);

	if (status != OPT_GO_ON)
		return status;
	t->summary.from = t->summary.now;
	machine_read(&t->summary.now);
	t->summary.total = ktally_watch_total(t->view.watch);
	t->summary.begin = i->begin;
	t->summary.end = i->end;
	t->summary.lost = t->view.lost;
	t->refreshes++;
	return make_rows(t);
}

/* ---- drawing ---- */

static void make_foot(struct top *t)
{
	static const char *const keys =
		"q quit  P cpu  M mem  K peak  N net  T time  t tree  g group  / filter  ? help";

	if (t->typing)
		snprintf(t->foot, sizeof(t->foot), "filter: %s", t->shown.filter);
	else if (t->note[0])
		snprintf(t->foot, sizeof(t->foot), "%s", t->note);
	else
		snprintf(t->foot, sizeof(t->foot), "%s%s%s%s", t->paused ? "paused (p goes on)  " : "",
			 t->shown.filter[0] ? "/" : "", t->shown.filter[0] ? t->shown.filter : "",
			 t->paused || t->shown.filter[0] ? "  (Esc: all)  ? help" : keys);
}

static void draw(struct top *t)
{
	struct top_frame f = {
		.rows = &t->rows, .view = &t->shown, .summary = &t->summary,
		.foot = t->foot, .help = t->help, .typing = t->typing,
	};
	size_t page = top_screen_rows(), last = t->rows.n > page ? t->rows.n - page : 0;

	t->first = t->first < last ? t->first : last;
	f.first = t->first;
	make_foot(t);
	top_screen_draw(&f);
}

/* The same as text: head, heading, rows. */
static bool write_text(struct top *t, FILE *to, uint64_t limit)
{
	enum top_column list[TOP_COLUMNS];
	size_t n = top_choose(&t->shown, SIZE_MAX, list);
	char line[4096];

	top_summary_line(line, sizeof(line), &t->summary, t->shown.cpus);
	fprintf(to, "%s\n", line);
	top_heading(line, sizeof(line), &t->shown, list, n);
	fprintf(to, "%s\n", line);
	for (size_t i = 0; i < t->rows.n && (!limit || i < limit); i++) {
		top_line(line, sizeof(line), &t->rows, t->rows.order[i], &t->shown, list, n, SIZE_MAX);
		fprintf(to, "%s\n", line);
	}
	fprintf(to, "\n");
	return !fflush(to) && !ferror(to);
}

void top_save(struct top *t)
{
	char path[64];
	struct tm tm;
	time_t now = time(NULL);
	FILE *to;

	localtime_r(&now, &tm);
	strftime(path, sizeof(path), "ktally-top-%Y%m%d-%H%M%S.txt", &tm);
	to = fopen(path, "wxe");
	if (!to || !write_text(t, to, 0))
		snprintf(t->note, sizeof(t->note), "%s: not saved: %s", path, strerror(errno));
	else
		snprintf(t->note, sizeof(t->note), "saved to %s", path);
	if (to)
		fclose(to);
}

/* ---- keys and signals ---- */

static int read_keys(struct top *t)
{
	bool any = false;
	int key;

	while (t->screen && (key = top_screen_key())) {
		top_press(t, key);
		any = true;
	}
	if (!any || t->stop)
		return OPT_GO_ON;
	return make_rows(t);
}

/* ---- the way through it ---- */

static int show(struct top *t)
{
	if (t->screen)
		draw(t);
	else if (!write_text(t, stdout, t->args->limit))
		return say_error(FAILED, "standard output: %s", strerror(errno));
	return OPT_GO_ON;
}

static int one_wait(struct top *t, uint64_t deadline)
{
	int status = watching_wait(&t->view, deadline, t->events);

	t->stop |= child_asked_to_end(t->signals);
	if (status == OPT_GO_ON)
		status = read_keys(t);
	/* Before the first refresh there is nothing to show. */
	if (status == OPT_GO_ON && t->screen && !t->stop && t->refreshes)
		draw(t);
	return status;
}

static int loop(struct top *t)
{
	uint64_t deadline = t->view.begin;
	int status = OPT_GO_ON;

	/* On a screen the first figures come soon; files get whole intervals. */
	deadline = t->screen ? session_now() + TOP_SHORTEST_NS : interval_next(&t->every, deadline, session_now());
	while (status == OPT_GO_ON && !t->stop) {
		/* Once at least: a refresh may take longer than an interval. */
		do
			status = one_wait(t, deadline);
		while (status == OPT_GO_ON && !t->stop && !t->refresh && session_now() < deadline);
		if (status != OPT_GO_ON || t->stop)
			break;
		deadline = t->refresh ? session_now() + t->every.ns : interval_next(&t->every, deadline, session_now());
		t->refresh = false;
		if (t->paused)
			continue;
		status = refresh(t);
		if (status == OPT_GO_ON)
			status = show(t);
		t->stop |= t->every.count && t->refreshes >= t->every.count;
	}
	return status;
}

static int watch_fd(int to, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	return epoll_ctl(to, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int open_events(struct top *t)
{
	sigset_t old;
	int err = child_signals(&t->signals, &old);

	if (err)
		return say_error(FAILED, "signals: %s", strerror(-err));
	t->events = epoll_create1(EPOLL_CLOEXEC);
	err = t->events < 0 ? -errno : watch_fd(t->events, t->signals);
	if (!err && !t->args->batch)
		err = watch_fd(t->events, STDIN_FILENO);
	return err && err != -EPERM ? say_error(FAILED, "waiting: %s", strerror(-err)) : OPT_GO_ON;
}

static int open_view(struct top *t)
{
	struct ktally_watch_options watch = {
		.key = (enum ktally_key)t->args->key, .want = sel_want, .arg = t->match, .tree = t->args->sel.tree,
	};
	const struct ktally_live_options live = { .kinds = WATCHING_KINDS };
	int status;

	sel_bind_live(t->match, &t->view.ctx, session_now());
	machine_read(&t->summary.now);
	status = watching_open(&t->view, &watch, &live);
	return status == OPT_GO_ON ? sel_check_live(t->match) : status;
}

static int open_screen(struct top *t)
{
	const char *none = getenv("NO_COLOR");
	bool color = t->args->color == OUT_COLOR_ALWAYS ||
		     (t->args->color == OUT_COLOR_AUTO && (!none || !none[0]));
	int err;

	if (t->args->batch)
		return OPT_GO_ON;
	err = top_screen_open(color);
	if (err == -ENOSYS)
		return say_error(WRONG_USE, "top: this ktally was built without ncurses; ktally top -b works");
	if (err)
		return say_error(WRONG_USE, "top: standard input and output are no terminal it can draw on (TERM=%s); ktally top -b writes lines",
				 getenv("TERM") ? getenv("TERM") : "");
	t->screen = true;
	return OPT_GO_ON;
}

static int watch(struct top *t)
{
	int status = open_events(t);

	if (status == OPT_GO_ON)
		status = open_view(t);
	if (status == OPT_GO_ON)
		status = open_screen(t);
	if (status == OPT_GO_ON)
		status = loop(t);
	if (t->screen)
		top_screen_close();
	return status == OPT_GO_ON ? DONE : status;
}

static const char *const ways[] = { "the screen", "--batch", NULL };
static const struct modes_row way_rows[] = {
	{ "limit", MODE(true) },
};

static int prepare(struct top *t, struct opt_rest *rest)
{
	static const struct modes modes = MODES(ways, way_rows);
	struct top_args *args = t->args;
	const char *past = sel_past(&args->sel);
	int status = interval_take(&t->every, "top", rest);

	if (status == OPT_GO_ON && past)
		status = say_error(WRONG_USE, "top: --%s is for recordings: ktally report --%s", past, past);
	if (status == OPT_GO_ON)
		status = modes_check(&modes, args->batch, &cmd_top, rest);
	if (status != OPT_GO_ON)
		return status;
	t->match = sel_compile(&args->sel, rest->words, rest->n_words, &status);
	if (!t->match)
		return status;
	t->shown = (struct top_view){
		.sort = (enum top_column)args->sort, .tree = args->tree, .groups = args->groups,
		.per_machine = args->per_machine, .io = args->io, .class = (enum iface_class)args->class,
		.cpus = machine_cpus(),
	};
	return OPT_GO_ON;
}

static int run_top(int argc, char **argv)
{
	struct top_args args = { .key = KTALLY_BY_PROGRAM, .sort = TOP_CPU };
	struct top t = { .args = &args, .signals = -1, .events = -1 };
	struct opt_rest rest;
	int status = interval_refuse_negative("top", argc, argv);

	if (status == OPT_GO_ON)
		status = opt_parse(&cmd_top, argc, argv, &args, &rest);
	if (status == OPT_GO_ON)
		status = prepare(&t, &rest);
	if (status == OPT_GO_ON)
		status = watch(&t);
	top_rows_free(&t.rows);
	watching_close(&t.view);
	sel_free(t.match);
	return status;
}

static const char *const top_examples[] = {
	"top",
	"top nginx postgres 0.5",
	"top --by container -g",
	"top -b 10 6 --limit 20",
	NULL
};

const struct cmd cmd_top = {
	.name = "top",
	.words = "[NAME...] [INTERVAL [COUNT]]",
	.help = "the same on the full screen, a row per process; -b for logs",
	.about = "Shows what processes used since the last refresh (default: a second), as a list, a tree or by program. Processes that ended since then are shown once, marked x, with all they ever used; when they would fill more than two screens, one row per program. Keys are on the screen; ? lists them. 100 % is one CPU.",
	.run = run_top,
	CMD_GROUPS(top_groups),
	.examples = top_examples,
};
