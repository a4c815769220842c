// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure/method-worker.c - workers, and the single measurements they give: runs of a command
 * from fork to exit, numbers they print, or the time between two marks; the first and
 * the last by the module's clock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/whole.h"
#include "method.h"
#include "say.h"

enum { DEEPEST = 64 };

/* ---- measurements ---- */

static void measured(struct method *m, int worker, uint64_t begin, uint64_t value)
{
	m->measured++;
	if (m->taking && begin >= m->taking_from && (m->taking_of < 0 || m->taking_of == worker))
		series_add(m->set, m->taking, value);
}

static int worker_with_pid(const struct method *m, uint32_t pid)
{
	for (uint64_t i = 0; i < m->plan->workers; i++)
		if (m->worker[i].pid > 0 && (uint32_t)m->worker[i].pid == pid)
			return (int)i;
	return -1;
}

int method_worker_of(const struct method *m, const struct ktally_life *l)
{
	return worker_with_pid(m, l->ppid);
}

/* Of a process anywhere below a worker. */
static int worker_above(const struct method *m, const struct ktally_watched *p)
{
	for (int depth = 0; p && depth < DEEPEST; depth++) {
		int i = method_worker_of(m, &p->life);

		if (i >= 0)
			return i;
		p = ktally_watch_pid(m->view.watch, p->life.ppid);
	}
	return -1;
}

static void take_end(struct method *m, const struct ktally_event *ev)
{
	const struct ktally_watched *p = ktally_watch_find(m->view.watch, ev->u.exit.tgid, ev->u.exit.start);
	int i = p ? method_worker_of(m, &p->life) : -1;

	if (i < 0)
		return;
	m->ends->runs++;
	m->ends->failed += ev->u.exit.status != 0;
	/* One whose beginning was not seen is not whole. */
	if (p->life.saw_fork)
		measured(m, i, p->life.start, ev->time - p->life.start);
}

static bool says(const struct ktally_str *s, const char *word)
{
	size_t n = strlen(word);

	return s->p && s->len >= n && !memcmp(s->p, word, n) && (s->len == n || s->p[n] == ' ' || !s->p[n]);
}

static void take_mark(struct method *m, const struct ktally_event *ev)
{
	int i = worker_above(m, ktally_watch_pid(m->view.watch, ev->u.mark.tgid));
	struct method_worker *w;

	if (i < 0)
		return;
	w = &m->worker[i];
	if (says(&ev->str[0], "begin")) {
		w->begun = ev->time;
	} else if (says(&ev->str[0], "end") && w->begun) {
		measured(m, i, w->begun, ev->time - w->begun);
		w->begun = 0;
	}
}

void method_workers_see(struct method *m, const struct ktally_event *ev)
{
	if (ev->kind == KTALLY_EXIT && ev->decoded && m->plan->action == METHOD_RUNS)
		take_end(m, ev);
	else if (ev->kind == KTALLY_MARK && ev->decoded && m->plan->action == METHOD_MARKS)
		take_mark(m, ev);
}

static void take_line(struct method *m, int i, const char *line, size_t n, uint64_t now)
{
	uint64_t value;
	double steps;

	while (n && strchr(" \t\r", line[n - 1]))
		n--;
	while (n && strchr(" \t", *line)) {
		line++;
		n--;
	}
	if (!n)
		return;
	/* Read with six decimals, whatever its unit. */
	if (series_parse(line, n, KTALLY_NONE, &value)) {
		m->wrong = say_error(FAILED, "measure: worker %d printed '%.*s': a number from 0 on is wanted in each line",
				     i + 1, (int)n, line);
		return;
	}
	steps = (double)value * series_scale(KTALLY_NONE) * m->plan->steps;
	measured(m, i, now, m->plan->unit == KTALLY_NONE ? value : whole_of(steps));
}

static void take_bytes(struct method *m, int i, const char *p, size_t n, uint64_t now)
{
	struct method_worker *w = &m->worker[i];

	for (size_t k = 0; k < n && m->wrong == OPT_GO_ON; k++) {
		if (p[k] == '\n') {
			take_line(m, i, w->line, w->n_line, now);
			w->n_line = 0;
		} else if (w->n_line < sizeof(w->line)) {
			w->line[w->n_line++] = p[k];
		}
	}
}

void method_workers_read(struct method *m)
{
	uint64_t now = session_now();
	char bytes[4096];

	for (uint64_t i = 0; i < m->plan->workers; i++) {
		ssize_t n;

		while (m->worker[i].out >= 0 && m->wrong == OPT_GO_ON &&
		       (n = read(m->worker[i].out, bytes, sizeof(bytes))) > 0)
			take_bytes(m, (int)i, bytes, (size_t)n, now);
	}
}

/* ---- their lives ---- */

static int start(struct method *m, struct method_worker *w)
{
	int out[2] = { -1, -1 };
	struct epoll_event e = { .events = EPOLLIN };

	if (m->plan->action == METHOD_NUMBERS) {
		if (pipe2(out, O_CLOEXEC | O_NONBLOCK))
			return -errno;
		/* Only this end: a worker waits when nobody reads. */
		fcntl(out[1], F_SETFL, 0);
		if (epoll_ctl(m->poll, EPOLL_CTL_ADD, out[0], &e))
			return -errno;
	}
	*w = (struct method_worker){ .out = out[0] };
	w->pid = method_start(m, m->plan->command, out[1], true);
	if (out[1] >= 0)
		close(out[1]);
	return w->pid < 0 ? -errno : 0;
}

int method_workers_start(struct method *m)
{
	int err = 0;

	for (uint64_t i = 0; !err && m->plan->command && i < m->plan->workers; i++)
		err = start(m, &m->worker[i]);
	return err ? say_error(FAILED, "measure: cannot start workers: %s", strerror(-err)) : OPT_GO_ON;
}

int method_workers_check(struct method *m)
{
	int how;

	for (uint64_t i = 0; i < m->plan->workers; i++) {
		struct method_worker *w = &m->worker[i];

		if (w->pid <= 0 || !waitpid(w->pid, &how, WNOHANG))
			continue;
		w->pid = 0;
		if (WIFEXITED(how) && WEXITSTATUS(how) == CMD_NOT_FOUND)
			return say_error(CMD_NOT_FOUND, "cannot execute '%s'", m->plan->command[0]);
		return say_error(FAILED, "measure: worker %llu was ended by somebody", (unsigned long long)i + 1);
	}
	return m->wrong;
}

void method_workers_stop(struct method *m)
{
	for (uint64_t i = 0; i < m->plan->workers; i++)
		if (m->worker[i].pid > 0)
			kill(-m->worker[i].pid, SIGTERM);
	for (uint64_t i = 0; i < m->plan->workers; i++) {
		method_end(m->worker[i].pid);
		if (m->worker[i].out >= 0)
			close(m->worker[i].out);
		m->worker[i] = (struct method_worker){ .out = -1 };
	}
}
