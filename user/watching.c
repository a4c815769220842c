// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watching.c - a live view's way from the module to figures.
 *
 * A refresh is: look at who ran, flush, drain, take all records older than the flush
 * in order, cut. Between refreshes records are taken once a second, so that a long
 * interval needs no more memory than a short one. Everybody is looked at when records
 * were lost, and now and then: a process whose end was lost is found missing then, and
 * memory that others took from those who sleep is seen.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "cmd.h"
#include "watching.h"

#define PUMP_NS		1000000000ULL
#define ALL_NS		(30 * PUMP_NS)
#define FORGET_NS	PUMP_NS

static int push(void *arg, const void *subbuf, size_t n)
{
	struct watching *v = arg;

	if (ktally_stream_push(v->stream, subbuf, n))
		return say_error(FAILED, "%s", ktally_stream_error(v->stream));
	return 0;
}

int64_t watching_real(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec - (int64_t)session_now();
}

int watching_pump(struct watching *v)
{
	struct ktally_event ev;
	uint64_t before;
	int err, status = session_settle(&v->session, UINT_MAX, &before);

	if (status != OPT_GO_ON)
		return status;
	ktally_stream_settled(v->stream, before);
	while ((err = ktally_stream_next(v->stream, &ev)) == 1) {
		if (ktally_watch_feed(v->watch, &ev))
			return say_error(FAILED, "out of memory for the processes of this machine");
		status = v->see ? v->see(v->see_arg, &ev) : OPT_GO_ON;
		if (status != OPT_GO_ON)
			return status;
	}
	if (err && err != -EAGAIN)
		return say_error(FAILED, "%s", ktally_stream_error(v->stream));
	return OPT_GO_ON;
}

int watching_forget(struct watching *v)
{
	if (ktally_watch_cut(v->watch, session_now(), false))
		return say_error(FAILED, "out of memory for the processes of this machine");
	return OPT_GO_ON;
}

int watching_refresh(struct watching *v)
{
	uint64_t now = session_now(), lost = session_lost(&v->session);
	bool all = lost != v->lost || now - v->looked_at_all >= ALL_NS;
	int status = session_look(&v->session, &all);

	v->lost = lost;
	if (all)
		v->looked_at_all = now;
	if (status == OPT_GO_ON)
		status = watching_pump(v);
	if (status == OPT_GO_ON && ktally_watch_cut(v->watch, now, all))
		status = say_error(FAILED, "out of memory for the processes of this machine");
	return status;
}

int watching_wait(struct watching *v, uint64_t deadline, int fd)
{
	uint64_t now = session_now(), next = now + PUMP_NS;
	int status = OPT_GO_ON;

	while (now < deadline && status == OPT_GO_ON) {
		int ms = session_ms(now, next < deadline ? next : deadline, INT_MAX);
		int got = ktally_live_wait(v->session.live, ms, fd);

		if (got < 0)
			return say_error(FAILED, "%s", ktally_live_error(v->session.live));
		now = session_now();
		if (got)
			status = session_drain(&v->session);
		else if (now < next && now < deadline)
			break;		/* fd, or a signal */
		if (status == OPT_GO_ON && now >= next && now < deadline) {
			status = watching_pump(v);
			next = now + PUMP_NS;
		}
	}
	return status;
}

int watching_run(struct watching *v, const struct watching_run *run)
{
	uint64_t now = session_now(), forget = now + FORGET_NS;
	uint64_t end = run->duration.set ? now + run->duration.ns : UINT64_MAX;
	int status = OPT_GO_ON;

	while (status == OPT_GO_ON && !v->stop && now < end) {
		status = watching_wait(v, now + run->delay < end ? now + run->delay : end, run->signals);
		v->stop |= child_asked_to_end(run->signals);
		if (status == OPT_GO_ON)
			status = watching_pump(v);
		if (status == OPT_GO_ON)
			v->stop |= !run->flush(run->flush_arg);
		now = session_now();
		if (status == OPT_GO_ON && now >= forget) {
			forget = now + FORGET_NS;
			status = watching_forget(v);
		}
	}
	return status;
}

bool watching_say_lost(const struct watching *v)
{
	uint64_t lost = session_lost(&v->session);
	char count[32];

	if (lost)
		say_warning("%s records lost (buffer full)", say_count(count, lost));
	return lost;
}

static int open_watch(struct watching *v, struct ktally_watch_options *options)
{
	v->ctx.user_name = names_user;
	v->ctx.container_name = names_container;
	v->ctx.arg = &v->names;
	options->ctx = &v->ctx;
	v->watch = ktally_watch_open(options);
	if (!v->watch || ktally_stream_open_push(&v->stream))
		return say_error(FAILED, "out of memory");
	v->ctx.info = ktally_stream_info(v->stream);
	return OPT_GO_ON;
}

int watching_open(struct watching *v, struct ktally_watch_options *options,
		  const struct ktally_live_options *live)
{
	uint64_t before;
	int status;

	v->session.take = push;
	v->session.arg = v;
	status = open_watch(v, options);
	if (status == OPT_GO_ON)
		status = session_open(&v->session, live);
	if (status != OPT_GO_ON)
		return status;
	before = session_now();
	status = session_walk(&v->session, KTALLY_WALK_OPENING);
	/* This walk is long: what each process used is known from somewhere in it on. */
	v->begin = v->looked_at_all = before + (session_now() - before) / 2;
	if (status == OPT_GO_ON)
		status = watching_pump(v);
	if (status == OPT_GO_ON && ktally_watch_cut(v->watch, v->begin, false))
		status = say_error(FAILED, "out of memory for the processes of this machine");
	return status;
}

void watching_close(struct watching *v)
{
	session_close(&v->session);
	ktally_watch_close(v->watch);
	ktally_stream_close(v->stream);
	v->watch = NULL;
	v->stream = NULL;
}
