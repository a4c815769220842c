// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loop.c - one thread between a source, the queue and a server: takes records, seals
 * batches when they are due, sends one after the other, and waits for whichever comes
 * first.
 *
 * While the server does not take a batch, the next try comes later each time, up to a
 * minute, and by chance: a fleet must not come back as one.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "out/text.h"
#include "ship.h"

#define SECOND_NS	1000000000ULL
enum { TRIES_MAX = 6, WAIT_MS = 1000 };

/* ---- sending ---- */

/* Half of 1 s, 2 s, ... 64 s, and up to as much again. */
static uint64_t pause_ns(unsigned int tries)
{
	uint64_t most = SECOND_NS << (tries < TRIES_MAX ? tries : TRIES_MAX), by_chance = 0;

	if (getrandom(&by_chance, sizeof(by_chance), GRND_NONBLOCK) != sizeof(by_chance))
		by_chance = session_now();
	return most / 2 + by_chance % (most / 2 + 1);
}

/* Once per trouble: a server that is down says the same for hours. */
static void say_trouble(struct ship *s, const char *why)
{
	char rows[32], span[32];

	if (strcmp(s->trouble, why))
		say_warning("%s: %s; %s rows wait%s%s, next try in %s", s->options->to, why,
			    say_count(rows, s->queue.rows), s->queue.dir ? " in " : "", s->queue.dir ? s->queue.dir : "",
			    (text_span(span, sizeof(span), s->next_try - session_now()), span));
	snprintf(s->trouble, sizeof(s->trouble), "%s", why);
}

static void taken(struct ship *s)
{
	char rows[32];

	s->sent_rows += s->sending->rows;
	s->sent_bytes += s->sending->n;
	s->sent_batches++;
	ship_queue_remove(&s->queue, s->sending);
	s->tries = 0;
	if (*s->trouble)
		say("%s: takes rows again; %s wait", s->options->to, say_count(rows, s->queue.rows));
	s->trouble[0] = '\0';
}

static void not_taken(struct ship *s, enum ship_answer answer, const char *why)
{
	s->next_try = session_now() + pause_ns(s->tries++);
	/* One that the server will never want must not stand before the others. */
	if (answer == SHIP_REFUSED)
		ship_queue_turn(&s->queue);
	say_trouble(s, why);
}

static void take_answer(struct ship *s)
{
	const char *why;
	enum ship_answer answer = ship_http_answer(s->http, &why);

	if (!s->sending || answer == SHIP_BUSY)
		return;
	free(s->body);
	s->body = NULL;
	s->queue.held = NULL;
	if (answer == SHIP_TAKEN)
		taken(s);
	else
		not_taken(s, answer, why);
	s->sending = NULL;
}

static void send_next(struct ship *s, uint64_t now)
{
	struct ship_batch *b = s->queue.first;

	if (s->sending || !b || now < s->next_try)
		return;
	s->body = ship_queue_read(&s->queue, b);
	if (!s->body) {
		ship_queue_remove(&s->queue, b);
		return;
	}
	s->sending = b;
	s->queue.held = b;
	ship_http_post(s->http, s->body, b->n);
}

/* ---- taking ---- */

/* A source that is not lost by waiting waits while much is not sent. */
static bool may_take(const struct ship *s, uint64_t now)
{
	if (s->done)
		return false;
	return s->source->endless || (now >= s->next_take && !ship_queue_full(&s->queue));
}

static int seal(struct ship *s, bool all)
{
	int status = OPT_GO_ON;

	if (all || ship_rows_due(&s->rows, session_now()))
		status = ship_rows_seal(&s->rows, s->http, &s->queue);
	if (status == OPT_GO_ON && !s->rows.out && s->source->settled)
		status = s->source->settled(s);
	return status;
}

static int take(struct ship *s)
{
	uint64_t now = session_now();
	int status = may_take(s, now) ? s->source->take(s, now) : OPT_GO_ON;

	if (status == OPT_GO_ON)
		status = seal(s, s->done);
	if (s->queue.memory && s->queue.dir && now >= s->next_write) {
		s->next_write = now + SECOND_NS;
		ship_queue_write(&s->queue);
	}
	return status;
}

/* ---- waiting ---- */

