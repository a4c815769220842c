// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - runs commands one after the other in one session and takes each
 * run's figures from the records of its whole tree.
 *
 * Nothing but fork, exec and wait happens between the beginning and the end of a run;
 * records are taken while it sleeps. A run's time is the module's: from the fork to
 * the end of the command's last thread. Its wall time is this program's, as other programs
 * have it: from before the fork until it has been woken up and has collected the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "measure.h"
#include "reading.h"
#include "say.h"
#include "session.h"

enum { LEAST_RUNS = 10, WAIT_MS = 1000 };

const struct measure_kind_row measures[MEASURES] = {
	[MEASURE_TIME]		= { "time", NULL, KTALLY_NS, true },
	[MEASURE_WALL]		= { "wall", NULL, KTALLY_NS, true },
	[MEASURE_CPU]		= { "cpu", "cpu_ns", KTALLY_NS, true },
	[MEASURE_USER]		= { "user", "cpu_user_ns", KTALLY_NS, true },
	[MEASURE_SYS]		= { "system", "cpu_sys_ns", KTALLY_NS, true },
	[MEASURE_PEAK]		= { "peak memory", "peak_rss_bytes", KTALLY_BYTES, true },
	[MEASURE_READ]		= { "read", "read_bytes", KTALLY_BYTES, false },
	[MEASURE_WRITE]		= { "written", "write_bytes", KTALLY_BYTES, false },
	[MEASURE_RX]		= { "received", "rx_wire_bytes", KTALLY_BYTES, false },
	[MEASURE_TX]		= { "sent", "tx_wire_bytes", KTALLY_BYTES, false },
	[MEASURE_LOOP_RX]	= { "lo received", "loop_rx_wire_bytes", KTALLY_BYTES, false },
	[MEASURE_LOOP_TX]	= { "lo sent", "loop_tx_wire_bytes", KTALLY_BYTES, false },
	[MEASURE_MINFLT]	= { "minor faults", "minflt", KTALLY_COUNT, false },
	[MEASURE_MAJFLT]	= { "major faults", "majflt", KTALLY_COUNT, false },
	[MEASURE_NVCSW]		= { "switches", "nvcsw", KTALLY_COUNT, false },
	[MEASURE_NIVCSW]	= { "preemptions", "nivcsw", KTALLY_COUNT, false },
	[MEASURE_PROCESSES]	= { "processes", "count", KTALLY_COUNT, true },
};

struct measuring {
	const struct measure_plan *plan;
	struct measure_result *result;
	struct session session;
	struct reading reading;
	const struct ktally_field *field[MEASURES];	/* that a measure is made from */
	sigset_t old_mask;
	int signals, null;
	uint64_t begin;
	uint64_t rounds, rounds_ns;	/* that are over, and what they took */
};

static int take(void *arg, const void *subbuf, size_t n)
{
	struct measuring *m = arg;

	return reading_push(&m->reading, subbuf, n);
}

/* ---- how far it is ---- */

/* Rounds of a time are as many as fit into it, but not fewer than the least. */
static double seconds_of_all(const struct measuring *m)
{
	const struct measure_plan *p = m->plan;
	double mean = (double)m->rounds_ns / (double)m->rounds / 1e9;
	double rounds = (double)(p->warm_up + (p->runs ? p->runs : LEAST_RUNS)) * mean;

	return p->runs ? rounds : fmax(rounds, (double)p->at_least / 1e9);
}

static void progress(const struct measuring *m)
{
	unsigned long long run = m->rounds + 1;
	double passed = (double)(session_now() - m->begin) / 1e9;

	if (m->rounds)
		say_progress("run %llu, about %.0f s left", run, fmax(0, seconds_of_all(m) - passed));
	else
		say_progress("run %llu, for %.0f s so far", run, passed);
}

/* ---- one run ---- */

