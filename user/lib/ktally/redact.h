/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* redact.h - secrets in arguments, overwritten before they are kept. Part of <ktally.h>. */
#ifndef KTALLY_LIB_REDACT_H
#define KTALLY_LIB_REDACT_H

#include <stddef.h>

/*
 * Redaction: overwrites secrets in arguments before they are kept. A pattern (of
 * fnmatch(3), without regard to case) is for names: what stands behind NAME= or NAME:, or
 * is the word after an option NAME, becomes as many asterisks.
 */
struct ktally_redact *ktally_redact_open(const char *const *patterns, size_t n);
/* Sub-buffers of one session as they come. -EBADMSG: it can't be read, so it may hold secrets still. */
int ktally_redact_subbuf(struct ktally_redact *r, void *subbuf, size_t n);
/* An argument list by itself: NUL-ended words. */
void ktally_redact_words(const struct ktally_redact *r, char *words, size_t n);
void ktally_redact_close(struct ktally_redact *r);

#endif
