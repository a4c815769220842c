// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-run.c - one command: what its whole tree cost, on standard error.
 *
 * As record and report in one, with nothing on disk: records go into a model as
 * they come. The command's status is passed on.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "commands/commands.h"
#include "lives.h"
#include "out/text.h"
#include "session.h"

enum { FLUSH_MS = 1000 };

struct args {
	int key;			/* KTALLY_BY_ALL: the summary */
	struct opt_time timeout;
	uint64_t buffer_kb;
	struct steps_options steps;
	struct show show;
};

static const struct opt run_opts[] = {
	{ 'b', "by", "KEY", "a table with a row per process, program, command, user or parent instead of the summary",
	  opt_word, offsetof(struct args, key), KTALLY_BY_PROCESS, "process program command user" },
	{ 0, "timeout", "TIME", "end the command by SIGTERM after TIME, and exit with 124", opt_time,
	  offsetof(struct args, timeout), 0, NULL },
	{ 0, "buffer", "KB", "size of the kernel's buffers, all CPUs together (default: the module's)",
	  opt_count, offsetof(struct args, buffer_kb), 0, NULL },
};

static const struct opt_group run_groups[] = {
	OPT_OWN("RUNNING", run_opts),
	STEPS_GROUP(struct args, steps),
	SHOW_GROUP(struct args, show),
};

struct runner {
	struct args *args;
	struct session session;
	struct reading reading;
	struct child child;
	sigset_t old_mask;
	int signals;
	uint64_t begin;
	bool timed_out;
};

static int take(void *arg, const void *subbuf, size_t n)
{
	struct runner *r = arg;

	return reading_push(&r->reading, subbuf, n);
}

