// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c - from the recorder to its files: made, rotated, finished. While the disk
 * refuses (full, read-only), what comes waits in memory; it is written once there is room
 * again, and what memory had no room for is counted. Nothing here knows of the session
 * but its losses.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "out/text.h"
#include "record.h"

#define SPOOL_BYTES	(64UL << 20)	/* least that waits in memory for a disk */
#define RETRY_NS	1000000000ULL
#define LEVEL_USUAL	1		/* the rest of zstd's levels costs more than it saves here */

static int said(const struct ktally_file *file)
{
	return say_error(FAILED, "%s", ktally_file_error(file));
}

int record_file_failed(const struct recorder *r, int err)
{
	if (err == -EPIPE)
		return say_error(FAILED, "standard output: the reader has gone, so the recording ends here");
	return said(r->file);
}

uint64_t record_lost(const struct recorder *r)
{
	return session_lost(&r->session) + r->dropped;
}

/* ---- memory in place of the disk ---- */

/* Twice what the kernel may hold, at least: that comes at once, and more meanwhile. */
static void bound_memory(struct recorder *r)
{
	uint64_t kernel = r->args->buffer_kb << 11;

	r->spool.limit = kernel > SPOOL_BYTES ? kernel : SPOOL_BYTES;
}

static void refuse_for_now(struct recorder *r)
{
	char size[32];

	bound_memory(r);
	r->dropped_before = r->dropped;
	say_warning("%s; until there is room the recording goes on in memory, up to %s",
		    ktally_file_error(r->file), say_size(size, r->spool.limit));
}

static void wait_in_memory(struct recorder *r, const void *subbuf, size_t n)
{
	if (spool_empty(&r->spool))
		refuse_for_now(r);
	spool_add(&r->spool, subbuf, n, &r->dropped, &r->dropped_blocks);
}

int record_take(void *recorder, const void *subbuf, size_t n)
{
	struct recorder *r = recorder;
	int err;

	if (r->hold) {
		spool_add(&r->spool, subbuf, n, &r->dropped, &r->dropped_blocks);
		return 0;
	}
	err = spool_empty(&r->spool) ? ktally_file_add(r->file, subbuf, n) : 0;

	if (err && !ktally_file_may_retry(r->file, err))
		return record_file_failed(r, err);
	if (err || !spool_empty(&r->spool))
		wait_in_memory(r, subbuf, n);
	return 0;
}

/* Until the spool is empty, or 0 with something in it while the disk refuses; else -errno. */
static int write_spooled(struct recorder *r)
{
	while (!spool_empty(&r->spool)) {
		int err = ktally_file_add(r->file, r->spool.first->bytes, r->spool.first->n);

		if (err)
			return ktally_file_may_retry(r->file, err) ? 0 : err;
		spool_pop(&r->spool);
	}
	return 0;
}

static void tell_dropped(struct recorder *r)
{
	for (; r->dropped_blocks; r->dropped_blocks--)
		ktally_file_dropped(r->file);
}

int record_write_on(struct recorder *r)
{
	char count[32];
	int err;

	if (spool_empty(&r->spool))
		return OPT_GO_ON;
	err = write_spooled(r);
	if (err)
		return record_file_failed(r, err);
	if (!spool_empty(&r->spool))
		return OPT_GO_ON;
	tell_dropped(r);
	if (r->dropped > r->dropped_before)
		say_warning("%s: there is room again; written on, but %s records found no room in memory and are lost",
			    r->args->path, say_count(count, r->dropped - r->dropped_before));
	else
		say("%s: there is room again; written on, nothing is lost", r->args->path);
	return OPT_GO_ON;
}

int record_mark(struct recorder *r, uint64_t before)
{
	int err = spool_empty(&r->spool) ? ktally_file_mark(r->file, before) : 0;

	return err && !ktally_file_may_retry(r->file, err) ? record_file_failed(r, err) : OPT_GO_ON;
}

int record_gather(struct recorder *r)
{
	int status, err;

	bound_memory(r);
	r->hold = true;
	status = session_flush(&r->session);
	r->hold = false;
	err = status == OPT_GO_ON ? write_spooled(r) : 0;
	if (err)
		return record_file_failed(r, err);
	if (!spool_empty(&r->spool))
		refuse_for_now(r);
	return status;
}

/* The end: what still waits never gets there. */
static int give_up_waiting(struct recorder *r)
{
	uint64_t records = 0;
	char count[32];

	if (spool_empty(&r->spool))
		return OPT_GO_ON;
	while (!spool_empty(&r->spool)) {
		records += spool_records(r->spool.first->bytes, r->spool.first->n);
		r->dropped_blocks++;
		spool_pop(&r->spool);
	}
	r->dropped += records;
	tell_dropped(r);
	return say_error(FAILED, "%s: the disk took no more until the end; %s records are lost, what is in the file can be read",
			 r->args->path, say_count(count, r->dropped - r->dropped_before));
}

/* ---- files ---- */

static void remember_file(struct recorder *r)
{
	struct stat st;

	if (!record_to_stdout(r) && !stat(r->args->path, &st)) {
		r->dev = st.st_dev;
		r->ino = st.st_ino;
	}
}

static void words_of(char *const *command, char *words, size_t n)
{
	size_t at = 0;

	*words = '\0';
	for (int i = 0; command && command[i] && at + 1 < n; i++) {
		if (i)
			words[at++] = ' ';
		at += text_quote(words + at, n - at, command[i], strlen(command[i]), TEXT_FOR_PEOPLE);
	}
}

