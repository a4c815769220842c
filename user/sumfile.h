/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sumfile.h - the module's totals as lists of rows, and a file that carries them over
 * reboots: rows of earlier loads added up, and those of the load that saved last. A
 * load that saves again replaces its own rows, so saving often counts nothing twice.
 *
 * Functions return 0 or -errno.
 */
#ifndef KTALLY_SUMFILE_H
#define KTALLY_SUMFILE_H

#include "lib/ktally.h"

struct sum {
	char *cgroup;			/* its path, for a number means nothing after a reboot */
	struct ktally_totals_row row;
	uint64_t alive;			/* processes of it that live, of rows that are put together */
};

struct sums {
	struct sum *at;
	size_t n, room;
};

int sums_add(struct sums *to, const char *cgroup, const struct ktally_totals_row *row);
/* Rows that `same`, an order of struct sum, calls equal become one. */
void sums_merge(struct sums *s, int (*same)(const void *a, const void *b));
void sums_free(struct sums *s);

/* By program, user, cgroup and flags. */
int sums_by_all(const void *a, const void *b);

/* Which load saved: boot id and the time totals began. */
struct sumfile_id {
	char boot[40];
	uint64_t since;
};

/* Adds to `to` what FILE has of others than *own; *line: where it is damaged. */
int sumfile_read(const char *path, const struct sumfile_id *own, struct sums *to, size_t *line);
/* earlier: as sumfile_read() gave it. On the disk when it returns, so that it may replace an older one. */
int sumfile_write(const char *path, const struct sumfile_id *own, const struct sums *earlier,
		  const struct sums *now);

#endif