static void read_signals(struct measuring *m, const struct child *c)
{
	struct signalfd_siginfo si;

	while (read(m->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			continue;
		m->result->stopped = true;
		if (!c->ended)
			child_hand_on(c, &si);
	}
}

static int wait_for(struct measuring *m, struct child *c)
{
	int status = OPT_GO_ON;

	while (status == OPT_GO_ON && !child_poll(c, false)) {
		int got = ktally_live_wait(m->session.live, WAIT_MS, m->signals);

		if (got < 0)
			return say_error(FAILED, "%s", ktally_live_error(m->session.live));
		if (child_poll(c, false))
			break;
		read_signals(m, c);
		status = got ? session_drain(&m->session) : reading_settle(&m->reading, &m->session);
		progress(m);
	}
	return status;
}

static int run_child(struct measuring *m, char *const *argv, struct measure_run *run)
{
	struct child c;
	int err, status;

	run->from = session_now();
	err = child_spawn(&c, argv, &m->old_mask, m->plan->show_output ? -1 : m->null);
	if (err)
		return say_error(FAILED_BEFORE_CMD, "fork: %s", strerror(-err));
	run->pid = (uint32_t)c.pid;
	if (c.exec_errno)
		return child_status(&c, argv[0]);
	status = wait_for(m, &c);
	child_poll(&c, true);
	run->to = session_now();
	run->wait_status = c.wait_status;
	/* Those of its end would wake us up in the midst of the next run. */
	read_signals(m, &c);
	return status;
}

/* A shell line before or after a run; it is no part of it. */
static int run_line(struct measuring *m, const char *option, const char *line)
{
	char *const argv[] = { "sh", "-c", (char *)line, NULL };
	struct measure_run run = { .command = 0 };
	int status;

	if (!line)
		return OPT_GO_ON;
	status = run_child(m, argv, &run);
	if (status == OPT_GO_ON && run.wait_status && !m->result->stopped)
		status = say_error(FAILED, "measure: --%s '%s' ended with status %d; no run was made",
				   option, line, WIFEXITED(run.wait_status) ? WEXITSTATUS(run.wait_status) : 128 + WTERMSIG(run.wait_status));
	return status;
}

static struct measure_run *new_run(struct measure_result *r)
{
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		struct measure_run *run = realloc(r->run, room * sizeof(*run));

		if (!run)
			return NULL;
		r->run = run;
		r->room = room;
	}
	r->run[r->n] = (struct measure_run){ .command = 0 };
	return &r->run[r->n];
}

static int one_run(struct measuring *m, size_t command, bool warm_up)
{
	struct measure_run *run = new_run(m->result);
	int status = run ? run_line(m, "prepare", m->plan->prepare) : say_error(FAILED, "out of memory");

	if (status != OPT_GO_ON || m->result->stopped)
		return status;
	run->command = (uint32_t)command;
	run->warm_up = warm_up;
	status = run_child(m, m->plan->command[command], run);
	/* One that a person cut off is no measurement. */
	if (status == OPT_GO_ON && !m->result->stopped)
		m->result->n++;
	return status == OPT_GO_ON ? run_line(m, "conclude", m->plan->conclude) : status;
}

/* ---- all of them ---- */

static bool enough(const struct measuring *m)
{
	const struct measure_plan *p = m->plan;

	if (m->rounds < p->warm_up + (p->runs ? p->runs : LEAST_RUNS))
		return false;
	return p->runs || session_now() - m->begin >= p->at_least;
}

/* A B A B: what drifts meets all of them alike. */
static int run_rounds(struct measuring *m)
{
	int status = OPT_GO_ON;

	m->begin = session_now();
	for (; status == OPT_GO_ON && !m->result->stopped && !enough(m); m->rounds++) {
		progress(m);
		for (size_t i = 0; status == OPT_GO_ON && !m->result->stopped && i < m->plan->n_commands; i++)
			status = one_run(m, i, m->rounds < m->plan->warm_up);
		m->rounds_ns = session_now() - m->begin;
	}
	return status;
}

/* ---- figures out of records ---- */

static const struct ktally_life *root_of(const struct measuring *m, const struct measure_run *run)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(m->reading.model, &lives), low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (lives[mid]->start < run->from)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < n && lives[low]->start <= run->to; low++)
		if (lives[low]->tgid == run->pid)
			return lives[low];
	return NULL;
}

static void set(struct measure_run *run, enum measure_kind kind, uint64_t v)
{
	run->v[kind] = v;
	run->known |= 1ULL << kind;
}

