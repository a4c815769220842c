// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-metrics.c - what processes cost as Prometheus reads it: once, as a file that
 * node_exporter picks up, or at /metrics.
 *
 * The sums are the kernel's own, so nothing is lost between two scrapes or while this
 * program does not run. One thread: it waits for a scraper, the time to write, a signal,
 * and records of ends.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "metrics/groups.h"
#include "metrics/http.h"
#include "metrics/lives.h"
#include "metrics/metrics-module.h"
#include "modes.h"
#include "replace.h"

enum { DRAIN_MS = 1000 };

struct args {
	struct opt_list by;
	const char *output, *listen;
	struct opt_time every;
	uint64_t groups;
	int names;
};
enum { NAMES_OWN, NAMES_PROCESS_EXPORTER };

static const struct opt metrics_opts[] = {
	{ 'b', "by", "KEY", "sums by program, user, cgroup, unit or container; repeatable; default: program, user and unit",
	  opt_list, offsetof(struct args, by), 0, "program user cgroup unit container" },
	{ 'o', "output", "FILE", "write to FILE, which is replaced when the new one is whole; for node_exporter: NAME.prom in its folder",
	  opt_output, offsetof(struct args, output), 0, "@file" },
	{ 0, "every", "TIME", "go on and write so often, until Ctrl-C", opt_time, offsetof(struct args, every), 0, NULL },
	{ 0, "listen", "[ADDR:]PORT", "answer at http://ADDR:PORT/metrics (default: on 127.0.0.1), until Ctrl-C",
	  opt_string, offsetof(struct args, listen), 0, NULL },
	{ 0, "groups", "N", "series for N groups of a key, those that used most CPU first; all others are one; default: 200",
	  opt_count, offsetof(struct args, groups), 0, NULL },
	{ 0, "names", "WHOSE", "ktally, or process-exporter (namedprocess_namegroup_..., by program, for dashboards that are there)",
	  opt_word, offsetof(struct args, names), NAMES_OWN, "ktally process-exporter" },
};

static const struct opt_group metrics_groups_of[] = {
	OPT_OWN("METRICS", metrics_opts),
};

struct metrics {
	const struct args *args;
	struct metrics_groups keys[METRICS_KEYS];
	size_t n_keys;
	struct metrics_memory memory;
	struct metrics_lives *lives;	/* NULL: only once */
	struct metrics_http *http;
	int signals;
	bool stop;
};

/* ---- a page ---- */

static int put_all(struct metrics *m, const struct metrics_out *o)
{
	const struct metrics_families *families = m->args->names == NAMES_OWN ? &metrics_own : &metrics_process_exporter;
	struct totals_now now = { .sums = { 0 } };
	int status = totals_read(&now);

	for (size_t i = 0; i < m->n_keys && status == OPT_GO_ON; i++)
		status = metrics_groups_put(&m->keys[i], o, families, &now);
	if (status == OPT_GO_ON)
		status = metrics_module_put(o, &now.t);
	if (status == OPT_GO_ON)
		status = metrics_devices_put(o, m->args->groups);
	if (status == OPT_GO_ON && m->lives)
		status = metrics_lives_put(m->lives, o);
	if (status == OPT_GO_ON)
		metrics_end(o);
	totals_free(&now);
	return status;
}

static int put_page(struct metrics *m, const char *path, bool open)
{
	struct metrics_out o = { .open = open, .n = 1, .memory = m->lives ? &m->memory : NULL };
	int err, status;

	o.sink = sink_open(path, 1, &err);
	if (!o.sink)
		return say_error(FAILED, "%s: %s", path, strerror(-err));
	status = put_all(m, &o);
	err = sink_close(o.sink);
	if (status == OPT_GO_ON && err && err != -EPIPE)
		status = say_error(FAILED, "%s: %s", path ? path : "standard output", strerror(-err));
	return status;
}

/* node_exporter, another user, reads what ends in .prom: never half of it. */
static int put_file(struct metrics *m, const char *path)
{
	struct replace file;
	int status = replace_begin(&file, path);

	if (status != OPT_GO_ON)
		return status;
	status = put_page(m, file.part, false);
	if (status == OPT_GO_ON && chmod(file.part, 0644))
		status = say_error(FAILED, "%s: %s", path, strerror(errno));
	return replace_end(&file, status);
}

static int put_somewhere(struct metrics *m)
{
	const char *path = m->args->output;

	if (path && strcmp(path, "-"))
		return put_file(m, path);
	return put_page(m, NULL, false);
}

static int page(void *arg, bool open)
{
	int fd = memfd_create("metrics", MFD_CLOEXEC), status;
	char path[32];

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = put_page(arg, path, open);
	if (status == OPT_GO_ON)
		return fd;
	close(fd);
	return -1;
}

/* ---- going on ---- */

/* Records are taken as they come, so that no scrape need come in time for them. */
static int wait(struct metrics *m, uint64_t next)
{
	struct pollfd fds[] = {
		{ .fd = m->signals, .events = POLLIN },
		{ .fd = metrics_lives_fd(m->lives), .events = POLLIN },
		{ .fd = m->http ? metrics_http_fd(m->http) : -1, .events = POLLIN },
	};

	if (poll(fds, 3, session_ms(session_now(), next, DRAIN_MS)) < 0 && errno != EINTR)
		return say_error(FAILED, "poll: %s", strerror(errno));
	m->stop |= child_asked_to_end(m->signals);
	if (m->http)
		metrics_http_run(m->http);
	return metrics_lives_drain(m->lives);
}

