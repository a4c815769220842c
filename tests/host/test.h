/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test.h - what the tests in C share: text to bytes, bytes to lives, values by name,
 * and a look for leaks, which the harness's children would else leave out.
 */
#ifndef KTALLY_TEST_H
#define KTALLY_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "ktally.h"
#include "mkrec.h"

/* A machine that builds and boots guests meanwhile is slow. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 300

#define MS	1000000ULL
#define SEC	1000000000ULL

struct bytes {
	unsigned char *p;
	size_t n;
};

/* Everything read from one recording. */
struct reading {
	int opened, ended;		/* what open and the last next returned */
	struct ktally_stream *stream;
	struct ktally_model *model;
	const struct ktally_stream_info *info;
	struct ktally_field_ctx ctx;
	struct ktally_balance balance;
	size_t records, warnings;
};

static inline struct bytes load(const char *path)
{
	struct bytes b = { NULL, 0 };
	struct stat st;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		return b;
	b.p = malloc(st.st_size + 1);
	b.n = read(fd, b.p, st.st_size);
	close(fd);
	return b;
}

static inline void save(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, p, n) != (long)n) {
		perror(path);
		abort();
	}
	close(fd);
}

/* A folder of this test's own; what is in it goes with the test's process group. */
static inline const char *scratch(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/ktally-test-XXXXXX");
	return mkdtemp(path);
}

static inline void remove_scratch(const char *path)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	if (system(command))
		abort();
}

static inline struct bytes record(const char *text)
{
	const char *dir = scratch();
	char path[128], error[400];
	struct bytes b;

	snprintf(path, sizeof(path), "%s/r.ktl", dir);
	if (mkrec(text, path, error, sizeof(error))) {
		fprintf(stderr, "mkrec: %s\n", error);
		abort();
	}
	b = load(path);
	remove_scratch(dir);
	return b;
}

static inline void read_stream(struct reading *r)
{
	struct ktally_event ev;

	r->model = ktally_model_open();
	while ((r->ended = ktally_stream_next(r->stream, &ev)) == 1) {
		r->records++;
		ktally_model_feed(r->model, &ev);
	}
	r->info = ktally_stream_info(r->stream);
	ktally_model_settle(r->model, r->info);
	ktally_model_balance(r->model, &r->balance);
	r->ctx = (struct ktally_field_ctx){ .model = r->model, .info = r->info };
	while (ktally_stream_warning(r->stream, r->warnings))
		r->warnings++;
}

static inline void read_bytes(struct reading *r, const void *p, size_t n)
{
	memset(r, 0, sizeof(*r));
	r->opened = ktally_stream_open_memory(&r->stream, p, n);
	if (!r->opened)
		read_stream(r);
}

static inline void read_files(struct reading *r, const char *const *paths, size_t n)
{
	memset(r, 0, sizeof(*r));
	r->opened = ktally_stream_open_files(&r->stream, paths, n);
	if (!r->opened)
		read_stream(r);
}

static inline void read_done(struct reading *r)
{
	ktally_model_close(r->model);
	ktally_stream_close(r->stream);
}

static inline struct ktally_life *life(const struct reading *r, uint32_t tgid)
{
	return ktally_model_find(r->model, tgid, 0);
}

static inline struct ktally_value value(struct reading *r, const struct ktally_life *l, const char *name)
{
	const struct ktally_field *f = ktally_field_find(name);

	if (!f) {
		fprintf(stderr, "no field %s\n", name);
		abort();
	}
	return ktally_field_value(f, l, &r->ctx);
}

/* UINT64_MAX: unknown, which no test expects as a number. */
static inline uint64_t number(struct reading *r, const struct ktally_life *l, const char *name)
{
	struct ktally_value v = value(r, l, name);

	return v.type == KTALLY_V_U64 ? v.u : UINT64_MAX;
}

/* Text with NULs as '|', in a buffer of its own; "?" = unknown. */
static inline const char *text_of(struct ktally_value v)
{
	static char buf[4][1024];
	static int turn;
	char *to = buf[turn = (turn + 1) % 4];

	if (v.type != KTALLY_V_TEXT)
		return "?";
	for (uint32_t i = 0; i < v.t.len && i < 1023; i++)
		to[i] = v.t.p[i] ? v.t.p[i] : '|';
	to[v.t.len < 1023 ? v.t.len : 1023] = '\0';
	return to;
}

static inline const char *text(struct reading *r, const struct ktally_life *l, const char *name)
{
	return text_of(value(r, l, name));
}

/* The line of a stream that holds these words; NULL: none. */
static inline const char *warning(struct reading *r, const char *words)
{
	const char *line;

	for (size_t i = 0; (line = ktally_stream_warning(r->stream, i)); i++)
		if (strstr(line, words))
			return line;
	return NULL;
}

#define NO_LEAKS() ASSERT_EQ(0, __lsan_do_recoverable_leak_check())

#endif
