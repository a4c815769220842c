/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * totals.h - the module's totals as rows with columns: what ktally totals shows and
 * ktally metrics exposes. Columns bear the names that report's have.
 */
#ifndef KTALLY_TOTALS_H
#define KTALLY_TOTALS_H

#include "sumfile.h"

/* ktally_field.arg of columns that say whose a row is: the command's own to fill in. */
enum { TOTALS_KEY, TOTALS_PROGRAM, TOTALS_UID, TOTALS_CGROUP, TOTALS_KEYS };
enum { TOTALS_COLUMNS = 39 };

struct totals_now {
	struct ktally_totals t;
	struct sums sums;		/* by program, user and cgroup; living ones in rows of their own */
};

/* OPT_GO_ON, or the exit status after a message. totals_free() in any case. */
int totals_read(struct totals_now *now);
void totals_free(struct totals_now *now);

size_t totals_columns(const struct ktally_field **columns);
const struct ktally_field *totals_column(const char *name);	/* NULL: there is none */
struct ktally_value totals_value(const struct ktally_totals *t, const struct sum *s, const struct ktally_field *f);

/* A row under another name of its cgroup, the living counted beside the ended. 0 or -ENOMEM. */
int totals_add(struct sums *to, const char *cgroup, const struct sum *s);
/* Orders for sums_merge(): what is equal becomes one row; that of all others stays one of its own. */
int totals_by_program(const void *a, const void *b);
int totals_by_user(const void *a, const void *b);
int totals_by_cgroup(const void *a, const void *b);

#endif
