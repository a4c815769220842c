/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * markup.h - bytes of processes put into SVG and HTML, where they must stay text
 * whatever they hold: tags, quotes, entities, control characters, broken UTF-8.
 */
#ifndef KTALLY_OUT_MARKUP_H
#define KTALLY_OUT_MARKUP_H

#include "../lib/boot.h"
#include "sink.h"

/* As text or as the value of a quoted attribute. What XML forbids becomes \xNN. */
void markup_put(struct sink *s, const char *p, size_t n);
void markup_puts(struct sink *s, const char *text);
/* printf for our own words: no text of others, no locale. */
void markup_printf(struct sink *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A string of JSON that may stand within a script element: no '<' leaves it as it is. */
void markup_json(struct sink *s, const char *p, size_t n);

/* What an image is called by people: its arguments, [name] for a kernel thread. Room for a NUL. */
size_t markup_command(char *dst, size_t n, const struct ktally_life *l,
		      const struct ktally_image *im);

#endif
