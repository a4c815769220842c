/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * model.h - what the files of the model share: model.c takes records, image.c keeps
 * the programs of a life, before.c what it had used before, netdev.c the devices,
 * settle.c decides what only the whole recording can tell.
 */
#ifndef KTALLY_MODEL_H
#define KTALLY_MODEL_H

#include "arena.h"
#include "ktally.h"
#include "table.h"

#define COMMON_OWNER_AT(kind)	offsetof(struct ktally_##kind, ppid)
#define COMMON_USE_AT(kind)	offsetof(struct ktally_##kind, known)
#define OWNER_BITS		((1ULL << KTALLY_HAS_known) - 1)

/* One session of one load on one boot, as far as ends and beginnings need it. */
struct session {
	uint64_t load_id, begin;	/* begin: its first opening walk, else its first record */
	uint64_t closing_begin;		/* time; 0 = no closing walk */
	uint32_t number, boot;
	uint32_t opening, closing;	/* numbers of these walks, the newest */
	bool opened;			/* begin is that of the opening walk */
	bool opening_now;		/* that walk has not ended */
	bool closing_whole;		/* the closing walk ended and lost nothing */
};

/* A life with what only the model needs. */
struct life {
	struct ktally_life pub;
	uint32_t session;		/* index of the newest that spoke of it */
	uint32_t task_session, task_walk;	/* of the newest task record */
	bool task_opening;		/* met in an opening walk */
	bool dying;			/* newest task record: no thread that had not begun to end */
	bool noexec;			/* never executed a program */
	uint32_t fork_image;		/* the parent's at the fork (saw_fork) */
	uint32_t first;			/* index of the first session that spoke of it */
	uint32_t met;			/* index + 1 of the newest session whose opening walk met it */
	bool kept;			/* retire.c: it stays for now */
	uint64_t net_time;		/* of the record that traffic comes from */
	bool use_in, use_out, net_in, net_out;	/* the window has begun, has ended */
	struct ktally_use *base_use;	/* becomes use_before, unless the life is not older after all */
	struct ktally_traffic *base_traffic;
};

struct cgroup {
	uint64_t id;
	uint32_t boot;
	const char *path;
};

struct netdev {
	struct ktally_netdev pub;
	uint32_t session;		/* index of the newest that spoke of it */
	bool first_in_walk;		/* an opening walk met it */
};

/* retire.c: lives that are handed over while records still come. */
struct retirement {
	int (*take)(void *arg, const struct ktally_life *l);	/* NULL: all are kept */
	void *arg;
	const struct ktally_stream_info *info;
	size_t due;			/* look for them when there are so many lives */
	uint64_t n, young;		/* that have gone; of them, see dumped_young() */
	struct ktally_balance counted;	/* they, too */
};

struct ktally_model {
	struct arena arena;		/* of lives, and what belongs to them */
	struct arena lasting;		/* of all else */
	struct table by_key, cgroups, by_device;
	struct life **lives;
	size_t n_lives, room;
	struct life *newest;		/* of the last record: the next is often about it too */
	struct session *sessions;
	uint32_t n_sessions, session;	/* session: of the last record */
	struct netdev **netdevs;
	size_t n_netdevs, netdev_room;
	struct netdev *net_tables;
	const struct ktally_window *windows;
	size_t n_windows;
	bool window_costs;
	uint64_t duplicates;
	uint64_t ended, ended_runtime, ended_net[6];	/* all exit records, added up */
	bool settled;
	struct ktally_balance balance;
	struct retirement retirement;
};

/* cost.c: the part of runtime that ticks say was spent in the kernel. */
uint64_t use_system(const struct ktally_use *u);

/* model.c: a life that is made already becomes one of the model's; -ENOMEM or 0. */
int model_list(struct ktally_model *m, struct life *l);
struct life *model_find(const struct ktally_model *m, uint32_t boot, uint32_t tgid, uint64_t start);

/* netdev.c; -ENOMEM or 0 */
int netdev_feed(struct ktally_model *m, const struct ktally_event *ev);
void netdev_settle(struct ktally_model *m, const struct ktally_stream_info *info);

/* before.c: a task record, before it is taken; -ENOMEM or 0 */
int before_met(struct ktally_model *m, struct life *l, const struct ktally_task *t);

/* window.c; 1: it ends before this record, whose figures are not to be taken; 0, -ENOMEM */
int window_use(struct ktally_model *m, struct life *l, const struct ktally_use *use, uint64_t time);
int window_traffic(struct ktally_model *m, struct life *l, const struct ktally_traffic *t, uint64_t time);
int window_settle(struct ktally_model *m, struct life *l);

/* settle.c: its steps, for one life where it does not need all. */
void settle_sort(struct ktally_model *m);
void settle_parent(const struct ktally_model *m, struct life *l);
int settle_end(struct ktally_model *m, struct life *l);		/* -ENOMEM or 0 */
void settle_count(struct ktally_balance *b, const struct life *l);
bool settle_dumped_young(const struct life *l, const struct ktally_stream_info *info);

/* retire.c; -ENOMEM or 0 */
int retire_due(struct ktally_model *m, uint64_t now);

/* image.c; all -ENOMEM or 0 */
int image_forked(struct ktally_model *m, struct life *l, const struct ktally_event *ev);
int image_executed(struct ktally_model *m, struct life *l, const struct ktally_event *ev);
int image_more_args(struct ktally_model *m, struct life *l, const struct ktally_event *ev);
int image_met(struct ktally_model *m, struct life *l, const struct ktally_event *ev);	/* task */
int image_ended(struct ktally_model *m, struct life *l, const struct ktally_event *ev);
/* Names and arguments of the parent's program for what has not executed one of its own. */
void image_inherit(struct life *l);

#endif
