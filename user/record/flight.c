// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flight.c - the flight recorder: the kernel's buffers keep the newest, nothing is
 * read until something happens. Ends of processes are watched by a session of their own,
 * which has nothing else in it; losses and files are looked at.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "out/text.h"
#include "record.h"

#define WATCH_KB	1024		/* of ends, between two looks */

/* What may happen. */
enum what { FAILED_ONE, STATUS, SIGNAL, LOSS, FILE_CHANGED };

struct trigger {
	enum what what;
	uint64_t number;
	const char *path;
	struct stat before;
	bool there;
};

struct flight {
	struct trigger *triggers;
	size_t n;
	bool ends;			/* one of them is about ends of processes */
	bool looked;			/* at ends, once at least */
	struct ktally_live *watch;
	struct ktally_wire *wire;
	uint64_t lost;			/* of all sessions, at the beginning */
	char why[160];			/* it has happened */
};

/* ---- what to wait for ---- */

static const struct {
	const char *word;		/* with = : a value follows */
	enum what what;
} words[] = {
	{ "failed", FAILED_ONE }, { "status=", STATUS }, { "signal=", SIGNAL }, { "loss", LOSS },
	{ "file=", FILE_CHANGED },
};

static bool take_value(struct trigger *t, const char *value)
{
	if (t->what == FILE_CHANGED) {
		t->path = value;
		t->there = !stat(value, &t->before);
		return *value;
	}
	return !opt_parse_u64(value, &t->number) && t->number && t->number < 256;
}

static bool parse(struct trigger *t, const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].word);
		bool value = words[i].word[len - 1] == '=';

		if (value ? strncmp(text, words[i].word, len) : strcmp(text, words[i].word))
			continue;
		t->what = words[i].what;
		return !value || take_value(t, text + len);
	}
	return false;
}

int flight_prepare(struct recorder *r)
{
	const struct opt_list *list = &r->args->triggers;
	struct flight *f;

	if (!r->args->flight)
		return list->n ? say_error(WRONG_USE, "record: --trigger is for a flight recorder: --flight") : OPT_GO_ON;
	if (r->args->boot || record_to_stdout(r))
		return say_error(WRONG_USE, "record: --flight goes neither with --boot nor to standard output");
	f = calloc(1, sizeof(*f));
	if (f)
		f->triggers = calloc(list->n + 1, sizeof(*f->triggers));
	r->flight = f;
	if (!f || !f->triggers)
		return say_error(FAILED, "out of memory");
	for (; f->n < list->n; f->n++) {
		struct trigger *t = &f->triggers[f->n];

		if (!parse(t, list->at[f->n]))
			return say_error(WRONG_USE, "record: --trigger %s? failed, status=N, signal=N, loss or file=PATH (N from 1 to 255)",
					 list->at[f->n]);
		f->ends |= t->what <= SIGNAL;
	}
	r->live.flight = true;
	return OPT_GO_ON;
}

/* ---- waiting ---- */

int flight_watch(struct recorder *r)
{
	struct flight *f = r->flight;
	const struct ktally_live_options options = {
		.kinds = 1ULL << KTALLY_EXIT, .buffer_kb = WATCH_KB, .select = r->live.select,
	};
	int err;

	f->lost = session_all_lost();
	if (!f->ends)
		return OPT_GO_ON;
	f->wire = ktally_wire_open();
	if (!f->wire)
		return say_error(FAILED, "out of memory");
	err = ktally_live_open(&f->watch, &options);
	return err ? say_error(FAILED, "%s", ktally_live_error(f->watch)) : OPT_GO_ON;
}

int flight_begin(struct recorder *r)
{
	/* Descriptions, the machine and what is selected: these are read before they are overwritten. */
	int status = session_flush(&r->session);

	r->session.keep = true;
	return status;
}

static bool is_meant(const struct trigger *t, uint32_t status)
{
	switch (t->what) {
	case FAILED_ONE:
		return status;
	case STATUS:
		return !(status & 0x7f) && status >> 8 == t->number;
	case SIGNAL:
		return (status & 0x7f) == t->number;
	default:
		return false;
	}
}