static void take_group(struct measuring *m, struct measure_run *run, const struct ktally_group *g)
{
	for (int k = 0; k < MEASURES; k++) {
		struct ktally_value v = { .type = KTALLY_V_UNKNOWN };

		if (m->field[k])
			v = ktally_group_value(g, m->field[k], &m->reading.ctx);
		/* A bound is no measurement. */
		if (v.type == KTALLY_V_U64 && !v.upper && !v.lower)
			set(run, k, v.u);
	}
}

static int take_figures(struct measuring *m, struct measure_run *run)
{
	const struct ktally_life *root = root_of(m, run);
	struct ktally_groups *tree;

	if (!root || root->state != KTALLY_ENDED)
		return OPT_GO_ON;
	set(run, MEASURE_TIME, root->end - root->start);
	set(run, MEASURE_WALL, run->to - run->from);
	tree = ktally_groups_of_tree(&m->reading.ctx, root);
	if (!tree)
		return say_error(FAILED, "out of memory");
	if (ktally_groups_count(tree))
		take_group(m, run, ktally_groups_at(tree, 0));
	ktally_groups_free(tree);
	return OPT_GO_ON;
}

static int take_all_figures(struct measuring *m)
{
	int status = OPT_GO_ON;

	for (int k = 0; k < MEASURES; k++)
		m->field[k] = measures[k].field ? ktally_field_find(measures[k].field) : NULL;
	for (size_t i = 0; status == OPT_GO_ON && i < m->result->n; i++)
		status = take_figures(m, &m->result->run[i]);
	return status;
}

static int open_session(struct measuring *m)
{
	/* From us on, who will fork the commands: nothing else of the machine is recorded. */
	const uint32_t own = (uint32_t)getpid();
	const struct ktally_select tree = {
		.what = KTALLY_SELECT_PIDS | KTALLY_SELECT_TREE,
		.n_pids = 1, .pids = (uintptr_t)&own,
	};
	const struct ktally_live_options live = { .buffer_kb = (uint32_t)m->plan->buffer_kb, .select = &tree };
	int status = reading_begin_push(&m->reading), err;

	m->session.take = take;
	m->session.arg = m;
	err = child_signals(&m->signals, &m->old_mask);
	m->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (status == OPT_GO_ON && (err || m->null < 0))
		status = say_error(FAILED_BEFORE_CMD, "measure: %s", strerror(err ? -err : errno));
	if (status == OPT_GO_ON)
		status = session_open(&m->session, &live);
	return status == OPT_GO_ON ? session_walk(&m->session, KTALLY_WALK_OPENING) : status;
}

int measure_all(const struct measure_plan *plan, struct measure_result *result)
{
	struct measuring m = { .plan = plan, .result = result };
	struct measure_load load;
	int status = open_session(&m);

	measure_clock(&result->resolution, &result->cost);
	measure_load_read(&load);
	if (status == OPT_GO_ON)
		status = run_rounds(&m);
	result->others = measure_load_of_others(&load);
	if (status == OPT_GO_ON)
		status = session_end(&m.session);
	if (status == OPT_GO_ON) {
		result->lost = session_lost(&m.session);
		status = reading_end_push(&m.reading);
	}
	if (status == OPT_GO_ON)
		status = take_all_figures(&m);
	if (m.session.live)
		session_close(&m.session);
	reading_close(&m.reading);
	return status;
}

void measure_series(const struct measure_plan *plan, const struct measure_result *r, struct series_set *set)
{
	for (size_t c = 0; c < plan->n_commands; c++)
		for (int k = 0; k < MEASURES; k++) {
			const struct series_key key = {
				.stage = "runs", .command = (uint32_t)c + 1, .subject = plan->label[c],
				.measure = measures[k].name, .unit = measures[k].unit, .repeat = 1,
			};
			struct series *s = series_get(set, &key);

			for (size_t i = 0; s && i < r->n; i++) {
				const struct measure_run *run = &r->run[i];

				if (run->command == c && !run->warm_up && run->known >> k & 1)
					series_add(set, s, run->v[k]);
			}
			if (s) {
				s->always = measures[k].always;
				s->void_ = r->lost;
			}
		}
}
