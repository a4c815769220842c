// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure/method.c - the way through a method: for each repeat what comes before, the server,
 * the workers, warming up, and the stages one after the other.
 *
 * One session over all of it. Workers go on through all stages of a repeat; a stage in
 * which records were lost is void, one that was not finished is left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "lib/muldiv.h"
#include "method.h"
#include "say.h"

#define SECOND		1000000000ULL
#define STABLE_NS	(2 * SECOND)	/* windows whose medians are compared */
#define STABLE_WITHIN	0.05
#define SILENCE		(10 * SECOND)	/* without a measurement, until a word is said of it */
enum { STABLE_TIMES = 2 };

/* ---- waiting ---- */

int method_wait(struct method *m, uint64_t until)
{
	int status = watching_wait(&m->view, until, m->poll);

	m->stopped |= child_asked_to_end(m->signals);
	method_workers_read(m);
	return status;
}

/* Records are taken, and who ended is let go; nobody is looked at. */
static int let_go(struct method *m)
{
	int status = watching_pump(&m->view);

	if (status == OPT_GO_ON)
		status = watching_forget(&m->view);
	return status == OPT_GO_ON ? method_roles_cut(m) : status;
}

static int wait_until(struct method *m, uint64_t until)
{
	int status = OPT_GO_ON;

	while (status == OPT_GO_ON && !m->stopped && session_now() < until)
		status = method_wait(m, until);
	return status == OPT_GO_ON ? method_workers_check(m) : status;
}

static int see(void *arg, const struct ktally_event *ev)
{
	struct method *m = arg;

	method_workers_see(m, ev);
	return method_roles_feed(m, ev);
}

/* ---- chance and time ---- */

/* splitmix64, from 0 to n - 1. */
static uint64_t draw(struct method *m, uint64_t n)
{
	uint64_t z = m->draw += 0x9e3779b97f4a7c15ULL, low;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return mul_wide(z ^ z >> 31, n, &low);
}

static double seconds_of_repeat(const struct method *m, bool with_solo)
{
	const struct method_plan *p = m->plan;
	double passed = (double)(session_now() - m->begin) / 1e9;
	double solo = m->measured ? passed / (double)m->measured * (double)(p->solo * p->workers) : 0;
	double stages = p->together || m->n_roles < 2 ? 1 : 2;

	return (double)(p->warm_up.from + p->warm_up.to) / 2e9 + stages * (double)(p->samples * p->every) / 1e9 +
	       (p->command ? (double)p->shared / 1e9 + (with_solo ? solo : 0) : 0);
}

/* part: of the stage, 0 to 1. */
static void progress(const struct method *m, const char *stage, double part)
{
	double passed = (double)(session_now() - m->begin) / 1e9;
	double left = (double)m->plan->repeats * seconds_of_repeat(m, true) - passed;

	say_progress("repeat %u of %llu, %s %.0f %%, about %.0f s left", m->repeat,
		     (unsigned long long)m->plan->repeats, stage, 100 * part, left > 0 ? left : 0);
}

/* ---- stages ---- */

struct stage {
	const char *name;
	uint64_t lost;			/* records, before it */
};

static void begin_stage(struct method *m, struct stage *s, const char *name)
{
	s->name = name;
	s->lost = session_lost(&m->view.session);
}

/* What belongs to it is void, or, of an unfinished one, gone. */
static void end_stage(struct method *m, const struct stage *s)
{
	uint64_t lost = session_lost(&m->view.session) - s->lost;
	char count[32];

	m->taking = NULL;
	for (size_t i = 0; i < m->set->n; i++) {
		struct series *one = m->set->at[i];

		if (one->repeat != m->repeat || strcmp(one->stage, s->name))
			continue;
		one->void_ |= lost > 0;
		if (m->stopped)
			one->n = 0;
	}
	m->lost += lost;
	if (lost)
		say_warning("repeat %u, %s: %s records were lost (buffer full), so this stage is void; raise --buffer",
			    m->repeat, s->name, say_count(count, lost));
}

static struct series *single_series(struct method *m, struct series_set *set, const char *stage)
{
	const struct series_key key = {
		.stage = stage, .subject = "worker", .repeat = m->repeat,
		.measure = m->plan->action == METHOD_NUMBERS ? "value" : "time", .unit = m->plan->unit,
	};
	struct series *s = series_get(set, &key);

	if (s)
		s->always = true;
	return s;
}

