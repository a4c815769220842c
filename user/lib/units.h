/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * units.h - what systemd said of its units: when each began and was active, and after
 * which others it was ordered. Reads the text of `systemctl show`, which a saved boot
 * carries as a note; runs nothing.
 */
#ifndef KTALLY_UNITS_H
#define KTALLY_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define UNITS_NOTE	"systemd"

struct unit {
	const char *id;
	uint64_t begin;			/* left inactive, BOOTTIME ns; 0 = never */
	uint64_t active;		/* 0 = never */
	uint64_t over;			/* became inactive again; 0 = never */
	const struct unit **after;	/* of those that are here */
	size_t n_after;
	const char *after_text;
};

struct units {
	struct unit *all;		/* by id */
	size_t n;
	const char *target;		/* the default target; NULL = not said */
};

/* 0 or -ENOMEM; text that is no such list gives no units. */
int units_read(struct units *u, struct arena *a, const char *text);
const struct unit *units_find(const struct units *u, const char *id, size_t len);

#endif