static void read_signals(struct runner *r)
{
	struct signalfd_siginfo si;

	while (read(r->signals, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo != SIGCHLD)
			child_hand_on(&r->child, &si);
}

static void check_timeout(struct runner *r)
{
	if (!r->args->timeout.set || r->timed_out ||
	    session_now() - r->begin < r->args->timeout.ns)
		return;
	r->timed_out = true;
	kill(r->child.pid, SIGTERM);
}

static int wait_ms(const struct runner *r)
{
	uint64_t passed = session_now() - r->begin, limit = r->args->timeout.ns;

	if (!r->args->timeout.set || r->timed_out || passed + FLUSH_MS * 1000000ULL < limit)
		return FLUSH_MS;
	return limit > passed ? (int)((limit - passed) / 1000000) + 1 : 0;
}

static int loop(struct runner *r)
{
	int status = OPT_GO_ON;

	while (status == OPT_GO_ON && !child_poll(&r->child, false)) {
		int got = ktally_live_wait(r->session.live, wait_ms(r), r->signals);

		if (got < 0)
			return say_error(FAILED, "%s", ktally_live_error(r->session.live));
		read_signals(r);
		check_timeout(r);
		status = got ? session_drain(&r->session) : reading_settle(&r->reading, &r->session);
	}
	return status;
}

static int start(struct runner *r, char **command)
{
	/* From us on, who will fork the command: nothing else of the machine is recorded. */
	const uint32_t own = (uint32_t)getpid();
	const struct ktally_select tree = {
		.what = KTALLY_SELECT_PIDS | KTALLY_SELECT_TREE,
		.n_pids = 1, .pids = (uintptr_t)&own,
	};
	const struct ktally_live_options live = {
		.buffer_kb = (uint32_t)r->args->buffer_kb, .select = &tree,
	};
	int status = reading_begin_push(&r->reading);
	int err = child_signals(&r->signals, &r->old_mask);

	if (err)
		return say_error(FAILED_BEFORE_CMD, "signals: %s", strerror(-err));
	if (status == OPT_GO_ON)
		status = session_open(&r->session, &live);
	if (status == OPT_GO_ON)
		status = session_walk(&r->session, KTALLY_WALK_OPENING);
	if (status != OPT_GO_ON)
		return FAILED_BEFORE_CMD;
	err = child_prepare(&r->child, command, &r->old_mask);
	if (err)
		return say_error(FAILED_BEFORE_CMD, "fork: %s", strerror(-err));
	r->begin = session_now();
	child_release(&r->child);
	return r->child.exec_errno ? child_status(&r->child, command[0]) : OPT_GO_ON;
}

/* Lines of the summary: what each value is for a person, and the field it comes from. */
static const struct line {
	const char *label, *field;
	bool unless_0;
} lines[] = {
	{ "CPU time", "cpu_ns", false },
	{ "  in user mode", "cpu_user_ns", false },
	{ "  in the kernel", "cpu_sys_ns", false },
	{ "waited for a CPU", "run_delay_ns", false },
	{ "peak memory of one process", "peak_rss_bytes", false },
	{ "network received", "rx_wire_bytes", false },
	{ "network sent", "tx_wire_bytes", false },
	{ "received, virtual devices", "virt_rx_wire_bytes", true },
	{ "sent, virtual devices", "virt_tx_wire_bytes", true },
	{ "received over loopback", "loop_rx_wire_bytes", true },
	{ "sent over loopback", "loop_tx_wire_bytes", true },
	{ "read from storage", "read_bytes", false },
	{ "written to storage", "write_bytes", false },
	{ "minor page faults", "minflt", false },
	{ "major page faults", "majflt", false },
	{ "voluntary switches", "nvcsw", false },
	{ "involuntary switches", "nivcsw", false },
};

static void put_line(const char *label, const char *text)
{
	dprintf(STDERR_FILENO, "  %-28s %s\n", label, text);
}

static void put_value(const struct args *args, const struct line *line,
		      const struct ktally_group *g, struct ktally_field_ctx *ctx)
{
	const struct ktally_field *f = ktally_field_find(line->field);
	struct ktally_value v;
	char text[64];
	size_t at;

	if (!f)
		return;
	v = ktally_group_value(g, f, ctx);
	if (v.type != KTALLY_V_U64)
		return;		/* not measured here: no line rather than a 0 */
	if (line->unless_0 && !v.u)
		return;
	at = (size_t)snprintf(text, sizeof(text), "%s", v.upper ? text_glyphs()->upper :
							 v.lower ? text_glyphs()->lower : "");
	if (f->unit == KTALLY_NS && !args->show.out.ns)
		text_span(text + at, sizeof(text) - at, v.u);
	else if (f->unit == KTALLY_BYTES && !args->show.out.bytes)
		text_bytes(text + at, sizeof(text) - at, v.u);
	else
		snprintf(text + at, sizeof(text) - at, "%llu", (unsigned long long)v.u);
	put_line(line->label, text);
}

static void put_head(const struct runner *r, const struct ktally_group *g,
		     const struct ktally_life *root)
{
	const struct ktally_life *const *lives;
	size_t n = ktally_group_lives(g, &lives), failed = 0, running = 0;
	char text[128];

	for (size_t i = 0; i < n; i++) {
		failed += lives[i]->state == KTALLY_ENDED && lives[i]->status;
		running += lives[i]->state == KTALLY_RUNNING;
	}
	if (root && root->end) {
		text_span(text, sizeof(text), root->end - root->start);
		if (r->args->show.out.ns)
			snprintf(text, sizeof(text), "%llu",
				 (unsigned long long)(root->end - root->start));
		put_line("lasted", text);
	}
	snprintf(text, sizeof(text), "%zu (%zu failed, %zu still running)", n, failed, running);
	put_line("processes", text);
}

static bool below_root(const struct ktally_life *l, void *arg)
{
	return ktally_life_below(l, arg);
}

static int summary(struct runner *r, struct ktally_life *root, char **command)
{
	struct reading *reading = &r->reading;
	struct ktally_groups *all = ktally_groups_make(&reading->ctx, KTALLY_BY_ALL, below_root, root);
	char text[512];
	size_t at = 0;

	if (!all)
		return say_error(FAILED, "out of memory");
	for (int i = 0; command[i] && at + 8 < sizeof(text); i++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, " ");
		at += text_quote(text + at, sizeof(text) - at, command[i], strlen(command[i]), TEXT_FOR_PEOPLE);
	}
	dprintf(STDERR_FILENO, "ktally run:%s\n", text);
	if (ktally_groups_count(all)) {
		const struct ktally_group *g = ktally_groups_at(all, 0);

		put_head(r, g, root);
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			put_value(r->args, &lines[i], g, &reading->ctx);
	}
	ktally_groups_free(all);
	return OPT_GO_ON;
}

