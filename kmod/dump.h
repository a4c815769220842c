/* SPDX-License-Identifier: GPL-2.0-only */
/* dump.h - paced walks over living processes; see dump.c. */
#ifndef KTALLY_DUMP_H
#define KTALLY_DUMP_H

#include "session.h"

int kt_walk(struct kt_session *s, struct ktally_walk *w);
void kt_walk_drop(struct kt_session *s);
void kt_walk_at_load(struct kt_session *s);

#endif
