/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink.h - where output goes: standard output, a pager, or a file.
 *
 * Bytes are gathered and written in large pieces. The first error is kept and
 * everything after it dropped, so that writers need no checks: the caller asks
 * once, at the end, and a full disk is never mistaken for success.
 */
#ifndef KTALLY_OUT_SINK_H
#define KTALLY_OUT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink;

/* path NULL or "-": standard descriptor fd, 1 or 2. NULL and *err = -errno on failure. */
struct sink *sink_open(const char *path, int fd, int *err);
/* Puts a pager before a terminal; without effect elsewhere or when none can be started. */
void sink_page(struct sink *s);
bool sink_terminal(const struct sink *s);
/* "standard output", "standard error" or the path. */
const char *sink_name(const struct sink *s);
/* Columns of the terminal: COLUMNS, else what the terminal says, else 80. */
size_t sink_columns(const struct sink *s);
/* The same before a sink is open; SIZE_MAX: the descriptor is no terminal. */
size_t sink_width(int fd);

void sink_put(struct sink *s, const char *p, size_t n);
void sink_puts(struct sink *s, const char *text);
void sink_char(struct sink *s, char c);
void sink_u64(struct sink *s, uint64_t v);
void sink_s64(struct sink *s, int64_t v);
/*
 * For rows of many numbers: a place in the buffer with room for SINK_ROOM bytes at
 * least, *end behind the last. What was written there counts once sink_filled() says so.
 */
enum { SINK_ROOM = 64 };
char *sink_room(struct sink *s, char **end);
void sink_filled(struct sink *s, const char *to);
/* The digits of v, at most 20; returns the place behind them. */
char *sink_digits(char *p, uint64_t v);
void sink_spaces(struct sink *s, size_t n);
/* Hands on what was gathered: for output that is watched while it grows. */
void sink_flush(struct sink *s);
/* -errno of the first thing that went wrong so far. */
int sink_error(const struct sink *s);

/*
 * 0, or -errno of the first thing that went wrong. -EPIPE: the reader has gone,
 * which is no error to speak of. A pager that was left is none at all.
 */
int sink_close(struct sink *s);

#endif