static int table_of(struct runner *r, struct sel_match *match)
{
	struct show_source src;
	struct lives lives;
	struct out *o;
	int status = lives_make(&lives, &r->reading, (enum ktally_key)r->args->key, match);

	if (status == OPT_GO_ON) {
		lives_source(&lives, &r->args->show, &src);
		src.schema = "ktally.run/1";
		status = show_rows(&r->args->show, &src, &o);
	}
	if (status == OPT_GO_ON) {
		lives_footer(o, &r->reading, match);
		status = show_close(o);
	}
	lives_free(&lives);
	return status;
}

static int table(struct runner *r)
{
	const struct args *args = r->args;
	struct sel sel = { .all = false };
	int status;
	struct sel_match *match = sel_compile(&sel, NULL, 0, &status);

	if (!match)
		return status;
	status = sel_bind(match, r->reading.model);
	if (status == OPT_GO_ON && args->steps.asked)
		status = steps_print(&r->reading, match, &args->show, &args->steps);
	else if (status == OPT_GO_ON)
		status = table_of(r, match);
	sel_free(match);
	return status == DONE ? OPT_GO_ON : status;
}

/* Only the command's tree is meant; nothing else of the machine is shown. */
static void keep_tree(struct runner *r, const struct ktally_life *root)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(r->reading.model, &lives);

	for (size_t i = 0; i < n; i++)
		lives[i]->in_tree = root && ktally_life_below(lives[i], root);
}

static int show(struct runner *r, char **command)
{
	struct show *options = &r->args->show;
	struct ktally_life *root;
	int status = reading_end_push(&r->reading);

	if (status != OPT_GO_ON)
		return status;
	root = ktally_model_find(r->reading.model, (uint32_t)r->child.pid, 0);
	keep_tree(r, root);
	options->out.on_stderr = !options->out.path;
	if (r->args->key == KTALLY_BY_ALL && options->out.format == OUT_TABLE && !r->args->steps.asked)
		status = summary(r, root, command);
	else
		status = table(r);
	reading_warn(&r->reading);
	if (status == OPT_GO_ON && reading_status(&r->reading, options->strict) != DONE)
		status = reading_status(&r->reading, options->strict);
	return status;
}

static int run(struct runner *r, char **command)
{
	int status = start(r, command), own;

	if (status != OPT_GO_ON)
		return status;
	status = loop(r);
	child_poll(&r->child, true);
	if (status == OPT_GO_ON)
		status = session_end(&r->session);
	if (status == OPT_GO_ON)
		status = show(r, command);
	own = r->timed_out ? TIMED_OUT : child_status(&r->child, command[0]);
	return own == DONE && status != OPT_GO_ON ? status : own;
}

static int run_run(int argc, char **argv)
{
	struct args args = { .key = KTALLY_BY_ALL, .steps.gaps.ns = STEPS_GAP };
	struct runner r = { .args = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_run, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (!rest.n_command)
		return say_error(WRONG_USE, "run: what? for example: ktally run -- make -j2");
	r.session.take = take;
	r.session.arg = &r;
	status = run(&r, rest.command);
	if (r.session.live)
		session_close(&r.session);
	reading_close(&r.reading);
	return status;
}

static const char *const run_examples[] = {
	"run -- make -j2",
	"run --by program -- ./configure",
	"run --steps -- sh /etc/init.d/rcS",
	"run --json -o cost.json -- gzip -k file",
	NULL
};

const struct cmd cmd_run = {
	.name = "run",
	.words = "[--by KEY | --steps] -- CMD...",
	.help = "one command: its whole tree's cost",
	.about = "Runs CMD and shows on standard error what it and everything it started cost: CPU, peak memory, storage, failures. With --steps what it did, in order, as ktally commands --steps. CMD's exit status is passed on; 125 means that it was not started.",
	.bits = CMD_RUNS | CMD_STOPS,
	.run = run_run,
	CMD_GROUPS(run_groups),
	.examples = run_examples,
};