static int wait_ms(const struct ship *s, uint64_t now)
{
	int ms = WAIT_MS, more;

	if (may_take(s, now) || s->source->endless)
		ms = session_ms(now, s->next_take, WAIT_MS);
	more = s->queue.first && !s->sending ? session_ms(now, s->next_try, WAIT_MS) : WAIT_MS;
	return more < ms ? more : ms;
}

static void wait_for_something(struct ship *s)
{
	struct pollfd fds[2] = { { .fd = s->signals } };
	unsigned int n = 1;

	if (s->source->fd)
		fds[n++].fd = s->source->fd(s);
	ship_http_wait(s->http, fds, n, wait_ms(s, session_now()));
	s->stop |= child_asked_to_end(s->signals);
	take_answer(s);
}

/* ---- the way through it ---- */

static void show_progress(const struct ship *s)
{
	char sent[32], wait[32], bytes[32];

	say_progress("shipping %.1f s %s %s rows sent %s %s wait, %s %s Ctrl-C stops",
		     1e-9 * (double)(session_now() - s->begin), text_glyphs()->dot, say_count(sent, s->sent_rows),
		     text_glyphs()->dot, say_count(wait, s->queue.rows + s->rows.n),
		     say_size(bytes, s->queue.disk + s->queue.memory), text_glyphs()->dot);
}

static bool over(const struct ship *s)
{
	const struct opt_time *duration = &s->options->duration;

	return s->stop || (s->done && !s->queue.first && !s->rows.out) ||
	       (duration->set && session_now() - s->begin >= duration->ns);
}

static int loop(struct ship *s)
{
	int status = OPT_GO_ON;

	service_ready();
	while (status == OPT_GO_ON && !over(s)) {
		status = take(s);
		send_next(s, session_now());
		wait_for_something(s);
		if (session_now() - s->begin > SECOND_NS)
			show_progress(s);
	}
	return status;
}

/* What ended until now is in the spool then, and what fits into a moment is sent. */
static int finish(struct ship *s)
{
	uint64_t end = session_now() + SECOND_NS;
	int status;

	s->next_take = 0;
	status = s->source->endless ? s->source->take(s, session_now()) : OPT_GO_ON;
	if (status == OPT_GO_ON)
		status = ship_rows_seal(&s->rows, s->http, &s->queue);
	while (status == OPT_GO_ON && s->queue.first && session_now() < end && !*s->trouble) {
		send_next(s, session_now());
		wait_for_something(s);
	}
	return status;
}

static void summary(const struct ship *s)
{
	char rows[32], wire[32], all[32], wait[32], dropped[32];

	say("shipped %s rows to %s: %" PRIu64 " batches, %s on the wire, made of %s", say_count(rows, s->sent_rows),
	    s->options->to, s->sent_batches, say_size(wire, s->sent_bytes), say_size(all, s->rows.bytes));
	if (s->queue.dropped)
		say_warning("%s rows were dropped for want of room", say_count(dropped, s->queue.dropped));
	if (s->queue.disk)
		say("%s rows wait in %s and go with the next ktally ship", say_count(wait, s->queue.rows), s->queue.dir);
}

/* Of a recording all is wanted; of what happens what could be had. */
static int result(const struct ship *s)
{
	char rows[32];

	if (s->queue.memory)
		return say_error(FAILED, "%s: %s rows were not taken", s->options->to, say_count(rows, s->queue.rows));
	if (!s->source->endless && !s->options->follow && (!s->done || s->queue.first))
		return say_error(FAILED, "%s: not all rows of the recording are there; ship it again: what is there twice has the same key",
				 s->options->to);
	return s->queue.dropped && s->options->strict ? INCOMPLETE : DONE;
}

int ship_run(struct ship *s)
{
	sigset_t old;
	int err = child_signals(&s->signals, &old), status;

	if (err)
		return say_error(FAILED, "signals: %s", strerror(-err));
	s->begin = session_now();
	status = s->source->open(s);
	if (status == OPT_GO_ON)
		status = loop(s);
	if (status == OPT_GO_ON)
		status = finish(s);
	if (status == OPT_GO_ON) {
		summary(s);
		status = result(s);
	}
	free(s->body);
	return status;
}