static void warn_of_nobody(const struct method *m, const char *stage, bool clients, bool others)
{
	for (size_t i = 0; !m->stopped && i < m->n_roles; i++) {
		const struct ktally_tally *t = ktally_watch_total(m->role[i].watch);

		if ((strcmp(m->role[i].name, "client") ? others : clients) && !t->sum_alive && !t->total.of[KTALLY_COST_CPU])
			say_warning("repeat %u, %s: role %s has no process", m->repeat, stage, m->role[i].name);
	}
}

static int resources(struct method *m, const char *name, bool clients, bool others)
{
	uint64_t deadline;
	struct stage stage;
	int status = watching_refresh(&m->view);

	if (status == OPT_GO_ON)
		status = method_roles_cut(m);
	begin_stage(m, &stage, name);
	method_machine_read(m);
	deadline = ktally_watch_interval(m->view.watch)->end;
	for (uint64_t i = 0; status == OPT_GO_ON && !m->stopped && i < m->plan->samples; i++) {
		progress(m, name, (double)i / (double)m->plan->samples);
		deadline += m->plan->every;
		status = wait_until(m, deadline);
		if (status != OPT_GO_ON || m->stopped)
			break;
		status = watching_refresh(&m->view);
		if (status == OPT_GO_ON)
			status = method_roles_cut(m);
		method_machine_read(m);
		method_sample(m, name, clients, others);
	}
	warn_of_nobody(m, name, clients, others);
	end_stage(m, &stage);
	return status;
}

/* A worker that measures nothing makes a stage without an end. */
static bool warn_of_silence(const struct method *m, const char *stage, uint64_t ns)
{
	static const char *const missing[] = {
		[METHOD_RUNS] = "no run has ended", [METHOD_NUMBERS] = "no number was printed",
		[METHOD_MARKS] = "no marks were set (ktally mark begin, ktally mark end)",
	};

	if (m->taking->n || ns < SILENCE)
		return false;
	say_warning("repeat %u, %s: %s for %llu s; Ctrl-C ends it", m->repeat, stage, missing[m->plan->action],
		    SILENCE / SECOND);
	return true;
}

/* Single measurements until there are enough, or for so long. */
static int singles(struct method *m, const char *name, int worker, uint64_t enough, uint64_t ns)
{
	struct stage stage;
	uint64_t begin, now;
	int status = let_go(m);
	bool said = false;

	begin_stage(m, &stage, name);
	m->taking = single_series(m, m->set, name);
	m->taking_of = worker;
	m->taking_from = begin = now = session_now();
	while (status == OPT_GO_ON && m->taking && !m->stopped && m->taking->n < enough && now - begin < ns) {
		said = said || warn_of_silence(m, name, now - begin);
		double part = enough < SIZE_MAX ? (double)m->taking->n / (double)enough : (double)(now - begin) / (double)ns;

		progress(m, name, part);
		status = wait_until(m, ns - (now - begin) < SECOND ? begin + ns : now + SECOND);
		if (status == OPT_GO_ON)
			status = let_go(m);
		now = session_now();
	}
	/* The last look may have brought more than was asked for. */
	if (m->taking && m->taking->n > enough)
		m->taking->n = enough;
	end_stage(m, &stage);
	return status;
}

static int until_stable(struct method *m)
{
	struct series_set set = { .n = 0 };
	struct series *window = single_series(m, &set, "warm-up");
	uint64_t until = session_now() + m->plan->warm_up.to;
	double before = 0;
	int status = OPT_GO_ON, alike = 0;

	while (status == OPT_GO_ON && window && !m->stopped && alike < STABLE_TIMES && session_now() < until) {
		double median;

		window->n = 0;
		m->taking = window;
		m->taking_of = -1;
		m->taking_from = 0;
		status = wait_until(m, session_now() + STABLE_NS);
		if (status == OPT_GO_ON)
			status = let_go(m);
		ktally_sort(window->values, window->n);
		median = window->n ? ktally_quantile(window->values, window->n, 0.5) : 0;
		alike = before > 0 && median > 0 && fabs(median / before - 1) < STABLE_WITHIN ? alike + 1 : 0;
		before = median;
		progress(m, "warming up", alike / (double)STABLE_TIMES);
	}
	m->taking = NULL;
	if (status == OPT_GO_ON && !m->stopped && alike < STABLE_TIMES)
		say_warning("repeat %u: medians of %llu s still differ by more than %.0f %% after %.0f s of warming up",
			    m->repeat, STABLE_NS / SECOND, 100 * STABLE_WITHIN, (double)m->plan->warm_up.to / 1e9);
	series_free(&set);
	return status;
}

