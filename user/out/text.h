/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - bytes of processes made safe to show, and numbers made readable.
 *
 * Names and arguments are arbitrary bytes. Everything here is memory to memory,
 * writes at most n bytes and a final NUL, and returns the length written; text
 * that does not fit is cut between characters.
 */
#ifndef KTALLY_OUT_TEXT_H
#define KTALLY_OUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the valid UTF-8 character at p (n bytes are there); 0 = none. */
size_t text_char(const char *p, size_t n);
bool text_valid(const char *p, size_t n);
/* True for a character that a terminal would act upon: C0, DEL, C1. */
bool text_control(const char *p, size_t len);
/* Columns on a terminal. */
size_t text_width(const char *p, size_t n);
/* Bytes of the longest start of p that fits into `columns`. */
size_t text_fit(const char *p, size_t n, size_t columns);

/* Control characters and bytes that are no UTF-8 become \xNN. */
size_t text_escape(char *dst, size_t n, const char *src, size_t len);
/*
 * One argument as a shell reads it back: bare, 'quoted', or $'quoted\n'. For
 * people only where words would run into each other or bytes can't be shown.
 */
enum text_quoting { TEXT_FOR_SHELLS, TEXT_FOR_PEOPLE };
size_t text_quote(char *dst, size_t n, const char *arg, size_t len, enum text_quoting how);
/* NUL-separated arguments, each quoted, joined by blanks. */
size_t text_quote_argv(char *dst, size_t n, const char *argv, size_t len, enum text_quoting how);
/* Room that text_quote_argv() can need for len bytes. */
size_t text_quote_room(size_t len);
/* One argument out of NUL-separated ones: 1 and *pos moved on, 0 at the end. */
int text_next_arg(const char *argv, size_t len, size_t *pos, const char **arg, size_t *arg_len);

/* "\xNN" to dst[0..3], without a NUL. */
void text_hex(char dst[4], unsigned char c);

/* A span of time in three to five digits and a unit: "4.312 s", "11.2 ms", "2h46m". */
size_t text_span(char *dst, size_t n, uint64_t ns);
/* Seconds with nine decimals, exact. */
size_t text_seconds(char *dst, size_t n, uint64_t ns, int decimals);
/* Bytes in units of 1,024: "812", "2.1K", "61.2M". */
size_t text_bytes(char *dst, size_t n, uint64_t bytes);
/* "SEGV" for 11, "RTMIN+3" for real-time ones, "SIG77" beyond. */
size_t text_signal(char *dst, size_t n, int sig);

/* Every byte beyond ASCII becomes \xNN, in place; room is that of p. */
size_t text_ascii(char *p, size_t n, size_t room);
/* Whether letters beyond ASCII can be shown; chooses the glyphs below. */
bool text_utf8(void);
struct text_glyphs {
	const char *cut, *upper, *lower, *dot, *branch, *last, *stem, *blank, *micro;
};
const struct text_glyphs *text_glyphs(void);

#endif
