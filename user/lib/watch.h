/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * watch.h - what the files of the watch share: watch.c takes records and cuts
 * intervals, watch_process.c keeps processes, watch_spend.c their counters,
 * watch_tally.c the sums of groups, watch_image.c programs, watch_cgroup.c paths.
 */
#ifndef KTALLY_WATCH_H
#define KTALLY_WATCH_H

#include "hash.h"
#include "ktally.h"
#include "model.h"
#include "spans.h"

/* A program: shared by the process that executed it and those forked from that. */
struct program {
	uint32_t refs;
	size_t size;
	struct ktally_image image;
	char text[];
};

/* What a process holds of its tally's sums of memory. */
struct held {
	uint64_t rss, peak, swap;
};

struct watched {
	struct ktally_watched pub;
	struct hash_link link;
	size_t at;			/* in the list; SIZE_MAX: not listed any more */
	struct program *program;
	struct ktally_image image;	/* of the program, whose texts it has */
	struct ktally_traffic traffic;	/* newest */
	uint64_t cpu[3];		/* KTALLY_COST_CPU and on, newest */
	uint64_t known, upper;		/* what was ever measured */
	struct held held;
	uint64_t floor;			/* peak of an image that ended in this interval */
	uint64_t joined;		/* its tally, at this time */
	uint64_t here[3];		/* CPU, USER, SYS in this interval since then */
	uint64_t sampled, sampled_before;	/* times of walk records, */
	uint64_t sampled_in, sampled_before_in;	/* in these intervals */
	uint32_t walk;			/* newest that met it */
	bool whole;			/* its counters are counted from its birth */
	bool fresh;			/* not asked about yet: its parent may come later in the walk */
	bool meant, under;		/* itself, by an ancestor */
	bool dirty;			/* has figures of this interval */
	bool counted;			/* was in a group */
	bool told;			/* by a walk, which tells all that is measured */
	bool ending;			/* no thread that has not begun to end */
};

struct tally {
	struct ktally_tally pub;
	struct ktally_str key;
	struct hash_link link;
	size_t at;			/* in the list */
	uint32_t refs;			/* processes that point to it */
	uint64_t left[3];		/* CPU, USER, SYS in this interval of those that left it */
	uint64_t peak;			/* of the living, added up */
	struct spans *ended;		/* of this interval; NULL: none ever */
	bool touched;			/* has figures of this interval */
};

struct place_path {
	struct hash_link link;
	uint64_t id;
	char *path;
	bool removed;
};

struct list {
	void **at;
	size_t n, room;
};

struct ktally_watch {
	struct ktally_watch_options o;
	struct ktally_interval interval;
	uint64_t load_id;
	uint64_t begin;			/* time of the first record: who is younger is whole */
	bool begun;			/* the first cut has been */
	bool shown;			/* after a cut, before the next record */
	uint32_t walk;			/* number of the newest */
	uint64_t walk_begin;
	bool walk_whole;		/* it ended and lost nothing */
	struct hash processes, tallies, cgroups;
	struct list list;		/* struct watched: the living, and this interval's ended */
	size_t fresh;			/* of them, not asked about yet */
	size_t ended;			/* of them, ended */
	struct list tally_list;		/* struct tally */
	struct tally all;
	struct tally *rest;
	struct watched **late;		/* ring of ended ones whose bytes may still come */
	size_t late_at;
	struct place_path **gone;	/* ring of removed cgroups */
	size_t gone_at;
	size_t bytes;
};

#define LATE_MOST	1024
#define GONE_MOST	256

int list_add(struct list *l, void *p);

/* watch_process.c */
struct watched *watched_find(const struct ktally_watch *w, uint32_t tgid, uint64_t start);
int watched_fork(struct ktally_watch *w, const struct ktally_event *ev);
int watched_exec(struct ktally_watch *w, const struct ktally_event *ev);
int watched_task(struct ktally_watch *w, const struct ktally_event *ev);
int watched_exit(struct ktally_watch *w, const struct ktally_event *ev);
int watched_late(struct ktally_watch *w, const struct ktally_event *ev);
void watched_lost(struct ktally_watch *w, struct watched *p, uint64_t time);
void watched_forget(struct ktally_watch *w, struct watched *p);
void watched_next(struct watched *p);	/* another interval */
void watched_cut(const struct ktally_watch *w, struct watched *p);
void watched_free(struct ktally_watch *w, struct watched *p);

/* watch_group.c; -ENOMEM or 0 */
/* Asks whether it is meant, once its parent has been asked about, and puts it where it belongs. */
int watched_join(struct ktally_watch *w, struct watched *p, uint64_t load_id);
/* The same of one that has been asked about: it may belong elsewhere now. */
int watched_settle(struct ktally_watch *w, struct watched *p, uint64_t time);
void watched_let_go(struct watched *p);

/* watch_spend.c; traffic NULL: the record does not speak of it; count false: it is where counting begins */
void spend(struct ktally_watch *w, struct watched *p, const void *use, const void *traffic, bool count);
void spend_traffic(struct ktally_watch *w, struct watched *p, const void *traffic);

/* watch_tally.c */
struct tally *tally_of(struct ktally_watch *w, const struct watched *p);	/* NULL: no memory */
void tally_enter(struct ktally_watch *w, struct watched *p, struct tally *t, uint64_t time);
void tally_leave(struct ktally_watch *w, struct watched *p, uint64_t time);
void tally_hold(struct watched *p);
void tally_spend(struct ktally_watch *w, struct watched *p, unsigned int place, uint64_t n);
void tally_know(struct ktally_watch *w, const struct watched *p);
void tally_cut(struct ktally_watch *w);
void tally_next(struct ktally_watch *w);
void tally_free_all(struct ktally_watch *w);

/* watch_image.c */
struct program *program_of_exec(struct ktally_watch *w, const struct ktally_event *ev);
struct program *program_of_task(struct ktally_watch *w, const struct ktally_event *ev);
struct program *program_of_name(struct ktally_watch *w, uint32_t image, const char *comm);
void program_put(struct ktally_watch *w, struct program *pr);

/* watch_cgroup.c */
int cgroup_take(struct ktally_watch *w, const struct ktally_event *ev);
void cgroup_free_all(struct ktally_watch *w);

#endif
