/* SPDX-License-Identifier: GPL-2.0-only */
/* dump.h - paced walks over living processes; see dump.c. */
#ifndef KTALLY_DUMP_H
#define KTALLY_DUMP_H

#include "session.h"

/* A walk as it is asked for, and how far a call came. */
struct kt_walk {
	u32 purpose;		/* enum ktally_purpose */
	u32 flags;		/* KTALLY_SNAPSHOT_* */
	const u32 *pids;	/* in order: those asked for */
	u32 n_pids;
	bool at_load;		/* nobody drains: what does not fit is lost */
	u32 cursor;		/* in/out; 0 begins, and is done */
	u32 written;
	u32 lost;
	u32 idle;		/* passed over: they did not run */
};

int kt_walk(struct kt_session *s, struct kt_walk *w);
void kt_walk_drop(struct kt_session *s);
void kt_walk_at_load(struct kt_session *s);

#endif