static int warm_up(struct method *m)
{
	const struct method_warm_up *w = &m->plan->warm_up;
	uint64_t ns = w->from + (w->to > w->from ? draw(m, w->to - w->from) : 0), until = session_now() + ns;
	int status = OPT_GO_ON;

	if (w->stable)
		return until_stable(m);
	while (status == OPT_GO_ON && !m->stopped && session_now() < until) {
		uint64_t next = session_now() + SECOND;

		progress(m, "warming up", 1 - (double)(until - session_now()) / (double)ns);
		status = wait_until(m, next < until ? next : until);
		if (status == OPT_GO_ON)
			status = let_go(m);
	}
	return status;
}

/* ---- all of them ---- */

static bool has_others(const struct method *m)
{
	for (size_t i = 0; i < m->n_roles; i++)
		if (strcmp(m->role[i].name, "client"))
			return true;
	return false;
}

static bool goes_on(const struct method *m, int status)
{
	return status == OPT_GO_ON && !m->stopped;
}

static int stages(struct method *m)
{
	const struct method_plan *p = m->plan;
	int worker = (int)draw(m, p->workers ? p->workers : 1);
	int status = warm_up(m);

	if (p->samples && p->together && goes_on(m, status))
		status = resources(m, "both", true, true);
	if (p->samples && !p->together && p->command && goes_on(m, status))
		status = resources(m, "client", true, false);
	if (p->samples && !p->together && has_others(m) && goes_on(m, status))
		status = resources(m, "server", false, true);
	if (p->command && p->solo && goes_on(m, status))
		status = singles(m, "solo", worker, p->solo, UINT64_MAX);
	if (p->command && p->shared && goes_on(m, status))
		status = singles(m, "shared", -1, SIZE_MAX, p->shared);
	return status;
}

static int repeat(struct method *m)
{
	int status = method_line(m, "prepare", m->plan->prepare), after;

	if (goes_on(m, status))
		status = method_server_start(m);
	if (goes_on(m, status))
		status = method_workers_start(m);
	if (goes_on(m, status))
		status = stages(m);
	method_workers_stop(m);
	method_end(m->server);
	m->server = 0;
	after = m->stopped ? OPT_GO_ON : method_line(m, "conclude", m->plan->conclude);
	return status == OPT_GO_ON ? after : status;
}

static int open_all(struct method *m)
{
	const struct ktally_live_options live = {
		.kinds = WATCHING_KINDS | 1ULL << KTALLY_MARK, .buffer_kb = (uint32_t)m->plan->buffer_kb,
	};
	struct ktally_watch_options all = { .key = KTALLY_BY_ALL };
	struct epoll_event e = { .events = EPOLLIN };
	int status, err = child_signals(&m->signals, &m->old_mask);

	m->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	m->poll = epoll_create1(EPOLL_CLOEXEC);
	if (err || m->null < 0 || m->poll < 0 || epoll_ctl(m->poll, EPOLL_CTL_ADD, m->signals, &e))
		return say_error(FAILED, "measure: %s", strerror(err ? -err : errno));
	for (int i = 0; i < METHOD_WORKERS; i++)
		m->worker[i].out = -1;
	m->view.see = see;
	m->view.see_arg = m;
	status = method_roles_open(m);
	if (status == OPT_GO_ON)
		status = watching_open(&m->view, &all, &live);
	return status == OPT_GO_ON ? method_roles_cut(m) : status;
}

int method_run(const struct method_plan *plan, struct series_set *set, struct measure_report *report)
{
	struct method *m = calloc(1, sizeof(*m));
	int status;

	if (!m)
		return say_error(FAILED, "out of memory");
	m->plan = plan;
	m->set = set;
	m->ends = &report->ends[0];
	m->ends->label = "workers";
	m->draw = plan->seed;
	m->taking_of = -1;
	m->wrong = OPT_GO_ON;
	measure_clock(&report->resolution, &report->cost);
	status = open_all(m);
	m->begin = session_now();
	for (m->repeat = 1; goes_on(m, status) && m->repeat <= plan->repeats; m->repeat++)
		status = repeat(m);
	report->n_ends = plan->command && plan->action == METHOD_RUNS;
	report->lost = m->lost;
	report->stopped = m->stopped;
	if (m->view.session.live)
		watching_close(&m->view);
	method_roles_close(m);
	free(m);
	if (status == OPT_GO_ON && set->oom)
		status = say_error(FAILED, "out of memory");
	return status;
}
