/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nettables.h - the module's network tables in words: how full they are, what found no
 * room or was taken back, and which parameter helps.
 */
#ifndef KTALLY_NETTABLES_H
#define KTALLY_NETTABLES_H

#include "out/out.h"

/* Lines and facts `tables` below rows; nothing if the tables are not told of. */
void nettables_put(struct out *o, const struct ktally_model *m);

#endif