/* r->file only if it is whole; else *failed, which says why and wants closing. */
static int create_file(struct recorder *r, const struct ktally_file *continues,
		       struct ktally_file **failed)
{
	const struct record *args = r->args;
	struct ktally_file_options options = {
		.force = args->force || continues,
		.root_tgid = (uint32_t)(continues && r->command ? r->child.pid : 0),
		.continues = continues,
		.flight = args->flight,
		.level = args->level == UINT64_MAX ? LEVEL_USUAL : (int)args->level,
	};
	struct ktally_file *file;
	char words[256];
	int err;

	words_of(r->shown, words, sizeof(words));
	options.command = *words ? words : NULL;
	err = ktally_file_create(&file, args->path, &options);
	if (err) {
		if (file)
			ktally_file_discard(file);
		*failed = file;
		return err;
	}
	if (continues)
		ktally_file_keep(file);
	r->file = file;
	remember_file(r);
	return 0;
}

static int cannot_move(const char *path, const char *to, int err)
{
	return say_error(FAILED, "%s: cannot move it to %s: %s", path, to, strerror(-err));
}

/* What an earlier recorder left is one of the finished files. */
static int keep_earlier(const struct recorder *r)
{
	const char *path = r->args->path;
	char to[4096] = "";
	struct stat st;
	int err;

	if (!rotate_asked(&r->args->rotate) || stat(path, &st) || !S_ISREG(st.st_mode) ||
	    ktally_file_in_use(path))
		return OPT_GO_ON;
	err = rotate_move(path, to, sizeof(to));
	rotate_prune(&r->args->rotate, path);
	return err ? cannot_move(path, to, err) : OPT_GO_ON;
}

int record_create(struct recorder *r)
{
	int status = keep_earlier(r);
	struct ktally_file *failed;

	if (status != OPT_GO_ON || !create_file(r, NULL, &failed))
		return status;
	status = said(failed);
	ktally_file_close(failed);
	return status;
}

/* Left alone if somebody has moved it already, as logrotate does. 0 or -errno. */
static int move_away(const struct recorder *r, char *to, size_t n)
{
	const char *path = r->args->path;
	struct stat st;

	*to = '\0';
	if (stat(path, &st) || st.st_dev != r->dev || st.st_ino != r->ino)
		return 0;
	return rotate_move(path, to, n);
}

static int finish_file(struct recorder *r, struct ktally_file *file)
{
	int err = ktally_file_finish(file), status = OPT_GO_ON;

	if (!err || err == -ENODATA) {
		r->bytes += err ? 0 : ktally_file_bytes(file);
		r->records += err ? 0 : ktally_file_records(file);
		if (err)
			status = say_error(FAILED, "nothing was recorded, so there is no file");
	} else {
		status = said(file);
	}
	ktally_file_close(file);
	return status;
}

/* ---- the next file ---- */

static bool disk_refuses(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EROFS || err == -EIO;
}

/* The file in hand is gone on with until it works. */
static int rotate_later(struct recorder *r, uint64_t now, const char *why)
{
	if (!r->next_rotate)
		say_warning("%s; the recording goes on in the same file until a new one can be begun", why);
	r->next_rotate = now + RETRY_NS;
	return OPT_GO_ON;
}

static int begin_next(struct recorder *r, uint64_t now)
{
	struct ktally_file *failed;
	char to[4096], why[4200];
	int err = move_away(r, to, sizeof(to)), status;

	if (err) {
		snprintf(why, sizeof(why), "%s: cannot move it to %s: %s", r->args->path, to, strerror(-err));
		return disk_refuses(err) ? rotate_later(r, now, why) : say_error(FAILED, "%s", why);
	}
	if (*to)
		say("%s is complete; the recording goes on in %s", to, r->args->path);
	err = create_file(r, r->file, &failed);
	if (!err)
		return OPT_GO_ON;
	status = disk_refuses(err) ? rotate_later(r, now, ktally_file_error(failed)) : said(failed);
	ktally_file_close(failed);
	return status;
}

int record_rotate(struct recorder *r, uint64_t now)
{
	struct ktally_file *old = r->file;
	int status;

	if (record_to_stdout(r)) {
		r->rotate = false;
		say_warning("standard output cannot be rotated");
		return OPT_GO_ON;
	}
	if (now < r->next_rotate || !spool_empty(&r->spool))
		return OPT_GO_ON;
	r->rotate = false;
	status = session_flush(&r->session);
	if (status != OPT_GO_ON || !ktally_file_records(old))
		return status;
	status = begin_next(r, now);
	if (status != OPT_GO_ON || r->file == old) {
		r->rotate = true;
		return status;
	}
	r->next_rotate = 0;
	status = finish_file(r, old);
	rotate_prune(&r->args->rotate, r->args->path);
	r->file_begin = session_now();
	/* Names, arguments and groups of the living: the files before this one may go. */
	if (status == OPT_GO_ON && r->args->sample.set)
		status = session_walk(&r->session, KTALLY_WALK_OPENING);
	return status;
}

/* What was written until then stays readable, whatever happened. */
static void close_file(struct recorder *r)
{
	(void)ktally_file_finish(r->file);
	ktally_file_close(r->file);
}

int record_finish(struct recorder *r, bool wanted)
{
	int status = wanted ? record_write_on(r) : FAILED;

	if (status == OPT_GO_ON)
		status = give_up_waiting(r);
	if (status == OPT_GO_ON)
		status = finish_file(r, r->file);
	else
		close_file(r);
	spool_clear(&r->spool);
	r->file = NULL;
	return status;
}
