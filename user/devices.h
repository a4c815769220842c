/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devices.h - network devices as rows, a term of an equation each, and network figures
 * in a line; of a recording or of all time since the module was loaded.
 */
#ifndef KTALLY_DEVICES_H
#define KTALLY_DEVICES_H

#include "reading.h"
#include "show.h"

/* The whole table: an exit status. */
int devices_print(const struct show *show, const struct reading *r);
int devices_columns(void);

/* "network remainder 0 B" behind a line of totals; empty if nothing was counted. */
void devices_remainder(const struct reading *r, char *text, size_t n);
/* The same and more as facts `network`. */
void devices_facts(struct out *o, const struct reading *r);

#endif
