/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps.h - what a process did one after the other. Part of <ktally.h>. */
#ifndef KTALLY_LIB_STEPS_H
#define KTALLY_LIB_STEPS_H

#include "model.h"

/*
 * What a process did by starting others, in order. A child is a step; children
 * joined by pipes are one step, from the earliest start to the latest end, in
 * whichever order they end. The time in which no child of it ran is a step of its
 * own, its self. Children that it left behind when it ended, and those it went on
 * beside and that are still there at the end of the recording, count as not run by
 * it: they are steps, and take nothing from its self.
 */
enum ktally_step_kind {
	KTALLY_STEP_SELF,	/* nothing but itself */
	KTALLY_STEP_COMMAND,	/* one child, whether it executed something or not */
	KTALLY_STEP_PIPELINE,	/* two and more */
};

struct ktally_step {
	enum ktally_step_kind kind;
	bool background;	/* another step began before it ended: it was not waited for */
	bool left;		/* was there when the process had ended, or is still */
	bool guessed;		/* joined by times alone: the recording does not tell pipes */
	bool ended;		/* false: end is that of the recording */
	uint32_t image;		/* of the process, by place: in which the step began */
	uint64_t begin, end;	/* BOOTTIME ns */
	const struct ktally_life *const *parts;	/* in order of start; none for self */
	size_t n_parts;
};

struct ktally_steps;

/* info: bounds of the recording, for what is older or has not ended. NULL: no memory. */
struct ktally_steps *ktally_steps_make(const struct ktally_life *l,
				       const struct ktally_stream_info *info);
/* In order of begin. Self steps touch neither each other nor what ran; together they tile the life. */
size_t ktally_steps_at(const struct ktally_steps *s, const struct ktally_step **steps);
/* How long nothing but itself ran between two times; 0 and UINT64_MAX: in all. */
uint64_t ktally_steps_self(const struct ktally_steps *s, uint64_t from, uint64_t to);
void ktally_steps_free(struct ktally_steps *s);

#endif
