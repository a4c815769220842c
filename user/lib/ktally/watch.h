/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* watch.h - records of a live session become sums, by interval; memory only. Part of <ktally.h>. */
#ifndef KTALLY_LIB_WATCH_H
#define KTALLY_LIB_WATCH_H

#include "model.h"

/*
 * What running programs cost, interval by interval. A watch is fed with the records
 * of a live session in order (the opening walk first) and cut where an interval ends;
 * after a cut its figures stand until the next record. It keeps each living process
 * and a tally per group; a process that ended is added to its group's tally, shown
 * once and forgotten, so memory is bounded by what lives and by the limits below.
 * What a process spends counts for the group it is in when the record that tells of
 * it was written: an exec or a move to another cgroup splits it, counts none twice.
 */
struct ktally_watch;
struct ktally_tally;

/* Places in struct ktally_cost: what adds up over time. */
enum ktally_cost_place {
	KTALLY_COST_CPU,		/* ns, exact; the next two share it as ticks saw */
	KTALLY_COST_USER, KTALLY_COST_SYS,
	KTALLY_COST_NVCSW, KTALLY_COST_NIVCSW, KTALLY_COST_MINFLT, KTALLY_COST_MAJFLT,
	KTALLY_COST_RCHAR, KTALLY_COST_WCHAR, KTALLY_COST_SYSCR, KTALLY_COST_SYSCW,
	KTALLY_COST_READ, KTALLY_COST_WRITE, KTALLY_COST_CANCELLED_WRITE,
	KTALLY_COST_PHYS,		/* and on: enum ktally_net of each class */
	KTALLY_COST_LOOP = KTALLY_COST_PHYS + KTALLY_N_COUNTERS,
	KTALLY_COST_VIRT = KTALLY_COST_LOOP + KTALLY_N_COUNTERS,
	KTALLY_COST_TCP_RX = KTALLY_COST_VIRT + KTALLY_N_COUNTERS,
	KTALLY_COST_TCP_TX, KTALLY_COST_UDP_RX, KTALLY_COST_UDP_TX, KTALLY_COST_RX_DROPPED,
	KTALLY_COSTS
};

struct ktally_cost {
	uint64_t of[KTALLY_COSTS];
};

/* CPUs used on average in the interval: 1.0 is one CPU all the time. */
struct ktally_rate {
	double cpu, user, sys;
};

/* A process. Fields of the field table work on its life; its only image is what it runs now. */
struct ktally_watched {
	struct ktally_life life;	/* parent, child and sibling are not linked: ask ktally_watch_find() */
	struct ktally_cost interval;	/* spent in it, whatever it ran */
	struct ktally_rate rate;
	struct ktally_tally *tally;	/* of its group; NULL: not wanted */
	bool begun, ended;		/* in this interval; one that ended is gone after it */
	void *user;			/* the caller's */
};

/* A group, or all of them. */
struct ktally_tally {
	struct ktally_str name;		/* p NULL: its key is unknown */
	const struct ktally_watched *process;	/* KTALLY_BY_PROCESS: it */
	uint64_t known;			/* bits of enum ktally_usage: measured, of one process at least */
	uint64_t partial;		/* not measured, of one at least: sums are lower bounds */
	uint64_t upper;			/* only upper bounds */
	uint32_t alive, begun, ended;	/* processes now; that joined and that ended in this interval */
	struct ktally_cost interval;	/* spent in it */
	struct ktally_cost total;	/* since the watch began */
	struct ktally_cost before;	/* before that, as enum ktally_since asks */
	struct ktally_rate rate;
	uint64_t rss, swap;		/* of the living, added up */
	uint64_t peak;			/* peaks of those that lived at the same time, added up */
	uint64_t peak_alive;		/* of it, the living */
	uint64_t peak_seen;		/* largest rss seen, of one process or at a cut */
	uint64_t cuts, sum_alive, sum_rss; /* over all cuts: for means */
	bool shared;			/* of more than one: rss and peak are upper bounds */
	bool was_shared;		/* at some cut: peak_seen and means are upper bounds */
	bool rest;			/* of groups beyond the limit, put together */
	void *user;			/* the caller's */
};

enum ktally_since {
	KTALLY_SINCE_START,		/* of the watch */
	KTALLY_SINCE_LOAD,		/* of the module; CPU of processes older than that: of the watch */
	KTALLY_SINCE_BIRTH,		/* of each process */
};

struct ktally_watch_options {
	enum ktally_key key;
	enum ktally_since since;
	/* Is this process meant? Asked when it appears and when what is known of it changes. NULL: all are. */
	bool (*want)(const struct ktally_life *l, void *arg);
	void *arg;
	bool tree;			/* what those meant started is meant too, */
	bool heads;			/* and counts in the group of who was meant */
	bool older_ends;		/* ends of processes older than the watch that no record told of before count, too */
	struct ktally_field_ctx *ctx;	/* must outlive it; its watch is set */
	size_t most_tallies;		/* 0 = 4,096; the idle ones beyond are put together */
	size_t most_ended;		/* listed of one interval; 0 = 8,192; they are counted all the same */
};

struct ktally_interval {
	uint64_t begin, end;		/* CLOCK_BOOTTIME, ns */
	uint64_t number;		/* from 1 */
	uint64_t ended_unlisted;	/* ended beyond most_ended */
	uint64_t lost_ends;		/* since it began: gone without an exit record */
	uint64_t unseen;		/* since it began: ends of older processes that no walk had met */
};

struct ktally_watch *ktally_watch_open(const struct ktally_watch_options *o);	/* NULL: no memory */
int ktally_watch_feed(struct ktally_watch *w, const struct ktally_event *ev);	/* 0 or -ENOMEM */
/*
 * Ends the interval at `time`; the first cut, behind the opening walk, only begins the
 * first one. whole: the newest walk met every process, so what it did not meet is gone.
 */
int ktally_watch_cut(struct ktally_watch *w, uint64_t time, bool whole);
const struct ktally_interval *ktally_watch_interval(const struct ktally_watch *w);
size_t ktally_watch_tallies(const struct ktally_watch *w, struct ktally_tally *const **tallies);
const struct ktally_tally *ktally_watch_total(const struct ktally_watch *w);
/* The living, and those that ended in the interval, in no order; those not wanted too. */
size_t ktally_watch_processes(const struct ktally_watch *w, struct ktally_watched *const **processes);
struct ktally_watched *ktally_watch_find(const struct ktally_watch *w, uint32_t tgid, uint64_t start);
/* The living process of that number; NULL: there is none. */
struct ktally_watched *ktally_watch_pid(const struct ktally_watch *w, uint32_t tgid);
const char *ktally_watch_cgroup(const struct ktally_watch *w, uint64_t id);	/* path or NULL */
size_t ktally_watch_bytes(const struct ktally_watch *w);	/* memory it holds */
void ktally_watch_close(struct ktally_watch *w);

#endif