static void see_end(struct flight *f, const struct ktally_event *ev)
{
	const struct ktally_exit *x = &ev->u.exit;
	bool killed = x->status & 0x7f;
	char comm[4 * KTALLY_COMM_LEN + 3];

	for (size_t i = 0; i < f->n && !*f->why; i++) {
		if (!is_meant(&f->triggers[i], x->status))
			continue;
		text_quote(comm, sizeof(comm), x->comm, strnlen(x->comm, sizeof(x->comm)), TEXT_FOR_PEOPLE);
		snprintf(f->why, sizeof(f->why), "%s (PID %u) ended by %s %u", comm, x->tgid,
			 killed ? "signal" : "exit status", killed ? x->status & 0x7f : x->status >> 8);
	}
}

static void see_subbuf(struct flight *f, const void *buf, size_t n)
{
	struct ktally_cursor cursor;
	struct ktally_event ev;

	ktally_cursor_init(&cursor, buf, n);
	while (ktally_wire_next(f->wire, &cursor, &ev) == 1)
		if (ev.kind == KTALLY_EXIT && ev.decoded)
			see_end(f, &ev);
}

static int read_ends(struct flight *f, struct spool *read)
{
	uint64_t dropped = 0, blocks = 0;
	const void *buf;
	uint32_t cpu;
	long n = ktally_live_flush(f->watch);

	if (n && n != -EAGAIN)
		return say_error(FAILED, "%s", ktally_live_error(f->watch));
	while ((n = ktally_live_read(f->watch, &buf, &cpu)) > 0)
		spool_add(read, buf, (size_t)n, &dropped, &blocks);
	if (n < 0)
		return say_error(FAILED, "%s", ktally_live_error(f->watch));
	return dropped ? say_error(FAILED, "out of memory") : OPT_GO_ON;
}

/*
 * Descriptions lie in the buffer of the CPU that began the session, and what ended meanwhile
 * on another one may be read before them: what comes first of all is gone over twice.
 */
static int look_at_ends(struct flight *f)
{
	struct spool read = { .limit = SIZE_MAX };
	int status = read_ends(f, &read);

	for (int turn = f->looked; turn < 2; turn++)
		for (const struct spooled *p = read.first; p; p = p->next)
			see_subbuf(f, p->bytes, p->n);
	f->looked = true;
	spool_clear(&read);
	return status;
}

static bool has_changed(const struct trigger *t)
{
	struct stat st;
	bool there = !stat(t->path, &st);

	if (!there || !t->there)
		return there;
	return st.st_ino != t->before.st_ino || st.st_size != t->before.st_size ||
	       st.st_mtim.tv_sec != t->before.st_mtim.tv_sec ||
	       st.st_mtim.tv_nsec != t->before.st_mtim.tv_nsec;
}

static void look_around(struct flight *f)
{
	for (size_t i = 0; i < f->n && !*f->why; i++) {
		const struct trigger *t = &f->triggers[i];

		if (t->what == LOSS && session_all_lost() > f->lost)
			snprintf(f->why, sizeof(f->why), "a session lost records");
		if (t->what == FILE_CHANGED && has_changed(t))
			snprintf(f->why, sizeof(f->why), "%s was written", t->path);
	}
}

int flight_look(struct recorder *r)
{
	struct flight *f = r->flight;
	int status = f->ends ? look_at_ends(f) : OPT_GO_ON;

	look_around(f);
	r->stop |= *f->why;
	return status;
}

/* ---- saving ---- */

int flight_snapshot(struct recorder *r, uint64_t now)
{
	int status;

	r->session.keep = false;
	status = record_gather(r);
	if (status == OPT_GO_ON)
		status = session_walk(&r->session, KTALLY_WALK_CLOSING);
	if (status == OPT_GO_ON)
		status = session_flush(&r->session);
	if (status == OPT_GO_ON)
		status = record_rotate(r, now);
	r->session.keep = true;
	return status;
}

int flight_end(struct recorder *r, bool *wanted)
{
	struct flight *f = r->flight;
	int status = flight_look(r);

	*wanted = !f->n || *f->why;
	if (status != OPT_GO_ON || !*wanted)
		return status;
	if (*f->why)
		say("%s: saving what was before", f->why);
	r->session.keep = false;
	return record_gather(r);
}

int flight_discard(struct recorder *r, int status)
{
	ktally_file_discard(r->file);
	ktally_file_close(r->file);
	r->file = NULL;
	if (status == OPT_GO_ON)
		say("nothing happened that was waited for, so nothing is saved");
	return status;
}

void flight_close(struct recorder *r)
{
	struct flight *f = r->flight;

	if (!f)
		return;
	ktally_live_close(f->watch);
	ktally_wire_close(f->wire);
	free(f->triggers);
	free(f);
	r->flight = NULL;
}
