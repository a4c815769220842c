/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compose.h - a recording of what another tool has seen. Part of <ktally.h>. */
#ifndef KTALLY_LIB_COMPOSE_H
#define KTALLY_LIB_COMPOSE_H

#include "file.h"
#include "wire.h"

/*
 * Composer: a recording of what another tool has seen, record by record in order of
 * time, on one CPU, into a file. real: REALTIME - BOOTTIME, ns.
 */
struct ktally_composer;
struct ktally_composer *ktally_composer_open(struct ktally_file *f, uint64_t load_id, int64_t real); /* NULL: no memory */
/* A field that was not measured; before the kind's first record. -ENOENT: there is none of this name. */
int ktally_composer_leave_out(struct ktally_composer *c, uint32_t kind, const char *field);
/* fixed: struct ktally_<kind> but for its common part and its strings; strings: in list order. -E2BIG: too long. */
int ktally_composer_add(struct ktally_composer *c, uint32_t kind, uint64_t time, const void *fixed,
			const struct ktally_str *strings);
/* Hands the rest to the file, which is finished by itself. whole: with an `end` record, since the ends of all lives are known. */
int ktally_composer_finish(struct ktally_composer *c, uint64_t time, bool whole);
void ktally_composer_close(struct ktally_composer *c);

#endif
