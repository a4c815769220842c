/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat/stat.h - what the files of `ktally stat` share: cmd-stat.c has its words, its clock
 * and its end, stat/rows.c the rows of an interval, stat/statrow.c columns and values.
 */
#ifndef KTALLY_STAT_H
#define KTALLY_STAT_H

#include "interval.h"
#include "sel.h"
#include "show.h"
#include "statrow.h"
#include "watching.h"

struct stat_args {
	int key;			/* -1: not given */
	int since;			/* enum ktally_since */
	int style;
	bool no_wait;
	const char *network;
	struct sel sel;
	struct show show;
};

struct stat_view {
	struct stat_args *args;
	enum ktally_key key;
	struct interval every;
	struct sel_match *match;
	struct watching view;
	struct out *out;
	struct ktally_field fields[STAT_COLUMNS];
	const struct ktally_field *list[STAT_COLUMNS];
	struct statrow *rows;
	size_t n_rows, room;
	const uint32_t *pids;		/* named; those that ended become 0 */
	uint32_t *left;
	size_t n_pids;
	bool whole_machine;		/* nobody was named: */
	bool only_total;		/* and no key */
	bool has_iface, net_known;
	struct iface iface;
	struct iface_counts net_base, net_from, net_now;
	struct machine base, from, now;
	uint64_t most_used;
	int signals;
	bool stop;
};

/* What show_open() and show_more() want to know. */
void stat_source(struct stat_view *s, struct show_source *src);
/* The rows of one interval, or of averages: OPT_GO_ON or an exit status. */
int stat_put_rows(struct stat_view *s, const struct statrow_span *span);

#endif
