// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives.c - histograms of lifetimes by program, and ends by signal, from exit
 * records. They begin with the session, so they begin anew when ktally does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lives.h"
#include "out/markup.h"
#include "out/text.h"

/* Upper ends, seconds; beyond the last is +Inf. */
static const double ends[] = { 0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 86400 };
enum { BUCKETS = sizeof(ends) / sizeof(ends[0]) + 1, LABELS = 256 };

struct lives_of {
	char program[KTALLY_COMM_LEN + 1];
	uint64_t buckets[BUCKETS], count, sum;	/* sum: ns */
};

/* ---- taking ---- */

static struct lives_of *find(struct metrics_lives *l, const char *program)
{
	size_t i = 0;

	while (i < l->n && strcmp(l->programs[i].program, program))
		i++;
	if (i == l->n && l->n <= l->most) {
		/* The last place is of all others. */
		if (l->n == l->most)
			program = "(others)";
		snprintf(l->programs[l->n++].program, sizeof(l->programs[0].program), "%s", program);
	}
	return &l->programs[i < l->n ? i : l->n - 1];
}

static void take_exit(struct metrics_lives *l, const struct ktally_event *ev)
{
	const struct ktally_exit *x = &ev->u.exit;
	uint64_t life = ev->time > x->start ? ev->time - x->start : 0;
	unsigned int signal = x->status & 0x7f, bucket = 0;
	char program[KTALLY_COMM_LEN + 1];
	struct lives_of *of;

	/* The second of a pair is none. */
	if (x->flags & KTALLY_EXIT_MAYBE_DUP)
		return;
	snprintf(program, sizeof(program), "%.*s", KTALLY_COMM_LEN, x->comm);
	/* Kernel threads of one kind differ behind the slash. */
	if (x->flags & KTALLY_EXIT_KTHREAD)
		program[strcspn(program, "/")] = '\0';
	of = find(l, program);
	while (bucket < BUCKETS - 1 && 1e-9 * (double)life > ends[bucket])
		bucket++;
	of->buckets[bucket]++;
	of->count++;
	of->sum += life;
	if (signal)
		l->signals[signal <= 64 ? signal : 0]++;
}

static int push(void *arg, const void *subbuf, size_t n)
{
	struct metrics_lives *l = arg;

	if (ktally_stream_push(l->stream, subbuf, n))
		return say_error(FAILED, "%s", ktally_stream_error(l->stream));
	return 0;
}

int metrics_lives_drain(struct metrics_lives *l)
{
	return session_drain(&l->session);
}

static int take_all(struct metrics_lives *l)
{
	uint64_t before;
	int status = session_settle(&l->session, SESSION_TRIES, &before), got = 0;
	struct ktally_event ev;

	if (status != OPT_GO_ON)
		return status;
	if (before)
		ktally_stream_settled(l->stream, before);
	while ((got = ktally_stream_next(l->stream, &ev)) == 1)
		if (ev.kind == KTALLY_EXIT && ev.decoded)
			take_exit(l, &ev);
	if (got && got != -EAGAIN)
		return say_error(FAILED, "%s", ktally_stream_error(l->stream));
	return OPT_GO_ON;
}

/* ---- saying ---- */

static void put_histogram(const struct metrics_out *o, const struct lives_of *of)
{
	uint64_t below = 0;
	char labels[LABELS] = "";

	metrics_label(labels, sizeof(labels), "program", of->program, strlen(of->program));
	for (size_t i = 0; i < BUCKETS; i++) {
		below += of->buckets[i];
		sink_puts(o->sink, "ktally_process_lifetime_seconds_bucket{");
		sink_puts(o->sink, labels);
		if (i < BUCKETS - 1)
			markup_printf(o->sink, ",le=\"%g\"} ", ends[i]);
		else
			sink_puts(o->sink, ",le=\"+Inf\"} ");
		sink_u64(o->sink, below);
		sink_char(o->sink, '\n');
	}
	markup_printf(o->sink, "ktally_process_lifetime_seconds_sum{%s} %.9f\n", labels, 1e-9 * (double)of->sum);
	markup_printf(o->sink, "ktally_process_lifetime_seconds_count{%s} %.0f\n", labels, (double)of->count);
}

static void put_signals(const struct metrics_out *o, const struct metrics_lives *l)
{
	char labels[LABELS], name[32];

	metrics_begin(o, "ktally_signal_exits", NULL, true, "Processes that a signal ended, since ktally metrics began.");
	for (int signal = 1; signal <= 64; signal++) {
		if (!l->signals[signal])
			continue;
		labels[0] = '\0';
		metrics_label(labels, sizeof(labels), "signal", name, text_signal(name, sizeof(name), signal));
		metrics_value(o, "ktally_signal_exits", true, labels, (double)l->signals[signal]);
	}
	metrics_value(o, "ktally_signal_exits", true, "signal=\"other\"", (double)l->signals[0]);
}

int metrics_lives_put(struct metrics_lives *l, const struct metrics_out *o)
{
	int status = take_all(l);

	if (status != OPT_GO_ON)
		return status;
	if (l->n) {
		sink_puts(o->sink, "# HELP ktally_process_lifetime_seconds How long the processes had lived that ended since ktally metrics began.\n");
		sink_puts(o->sink, "# TYPE ktally_process_lifetime_seconds histogram\n");
	}
	for (size_t i = 0; i < l->n; i++)
		put_histogram(o, &l->programs[i]);
	put_signals(o, l);
	metrics_begin(o, "ktally_metrics_lost_records", NULL, true, "Ends that are missing in lifetimes and signals.");
	metrics_value(o, "ktally_metrics_lost_records", true, "", (double)session_lost(&l->session));
	return OPT_GO_ON;
}

/* ---- the session ---- */

int metrics_lives_open(struct metrics_lives *l, size_t most)
{
	const struct ktally_live_options options = { .kinds = 1ULL << KTALLY_EXIT };

	*l = (struct metrics_lives){ .most = most, .session = { .take = push, .arg = l } };
	l->programs = calloc(most + 1, sizeof(*l->programs));
	if (!l->programs || ktally_stream_open_push(&l->stream))
		return say_error(FAILED, "out of memory");
	return session_open(&l->session, &options);
}

int metrics_lives_fd(const struct metrics_lives *l)
{
	return ktally_live_fd(l->session.live);
}

void metrics_lives_close(struct metrics_lives *l)
{
	session_close(&l->session);
	ktally_stream_close(l->stream);
	free(l->programs);
}
