/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.h - words for people, on standard error, and the exit statuses.
 *
 * One line per message: program, what, why, what to type. Data never passes
 * here. Control bytes and broken UTF-8 are written as \xNN, since a message may
 * quote a process name or a file name.
 */
#ifndef KTALLY_SAY_H
#define KTALLY_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum status {
	DONE = 0,
	FAILED = 1,		/* input, output, damaged file */
	WRONG_USE = 2,
	NOTHING_MATCHED = 3,
	NO_MODULE = 4,		/* absent, another version, capability missing */
	NO_PERMISSION = 5,
	INCOMPLETE = 6,		/* with --strict */
	TIMED_OUT = 124,
	FAILED_BEFORE_CMD = 125,
	CMD_NOT_EXECUTABLE = 126,
	CMD_NOT_FOUND = 127,
};

/* "ktally: text"; returns status, so that a command can return it. */
int say_error(enum status status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "ktally: warning: text" */
void say_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "ktally: text"; silent with --quiet. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_quiet(bool quiet);

/* A line that the next progress or message replaces; only on a terminal, at most 5 a second. */
void say_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Wipes it: what comes next is no message. */
void say_progress_end(void);

/* The exit status that a negative errno of the library stands for. */
enum status status_of(int err);

/* 1234567 as "1,234,567"; buf holds 32 bytes. */
const char *say_count(char *buf, uint64_t n);
/* Bytes as "3.2 MB" (of 1,000,000); buf holds 32 bytes. */
const char *say_size(char *buf, uint64_t bytes);

#endif
