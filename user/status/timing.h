/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status/timing.h - how long each hook of the module takes on this machine.
 */
#ifndef KTALLY_TIMING_H
#define KTALLY_TIMING_H

#include "../show.h"

/* Has them timed for so long, 0: until a signal; the whole table: an exit status. */
int timing_print(const struct show *show, uint64_t ns);
int timing_columns(void);

#endif
