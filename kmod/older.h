/* SPDX-License-Identifier: GPL-2.0-only */
/* older.h - what processes had used before the totals began; see older.c. */
#ifndef KTALLY_OLDER_H
#define KTALLY_OLDER_H

#include "pack.h"
#include "sums.h"

struct kt_older {
	u32 n;
	struct kt_older_life *life;	/* in order of tgid */
};

/* Of a record, what sums have a place for: KT_SUM_USES numbers. */
void kt_older_use(u64 *to, const struct kt_usage *u);
/* HOT: takes away from use what that process had used by then. */
void kt_older_subtract(const struct kt_older *o, u64 *use, u32 tgid, u64 start);
/* Process context: those that began before `since`. -ENOMEM; free it then, too. */
int kt_older_list(struct kt_older *o, u64 since);
void kt_older_free(struct kt_older *o);

#endif
