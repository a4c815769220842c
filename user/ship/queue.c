// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * queue.c - see queue.h. A file of the spool is NUMBER-ROWS.ENDING; it gets its name
 * when it is whole and on the disk.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "queue.h"

#define MEMORY_BYTES	(64UL << 20)
enum { READ_AHEAD = 4 << 20, BLOCK = 4096 };

static enum status status_for(int err)
{
	return err == EACCES || err == EPERM ? NO_PERMISSION : FAILED;
}

static void name_of(const struct ship_queue *q, const struct ship_batch *b, char *path, size_t n)
{
	snprintf(path, n, "%s/%020" PRIu64 "-%" PRIu64 ".%s", q->dir, b->number, b->rows, q->ending);
}

/* ---- the list ---- */

static void append(struct ship_queue *q, struct ship_batch *b)
{
	b->next = NULL;
	if (q->last)
		q->last->next = b;
	else
		q->first = b;
	q->last = b;
}

static void take_out(struct ship_queue *q, struct ship_batch *b)
{
	struct ship_batch **at = &q->first, *before = NULL;

	while (*at != b) {
		before = *at;
		at = &(*at)->next;
	}
	*at = b->next;
	if (q->last == b)
		q->last = before;
}

/* A file takes whole blocks of the disk. */
static uint64_t weight(size_t n, bool in_memory)
{
	return in_memory ? n : (n + BLOCK - 1) / BLOCK * BLOCK;
}

static void count(struct ship_queue *q, const struct ship_batch *b, int sign)
{
	q->batches += (size_t)sign;
	q->rows += (uint64_t)sign * b->rows;
	*(b->bytes ? &q->memory : &q->disk) += (uint64_t)sign * weight(b->n, b->bytes);
}

void ship_queue_turn(struct ship_queue *q)
{
	struct ship_batch *b = q->first;

	if (b == q->last)
		return;
	take_out(q, b);
	append(q, b);
}

void ship_queue_remove(struct ship_queue *q, struct ship_batch *b)
{
	char path[4096];

	if (!b->bytes) {
		name_of(q, b, path, sizeof(path));
		unlink(path);
	}
	count(q, b, -1);
	take_out(q, b);
	free(b->bytes);
	free(b);
}

bool ship_queue_full(const struct ship_queue *q)
{
	return q->disk > q->cap / 2 || q->memory > (q->dir ? MEMORY_BYTES / 2 : READ_AHEAD);
}

/* ---- bounds ---- */

static struct ship_batch *oldest(const struct ship_queue *q, bool in_memory)
{
	struct ship_batch *old = NULL;

	for (struct ship_batch *b = q->first; b; b = b->next)
		if (b != q->held && !!b->bytes == in_memory && (!old || b->number < old->number))
			old = b;
	return old;
}

/* Makes room for n more bytes, where there is something to give up for them. */
static void make_room(struct ship_queue *q, bool in_memory, size_t n)
{
	const uint64_t *used = in_memory ? &q->memory : &q->disk, cap = in_memory ? MEMORY_BYTES : q->cap;
	uint64_t before = q->dropped;
	struct ship_batch *b;
	char rows[32], all[32];

	while (*used + weight(n, in_memory) > cap && (b = oldest(q, in_memory))) {
		q->dropped += b->rows;
		ship_queue_remove(q, b);
	}
	if (q->dropped != before)
		say_warning("%s is full: the oldest %s rows were dropped, %s in all; a larger one: --spool-size MB",
			    in_memory ? "memory" : q->dir, say_count(rows, q->dropped - before), say_count(all, q->dropped));
}

/* ---- files ---- */

static int write_all(int fd, const unsigned char *p, size_t n)
{
	while (n) {
		ssize_t got = write(fd, p, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		p += got;
		n -= (size_t)got;
	}
	return fdatasync(fd) ? -errno : 0;
}

/* 0 or -errno; then nothing of it is left. */
static int write_file(const struct ship_queue *q, const struct ship_batch *b)
{
	char path[4096], part[4200];
	int fd, err;

	name_of(q, b, path, sizeof(path));
	snprintf(part, sizeof(part), "%s.part", path);
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = write_all(fd, b->bytes, b->n);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(part, path))
		err = -errno;
	if (err)
		unlink(part);
	return err;
}

static void say_disk(struct ship_queue *q, int err)
{
	if (err && !q->refuses)
		say_warning("%s: %s; until there is room rows wait in memory, up to %lu MiB", q->dir, strerror(-err),
			    MEMORY_BYTES >> 20);
	else if (!err && q->refuses)
		say("%s: there is room again", q->dir);
	q->refuses = err;
}

static int put_on_disk(struct ship_queue *q, struct ship_batch *b)
{
	int err;

	make_room(q, false, b->n);
	err = write_file(q, b);
	say_disk(q, err);
	if (err)
		return err;
	count(q, b, -1);
	free(b->bytes);
	b->bytes = NULL;
	count(q, b, 1);
	return 0;
}

