/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.h - the numbers behind the names of a live view: INTERVAL [COUNT].
 */
#ifndef KTALLY_INTERVAL_H
#define KTALLY_INTERVAL_H

#include <stdint.h>

#include "opt.h"

struct interval {
	uint64_t ns;		/* a second if none is given */
	uint64_t count;		/* 0: without end */
};

/*
 * Takes the last words if they are numbers, names keep the rest: OPT_GO_ON, or the
 * exit status after a message of `command`.
 */
int interval_take(struct interval *i, const char *command, struct opt_rest *rest);
/* "-1" is no option: an interval that was meant. To be asked before options are parsed. */
int interval_refuse_negative(const char *command, int argc, char **argv);
/* The deadline behind `last` that can still be met. */
uint64_t interval_next(const struct interval *i, uint64_t last, uint64_t now);

#endif
