// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - a live session from its first record to its last.
 *
 * The order matters: opening walk after the session is published, closing walk
 * before `end`, a flush around both, so that every process is either in a walk,
 * in a fork or in an exit record.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "session.h"

uint64_t session_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int session_ms(uint64_t now, uint64_t then, int most)
{
	uint64_t ms = then > now ? (then - now - 1) / 1000000 + 1 : 0;

	return ms < (uint64_t)most ? (int)ms : most;
}

static int failed(const struct session *s, int err)
{
	return say_error(status_of(err), "%s", ktally_live_error(s->live));
}

int session_open(struct session *s, const struct ktally_live_options *options)
{
	int err = ktally_live_open(&s->live, options), status;

	if (!err)
		return OPT_GO_ON;
	status = failed(s, err);
	session_close(s);
	return status;
}

void session_close(struct session *s)
{
	ktally_live_close(s->live);
	s->live = NULL;
}

static bool hurried(const struct session *s)
{
	return s->hurry && s->hurry(s->arg);
}

static int drain(struct session *s, size_t most)
{
	const void *buf;
	uint32_t cpu;
	long n = 0;

	if (s->keep)
		return OPT_GO_ON;
	while (most-- && (n = ktally_live_read(s->live, &buf, &cpu)) > 0) {
		int status = s->take(s->arg, buf, (size_t)n);

		if (status)
			return status;
		if (hurried(s))
			return FAILED;
	}
	return n < 0 ? failed(s, (int)n) : OPT_GO_ON;
}

/*
 * Not until nothing is left: where more comes than can be read, that would be for ever.
 * CPUs take turns, so after as many reads as there are sub-buffers all has been read
 * that was finished at the beginning.
 */
int session_drain(struct session *s)
{
	const struct ktally_start *start = ktally_live_start(s->live);

	return drain(s, (size_t)start->cpus * start->subbufs);
}

int session_flush(struct session *s)
{
	int err = s->keep ? 0 : ktally_live_flush(s->live);

	if (err && err != -EAGAIN)
		return failed(s, err);
	return session_drain(s);
}

int session_settle(struct session *s, unsigned int tries, uint64_t *before)
{
	uint64_t now = session_now();
	int err = -EAGAIN, status = OPT_GO_ON;

	while (!s->keep && err == -EAGAIN && status == OPT_GO_ON && tries--) {
		err = ktally_live_flush(s->live);
		if (err && err != -EAGAIN)
			return failed(s, err);
		status = session_drain(s);
	}
	*before = !err && status == OPT_GO_ON ? now : 0;
	return status;
}

int session_walk(struct session *s, enum ktally_purpose purpose)
{
	int more, status;

	do {
		more = ktally_live_walk(s->live, purpose);
		if (more < 0 && more != -EAGAIN)
			return failed(s, more);
		/* Room is made only by finished sub-buffers, and a walk that is over is read at once. */
		status = session_flush(s);
	} while (more && status == OPT_GO_ON);
	return status;
}

static int look_on(struct session *s, bool *all)
{
	uint32_t flags = KTALLY_SNAPSHOT_NO_ARGV | KTALLY_SNAPSHOT_NO_DEVICES;
	int got = -ENOTTY;

	if (!s->no_snapshot)
		got = ktally_live_snapshot(s->live, *all ? flags : flags | KTALLY_SNAPSHOT_RAN, NULL, 0);
	if (got != -ENOTTY)
		return got;
	s->no_snapshot = *all = true;
	return ktally_live_walk(s->live, KTALLY_WALK_SNAPSHOT);
}

int session_look(struct session *s, bool *all)
{
	int more, status = OPT_GO_ON;

	do {
		more = look_on(s, all);
		if (more < 0 && more != -EAGAIN)
			return failed(s, more);
		if (more)
			status = session_flush(s);
	} while (more && status == OPT_GO_ON);
	return status;
}

int session_end(struct session *s)
{
	int status = session_flush(s), err;

	if (status == OPT_GO_ON)
		status = session_walk(s, KTALLY_WALK_CLOSING);
	if (status == OPT_GO_ON)
		status = session_flush(s);
	if (status != OPT_GO_ON)
		return status;
	while ((err = ktally_live_end(s->live)) == -EAGAIN) {
		status = session_flush(s);
		if (status != OPT_GO_ON)
			return status;
	}
	return err ? failed(s, err) : drain(s, SIZE_MAX);
}

uint64_t session_lost(const struct session *s)
{
	struct ktally_counts counts;
	uint64_t lost = 0;

	if (ktally_live_counts(s->live, &counts))
		return 0;
	for (size_t kind = 0; kind < KTALLY_KINDS; kind++)
		lost += counts.lost[kind];
	return lost;
}

uint64_t session_all_lost(void)
{
	struct ktally_status st;
	uint64_t lost = 0;
	char why[256];

	if (ktally_status_read(&st, NULL, why, sizeof(why)))
		return 0;
	for (size_t i = 0; i < KTALLY_SESSIONS; i++)
		lost += st.sessions[i].lost;
	return lost;
}
