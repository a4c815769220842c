/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * label.h - what puts a life into a group: for groups of recordings and of live views.
 */
#ifndef KTALLY_LABEL_H
#define KTALLY_LABEL_H

#include "ktally.h"

/* Bytes that identify a group and the name people read; p NULL = unknown. */
struct label {
	struct ktally_str key, name;	/* valid as long as the life and the label */
	char key_bytes[32];
	char name_bytes[64];
};

void label_life(struct label *lb, enum ktally_key key, const struct ktally_life *l,
		struct ktally_field_ctx *c);
uint64_t label_hash(const struct label *lb);
bool label_is(const struct label *lb, const struct ktally_str *key);

#endif