static int loop(struct metrics *m)
{
	const struct opt_time *every = &m->args->every;
	uint64_t next = every->set ? session_now() : UINT64_MAX;
	int status;

	/* A page may take longer than the time between two: even then signals and records are seen. */
	while ((status = wait(m, next)) == OPT_GO_ON && !m->stop) {
		if (session_now() < next)
			continue;
		status = put_somewhere(m);
		if (status != OPT_GO_ON)
			break;
		next += ((session_now() - next) / every->ns + 1) * every->ns;
	}
	return status;
}

static int go_on(struct metrics *m)
{
	struct metrics_lives lives = { .n = 0 };
	sigset_t old;
	int err = child_signals(&m->signals, &old), status;

	if (err)
		return say_error(FAILED, "signals: %s", strerror(-err));
	m->lives = &lives;
	status = m->args->listen ? metrics_http_open(&m->http, m->args->listen, page, m) : OPT_GO_ON;
	if (status == OPT_GO_ON)
		status = metrics_lives_open(&lives, m->args->groups);
	if (status == OPT_GO_ON)
		status = loop(m);
	metrics_http_close(m->http);
	metrics_lives_close(&lives);
	metrics_forget(&m->memory);
	return status;
}

/* ---- words ---- */

static int take_keys(struct metrics *m)
{
	static const char *const usual[] = { "program", "user", "unit" };
	const struct opt_list *by = &m->args->by;
	size_t n = m->args->names != NAMES_OWN ? 1 : by->n ? by->n : 3;

	for (size_t i = 0; i < n; i++) {
		const char *word = m->args->names == NAMES_OWN && by->n ? by->at[i] : usual[i];
		int key = 0;
		bool again = false;

		while (key < METRICS_KEYS && strcmp(metrics_key_names[key], word))
			key++;
		if (key == METRICS_KEYS)
			return say_error(WRONG_USE, "metrics: --by '%s': there are program, user, cgroup, unit and container", word);
		for (size_t k = 0; k < m->n_keys; k++)
			again |= (int)m->keys[k].key == key;
		if (!again)
			m->keys[m->n_keys++] = (struct metrics_groups){ .key = (enum metrics_key)key, .most = m->args->groups };
	}
	return OPT_GO_ON;
}

enum { PRINTS, WRITES, LISTENS };
static const char *const ways[] = { "a page", "-o", "--listen alone", NULL };
static const struct modes_row way_rows[] = {
	{ "every", MODE(PRINTS) | MODE(WRITES) },
};

static int check(const struct args *args, const struct opt_rest *rest)
{
	static const struct modes modes = MODES(ways, way_rows);

	if (rest->n_words)
		return say_error(WRONG_USE, "metrics: '%s'? it takes options only; of a recording: ktally export --to openmetrics",
				 rest->words[0]);
	if (args->every.set && !args->every.ns)
		return say_error(WRONG_USE, "metrics: --every 0; for example: --every 15s");
	if (args->groups > 100000)
		return say_error(WRONG_USE, "metrics: --groups: at most 100000");
	if (args->names != NAMES_OWN && args->by.n && (args->by.n > 1 || strcmp(args->by.at[0], "program")))
		return say_error(WRONG_USE, "metrics: --names process-exporter has groups of programs only");
	if (args->listen && args->output && !args->every.set)
		return say_error(WRONG_USE, "metrics: --listen and -o need --every, which says how often to write");
	return modes_check(&modes, args->output ? WRITES : args->listen ? LISTENS : PRINTS, &cmd_metrics, rest);
}

static int run_metrics(int argc, char **argv)
{
	struct args args = { .groups = 200 };
	struct metrics m = { .args = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_metrics, argc, argv, &args, &rest);

	if (status == OPT_GO_ON)
		status = check(&args, &rest);
	if (status == OPT_GO_ON)
		status = take_keys(&m);
	if (status == OPT_GO_ON)
		status = args.listen || args.every.set ? go_on(&m) : put_somewhere(&m);
	for (size_t i = 0; i < m.n_keys; i++)
		metrics_groups_free(&m.keys[i]);
	return status == OPT_GO_ON ? DONE : status;
}

static const char *const metrics_examples[] = {
	"metrics",
	"metrics -o /var/lib/prometheus/node-exporter/ktally.prom --every 15s",
	"metrics --listen 9435",
	"metrics --listen 9256 --names process-exporter",
	NULL
};

const struct cmd cmd_metrics = {
	.name = "metrics",
	.words = "[-o FILE] [--every TIME] [--listen PORT]",
	.help = "sums for Prometheus: a file or an endpoint",
	.about = "Prints what processes cost since the module was loaded, by program, user and systemd unit, as Prometheus reads it, with network devices and the module's own state; no label is a PID. The kernel itself keeps the sums, so they are whole whenever they are read. With --every or --listen it goes on until Ctrl-C, and adds histograms of lifetimes and ends by signal. metrics.md of the documentation lists the families.",
	.run = run_metrics,
	CMD_GROUPS(metrics_groups_of),
	.examples = metrics_examples,
};
