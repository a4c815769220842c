/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* field.h - a life as named values with unit, known or not; and lives put together. Part of <ktally.h>. */
#ifndef KTALLY_LIB_FIELD_H
#define KTALLY_LIB_FIELD_H

#include "watch.h"

/* The one table from which tables, CSV, JSON, schema and help are made. */
enum ktally_unit {
	KTALLY_NONE,		/* a number without a unit that may be added up */
	KTALLY_ID,		/* a number that names something */
	KTALLY_NS,		/* a span, ns */
	KTALLY_TIME,		/* a point, BOOTTIME ns */
	KTALLY_BYTES,
	KTALLY_COUNT,
	KTALLY_PERCENT,
	KTALLY_STATUS,		/* as wait() gives it */
	KTALLY_BOOL,
	KTALLY_TEXT,		/* may hold any byte */
	KTALLY_ARGV,		/* NUL-separated words */
	KTALLY_NUMBERS,		/* text: numbers parted by blanks; an array in JSON */
};

/* How a group's value comes from its lives'. */
enum ktally_sum {
	KTALLY_SUM,		/* added up */
	KTALLY_MAX, KTALLY_MIN,
	KTALLY_BOUND,		/* added up, but what is shared counts twice: an upper bound for two and more */
	KTALLY_SAME,		/* the value if all agree, else unknown */
};

struct ktally_value {
	enum { KTALLY_V_UNKNOWN, KTALLY_V_U64, KTALLY_V_S64, KTALLY_V_DOUBLE, KTALLY_V_TEXT } type;
	bool upper;			/* only an upper bound: shown with <= */
	bool lower;			/* a part of it is unknown: shown with >= */
	const char *mark;		/* before the number in tables: which of several kinds it is; NULL = none */
	union {
		uint64_t u;
		int64_t s;
		double d;
		struct ktally_str t;
	};
};

/* What getters may need beside the life. */
struct ktally_field_ctx {
	const struct ktally_model *model;
	const struct ktally_watch *watch;	/* in place of a model */
	const struct ktally_stream_info *info;
	/* Name of the container with this id, which has 64 hex digits; NULL: 12 of them are shown. */
	const char *(*container_name)(const char *id, void *arg);
	/* Name of a user; NULL or a NULL answer: the number is shown. */
	const char *(*user_name)(uint32_t uid, void *arg);
	void *arg;
	bool since_birth;		/* figures since a life began, not since the recording did */
	char scratch[64];		/* text of the last value may lie here */
};

struct ktally_field {
	const char *name;		/* machine name, with the unit: "peak_rss_bytes" */
	const char *title;		/* table heading: "PEAK" */
	const char *help;		/* one line */
	enum ktally_unit unit;
	enum ktally_sum sum;
	int width;			/* of the table column; negative = left aligned, 0 = what is left */
	/* library's own: see ktally_field_value() */
	struct ktally_value (*get)(const struct ktally_field *f, const struct ktally_life *l,
				   struct ktally_field_ctx *c);
	unsigned int arg;
};

size_t ktally_fields(const struct ktally_field **fields);
const struct ktally_field *ktally_field_find(const char *name);	/* exact name */
/* Text is valid until the next value of the same ctx. */
struct ktally_value ktally_field_value(const struct ktally_field *f, const struct ktally_life *l,
				       struct ktally_field_ctx *c);
const char *ktally_unit_name(enum ktally_unit unit);	/* "ns", "bytes", ... for schema */
const char *ktally_sum_name(enum ktally_sum sum);

int ktally_key_find(const char *name);		/* enum ktally_key or -ENOENT */
const char *ktally_key_name(enum ktally_key key);

/* Lives put together by a key, in order of each group's first start. */
struct ktally_groups;
struct ktally_group;

/* want NULL = all lives. NULL: no memory. ctx must outlive the groups. */
struct ktally_groups *ktally_groups_make(struct ktally_field_ctx *ctx, enum ktally_key key,
					 bool (*want)(const struct ktally_life *l, void *arg), void *arg);
/* A life and all that descend from it as one group; the others are not looked at. */
struct ktally_groups *ktally_groups_of_tree(struct ktally_field_ctx *ctx, const struct ktally_life *root);
/*
 * The same of lives that come one by one and need not stay: of these fields alone, which
 * stay the caller's, the values are kept. Add those that ktally_model_retire() gives, and
 * at the end the model's rest. 0 or -ENOMEM.
 */
struct ktally_groups *ktally_groups_fold(struct ktally_field_ctx *ctx, enum ktally_key key,
					 const struct ktally_field *const *fields, size_t n);
int ktally_groups_add(struct ktally_groups *g, const struct ktally_life *l);
int ktally_groups_add_rest(struct ktally_groups *g,
			   bool (*want)(const struct ktally_life *l, void *arg), void *arg);
size_t ktally_groups_count(const struct ktally_groups *g);
const struct ktally_group *ktally_groups_at(const struct ktally_groups *g, size_t i);
void ktally_groups_free(struct ktally_groups *g);
struct ktally_str ktally_group_name(const struct ktally_group *g);	/* p NULL: the key is unknown */
/* How many; *lives NULL: they were folded. */
size_t ktally_group_lives(const struct ktally_group *g, const struct ktally_life *const **lives);
struct ktally_value ktally_group_value(const struct ktally_group *g, const struct ktally_field *f,
				       struct ktally_field_ctx *c);

#endif