void ship_queue_write(struct ship_queue *q)
{
	for (struct ship_batch *b = q->first; q->dir && b; b = b->next)
		if (b->bytes && b != q->held && put_on_disk(q, b))
			return;
}

int ship_queue_add(struct ship_queue *q, unsigned char *bytes, size_t n, uint64_t rows)
{
	struct ship_batch *b = calloc(1, sizeof(*b));

	if (!b) {
		free(bytes);
		return say_error(FAILED, "out of memory");
	}
	*b = (struct ship_batch){ .number = q->next++, .rows = rows, .n = n, .bytes = bytes };
	make_room(q, true, n);
	append(q, b);
	count(q, b, 1);
	ship_queue_write(q);
	return OPT_GO_ON;
}

static unsigned char *read_file(const char *path, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char *bytes = fd < 0 ? NULL : malloc(n + 1);
	size_t at = 0;
	ssize_t got = 1;

	while (bytes && at < n && (got = read(fd, bytes + at, n - at)) > 0)
		at += (size_t)got;
	if (fd >= 0)
		close(fd);
	if (bytes && at == n)
		return bytes;
	free(bytes);
	return NULL;
}

unsigned char *ship_queue_read(struct ship_queue *q, const struct ship_batch *b)
{
	unsigned char *bytes;
	char path[4096];

	if (b->bytes) {
		bytes = malloc(b->n);
		return bytes ? memcpy(bytes, b->bytes, b->n) : NULL;
	}
	name_of(q, b, path, sizeof(path));
	bytes = read_file(path, b->n);
	if (!bytes) {
		q->dropped += b->rows;
		say_warning("%s: cannot be read any more; its %" PRIu64 " rows are lost", path, b->rows);
	}
	return bytes;
}

/* ---- what an earlier one left ---- */

/* "NUMBER-ROWS.ENDING": false for other names. */
static bool take_name(const char *name, const char *ending, struct ship_batch *b)
{
	int n = 0;

	return sscanf(name, "%20" SCNu64 "-%" SCNu64 ".%n", &b->number, &b->rows, &n) == 2 && n &&
	       !strcmp(name + n, ending);
}

static bool is_part(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, ".part");
}

static int take_file(struct ship_queue *q, int dir, const char *name)
{
	struct ship_batch found = { .n = 0 }, *b;
	struct stat st;

	if (is_part(name))
		unlinkat(dir, name, 0);
	if (!take_name(name, q->ending, &found) || fstatat(dir, name, &st, 0))
		return OPT_GO_ON;
	b = malloc(sizeof(*b));
	if (!b)
		return say_error(FAILED, "out of memory");
	*b = found;
	b->n = (size_t)st.st_size;
	append(q, b);
	count(q, b, 1);
	if (b->number >= q->next)
		q->next = b->number + 1;
	return OPT_GO_ON;
}

static int take_earlier(struct ship_queue *q)
{
	struct dirent **names;
	int n = scandir(q->dir, &names, NULL, alphasort), status = OPT_GO_ON, dir;
	char rows[32];

	dir = open(q->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (n < 0 || dir < 0)
		return say_error(status_for(errno), "%s: %s", q->dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (status == OPT_GO_ON)
			status = take_file(q, dir, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	close(dir);
	if (q->rows)
		say("%s: %s rows of an earlier ship wait there and go first", q->dir, say_count(rows, q->rows));
	return status;
}

static int lock_dir(struct ship_queue *q)
{
	char path[4096];

	if (mkdir(q->dir, 0700) && errno != EEXIST)
		return say_error(status_for(errno), "%s: %s; another place: --spool DIR", q->dir, strerror(errno));
	snprintf(path, sizeof(path), "%s/lock", q->dir);
	q->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (q->lock < 0)
		return say_error(status_for(errno), "%s: %s; another place: --spool DIR", path, strerror(errno));
	if (flock(q->lock, LOCK_EX | LOCK_NB))
		return say_error(FAILED, "%s: another ktally ship uses it; another place: --spool DIR", q->dir);
	return OPT_GO_ON;
}

int ship_queue_open(struct ship_queue *q, const char *dir, const char *ending, uint64_t cap)
{
	int status;

	*q = (struct ship_queue){ .dir = dir, .ending = ending, .cap = cap, .lock = -1 };
	if (!dir)
		return OPT_GO_ON;
	status = lock_dir(q);
	if (status == OPT_GO_ON)
		status = take_earlier(q);
	make_room(q, false, 0);
	return status;
}

void ship_queue_close(struct ship_queue *q)
{
	struct ship_batch *b;

	while ((b = q->first)) {
		q->first = b->next;
		free(b->bytes);
		free(b);
	}
	if (q->dir && q->lock >= 0)
		close(q->lock);
}
