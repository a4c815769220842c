/* SPDX-License-Identifier: GPL-2.0-only */
/* opening.h - what every stream begins with; see opening.c. */
#ifndef KTALLY_OPENING_H
#define KTALLY_OPENING_H

struct kt_channel;

/* -ENOMEM or -ENOBUFS. */
int kt_opening_write(struct kt_channel *ch);

#endif
