/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lives.h - rows of processes, or of groups of them, and the lines below.
 *
 * The library's field table and its groups seen as a show_source; columns that
 * only groups have (how many, the key) are added here.
 */
#ifndef KTALLY_LIVES_H
#define KTALLY_LIVES_H

#include "bounds.h"
#include "reading.h"
#include "sel.h"
#include "show.h"

/*
 * What the lines below rows add up, and what the columns rx and tx show: it is folded
 * whichever columns are chosen. Of each class received, then sent; physical devices first.
 */
enum lives_sum {
	LIVES_CPU, LIVES_RX, LIVES_TX, LIVES_VIRT_RX, LIVES_VIRT_TX, LIVES_LOOP_RX, LIVES_LOOP_TX, LIVES_SUMS
};
const struct ktally_field *lives_sum_field(enum lives_sum sum);

struct lives {
	struct reading *reading;
	enum ktally_key key;
	struct ktally_groups *groups;
	struct sel_match *match;	/* what lives_fold() takes */
	const struct ktally_field **needed;	/* by it */
	size_t n_needed;
	const struct ktally_field **fields;
	size_t n_fields;
	struct ktally_field *own;	/* the library's fields, as this key's rows mean them */
	struct ktally_field name;	/* columns that the library does not have */
	struct ktally_field rx, tx;	/* in tables: of the first class that carried something */
	bool for_people;		/* a table: say something where argv is unknown */
	char bracketed[KTALLY_COMM_LEN + 3];
	/* The row whose values are being asked for; life: that it is, NULL: a group of them. */
	size_t row;
	const struct ktally_group *group;
	const struct ktally_life *life;
	struct bounds bounds;		/* among the values given so far for that row */
};

/* OPT_GO_ON or an exit status after a message. */
int lives_make(struct lives *l, struct reading *r, enum ktally_key key, struct sel_match *match);
/*
 * The same in two steps around the reading, which then needs no memory for what has
 * ended: not of all keys, and not of all recordings (lives_may_fold).
 */
bool lives_may_fold(const struct reading *r, enum ktally_key key, const struct sel *sel,
		    const struct sel_match *match);
int lives_fold(struct lives *l, struct reading *r, enum ktally_key key, struct sel_match *match,
	       const struct show *show);
int lives_fold_rest(struct lives *l);
void lives_source(struct lives *l, const struct show *show, struct show_source *src);
size_t lives_count(const struct lives *l);
void lives_free(struct lives *l);

/*
 * The way of every command that shows a reading: words, SEL, read, bind, print,
 * warn. print() returns an exit status; what is missing may turn DONE into another.
 */
struct view {
	struct reading_options *in;
	const struct sel *sel;
	bool strict;
	/* Before the first record of a file; NULL: nothing is to be done. */
	int (*begin)(void *arg, struct reading *r, struct sel_match *match);
	int (*print)(void *arg, struct reading *r, struct sel_match *match);
	void *arg;
};
int view_run(const struct view *view, struct opt_rest *rest);

/* The columns that are there for a key, without a model: for --columns help and schema. */
int lives_fields(struct lives *l, enum ktally_key key);
const char *lives_columns(enum ktally_key key);

struct out_clock lives_clock(const struct reading *r);
/* Total of the wanted lives, what was lost, and where every process has gone. */
void lives_footer(struct out *o, struct reading *r, struct sel_match *match);
/* Says why there is no row: NOTHING_MATCHED. */
int lives_none(const struct reading *r, const struct sel_match *match);

#endif
