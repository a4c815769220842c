/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* model.h - records become lives and images, with a balance of all that was lost; memory only. Part of <ktally.h>. */
#ifndef KTALLY_LIB_MODEL_H
#define KTALLY_LIB_MODEL_H

#include "stream.h"

struct ktally_model;

/* Parts that several kinds share, as structs of their own. */
struct ktally_owner { KTALLY_OWNER_FIELDS(KTALLY__F, KTALLY__A, KTALLY__S) };
struct ktally_use { KTALLY_USAGE_FIELDS(KTALLY__F, KTALLY__A, KTALLY__S) };
struct ktally_traffic { KTALLY_NET_FIELDS(KTALLY__F, KTALLY__A, KTALLY__S) };

/*
 * A program within a life. The first image of a forked life is its parent's
 * program: same names and arguments, has_exec false. An image whose exec record
 * was lost is there too, with unknown set and no names but comm.
 */
struct ktally_image {
	uint32_t number;		/* self_exec_id */
	uint32_t argc;			/* 0 = unknown */
	uint64_t begin, end;		/* BOOTTIME ns; end 0 = not ended */
	bool has_exec;			/* an exec record was seen */
	bool unknown;			/* exec record lost: neither names nor begin are known */
	bool begin_known;
	char comm[KTALLY_COMM_LEN];	/* at its exec */
	const char *filename, *interp;	/* NUL-terminated, may be NULL; script: filename is the script */
	const char *argv;		/* NUL-separated as stored, NULL = unknown */
	uint32_t argv_len;		/* bytes in argv */
	uint32_t argv_true_len;		/* bytes the process had */
	uint32_t flags;			/* KTALLY_EXEC_* */
	uint32_t envc;
	bool pipes_known;		/* the two below were looked at */
	uint32_t pipe_in, pipe_out;	/* numbers of the pipes at descriptors 0 and 1; 0 = none */
	const struct ktally_use *at_begin;	/* life's counters when it began; NULL = unknown */
	uint32_t argv_room;		/* the library's: bytes there are for argv, 0 = as many as it has */
};

enum ktally_life_state {
	KTALLY_RUNNING,			/* alive when the recording ended */
	KTALLY_ENDED,			/* its exit record is here */
	KTALLY_END_UNSEEN,		/* was ending or had ended when recording began, or ended between recordings */
	KTALLY_END_LOST,		/* gone, and its exit record is lost */
	KTALLY_END_UNKNOWN,		/* no closing walk: it may live or not */
};

struct ktally_life {
	uint32_t tgid;
	uint32_t boot;			/* ktally_event.boot */
	uint64_t start;			/* BOOTTIME ns */
	uint64_t end;			/* BOOTTIME ns; 0 unless ENDED */
	uint64_t last_seen;		/* time of the newest record about it */
	enum ktally_life_state state;
	bool saw_fork, saw_exec, saw_task, saw_exit;
	bool kthread;
	bool older;			/* began before the recording */
	bool in_tree;			/* is or is below the recording's root; all, if it has none */
	char run_state;			/* letter of ps, from the newest task record; 0 = none */
	uint32_t status, exit_flags;	/* ENDED: as wait() sees it, KTALLY_EXIT_* */
	uint32_t threads;		/* of the newest task record; 0 = unknown */
	uint32_t threads_ended;		/* thread_exit records */
	uint32_t fork_flags;		/* KTALLY_FORK_* (saw_fork) */
	uint32_t ppid;			/* at birth if known, else the oldest seen */
	uint64_t parent_start;
	uint64_t present;		/* enum ktally_has: what owner and status hold */
	struct ktally_owner owner;	/* newest seen */
	struct ktally_use use;		/* newest seen; run_delay: over all threads */
	const struct ktally_traffic *traffic;	/* newest seen; NULL = not measured */
	uint64_t net_known, net_upper;	/* bits KTALLY_U_NET and on, of traffic */
	/*
	 * What of use and traffic is not the recording's, once settled: what an older life
	 * had when the recording met it, and what came between two recordings. NULL = nothing,
	 * or of an older life that no opening walk met: unknown.
	 */
	const struct ktally_use *use_before;
	const struct ktally_traffic *traffic_before;
	struct ktally_life *parent;	/* NULL = not in the stream */
	struct ktally_life *child, *sibling;	/* first child, next of the same parent, in order of start */
	struct ktally_image *images;	/* in order of number; never empty once settled */
	uint32_t n_images;
	uint32_t room;			/* library's own */
	uint32_t execs_past;		/* of images that are not kept: a watch keeps the newest alone */
	uint64_t delay_threads;		/* library's own: run_delay of thread_exit records */
	uint64_t use_time, birth_time;	/* library's own: of the records use and ppid come from */
	void *user;			/* the caller's */
};

/*
 * Where every process that was counted has gone, from two sides: lives (made from
 * records) and the module's own counts of attempts. Balanced when
 *   dumped + older + never_seen + entered + forks + lost[FORK] =
 *	exits + running + end_unseen + lost[EXIT] + missed_ends
 */
struct ktally_balance {
	uint64_t dumped;		/* lives first met in an opening walk */
	uint64_t older;			/* lives that began before, met only in records of their own */
	uint64_t never_seen;		/* older, ended before the walk met them, exit record lost: lost[EXIT] at most */
	uint64_t missed_ends;		/* ended while the kprobe was disarmed: kp_missed at most, for that counts threads too */
	uint64_t forks;			/* fork records */
	uint64_t exits;			/* exit records, the second of a pair not counted */
	uint64_t duplicates;		/* second exit records that were dropped */
	uint64_t running, end_unseen;
	uint64_t lost_ends;		/* lives that are gone without an exit record */
	uint64_t lost_forks;		/* lives begun while recording without a fork record */
	uint64_t entered;		/* of a selection: begun while recording, recorded only later in life */
	uint64_t unknown_ends;		/* lives of recordings without a closing walk */
	uint64_t lost[KTALLY_KINDS];	/* records, by kind, as the module counted */
	uint64_t filtered[KTALLY_KINDS];
	uint64_t lost_total, filtered_total, threads, kp_missed;
	int64_t difference;		/* left - right side of the equation; 0 = balanced */
	/*
	 * The module's totals against the records: ends = records of ends + those lost +
	 * those filtered + ends_difference. Of what was lost, and was not filtered, the
	 * CPU time and the wire bytes (rx, tx of physical, loopback, virtual).
	 */
	uint64_t ends, ended_records;
	int64_t ends_difference;
	uint64_t lost_runtime, lost_net[6];
	bool ends_known, amounts_known;
	bool checked;			/* false: no `end` record, so there is nothing to check against */
	bool disarmed;			/* the module stopped itself: what came after that is missing */
};

/* A part of each boot's time, CLOCK_BOOTTIME. */
struct ktally_window {
	uint64_t since, until;
};

struct ktally_model *ktally_model_open(void);	/* NULL: no memory */
/*
 * Before the first record: only this part is meant, of boot i by windows[i], which stays
 * the caller's. With `costs` what a life used is what it used in it: the difference of
 * its counters there, as if it had used them evenly between two records.
 */
void ktally_model_window(struct ktally_model *m, const struct ktally_window *windows, size_t boots,
			 bool costs);
/* It lived in the window; always, without one. Once settled. */
bool ktally_model_within(const struct ktally_model *m, const struct ktally_life *l);
/*
 * Before the first record, for recordings that are larger than memory: a life that has
 * ended is given to take(), settled, when nothing more is expected of it, and forgotten.
 * What lives stays, with its parents, and what moved bytes, for more of them may be told
 * of until the end. Only of a recording of one session that has no root. info is the
 * stream's; take() returns 0, or -ENOMEM.
 */
void ktally_model_retire(struct ktally_model *m, const struct ktally_stream_info *info,
			 int (*take)(void *arg, const struct ktally_life *l), void *arg);
uint64_t ktally_model_retired(const struct ktally_model *m);	/* how many were given */
/* Takes any record; what it does not need is ignored. -ENOMEM is the only failure. */
int ktally_model_feed(struct ktally_model *m, const struct ktally_event *ev);
/* After the last record: links parents, decides ends, completes argv. Feeding may go on; call again. info may be NULL. */
int ktally_model_settle(struct ktally_model *m, const struct ktally_stream_info *info);
size_t ktally_model_lives(const struct ktally_model *m, struct ktally_life *const **lives);	/* those that are there, in order of start, once settled */
/* start 0 = the newest of that number; boot: the newest. */
struct ktally_life *ktally_model_find(const struct ktally_model *m, uint32_t tgid, uint64_t start);
void ktally_model_balance(const struct ktally_model *m, struct ktally_balance *b);
const char *ktally_model_cgroup(const struct ktally_model *m, uint32_t boot, uint64_t id);	/* path or NULL */
size_t ktally_model_bytes(const struct ktally_model *m);	/* memory it holds */
void ktally_model_close(struct ktally_model *m);

/* The image the life ended with or runs now; NULL if none is known. */
const struct ktally_image *ktally_life_image(const struct ktally_life *l);
/* What it used within the recording; figures that can't be parted are marked upper. */
void ktally_life_use(const struct ktally_life *l, struct ktally_use *out);
/* The same of traffic, whose bits are in the life's net_known; false: not measured. */
bool ktally_life_traffic(const struct ktally_life *l, struct ktally_traffic *out, uint64_t *upper);
bool ktally_life_below(const struct ktally_life *l, const struct ktally_life *root);	/* l == root counts */
/* The life behind l in the order of the tree below root, parents first; NULL: it was the last. */
const struct ktally_life *ktally_life_next(const struct ktally_life *l, const struct ktally_life *root);
/* What image i alone used: differences of counters, its own peaks. Unknown parts are clear in known. */
void ktally_image_use(const struct ktally_life *l, size_t i, struct ktally_use *out);
/* Base name of its first argument: what it was called as; else its program. */
struct ktally_str ktally_image_called(const struct ktally_image *im);
/* The script that an interpreter runs ("sh /etc/init.d/net start": net), without its folders; else its program. */
struct ktally_str ktally_image_script(const struct ktally_image *im);
bool ktally_image_is_shell(const struct ktally_image *im);
/* A shell, or another interpreter with a script to run. */
bool ktally_image_is_script(const struct ktally_image *im);
/*
 * Name of its program: the file's base name, else comm; of what /proc/PID/exe started the
 * first word's. Not NUL-terminated.
 */
struct ktally_str ktally_image_program(const struct ktally_image *im);

/*
 * A network device, or a class of them (KTALLY_DEVICE_CLASS, _KINDS), and what the hooks saw
 * on it: counters since the hooks began, or since the device was made. before: what
 * of them is not the recording's.
 */
struct ktally_netdev {
	uint32_t boot;
	uint64_t load_id;
	bool gone;			/* its last record was seen: own counters are lower bounds */
	bool met;			/* before is known */
	bool again;			/* told of behind an opening walk: last is not before */
	struct ktally_device last, before;
};

/* Devices as they came, then classes, then kinds of packets (KTALLY_DEVICE_KINDS), once settled. */
size_t ktally_model_netdevs(const struct ktally_model *m, struct ktally_netdev *const **devices);
/* State of the module's tables (enum ktally_net_table) by the newest record; NULL = not told. */
const __u64 *ktally_model_net_tables(const struct ktally_model *m);

/* Which sums are compared; docs/network.md. */
enum ktally_equation {
	KTALLY_EQ_BUCKETS,		/* hooks, wire bytes = the buckets */
	KTALLY_EQ_DEVICE,		/* the device's own counters = hooks, device bytes, and offsets */
	KTALLY_EQ_CLASS,		/* sockets of a class = whose they are */
	KTALLY_EQ_KINDS,		/* what no process has (enum ktally_apart) = its kinds of packets */
};

/* whole = sum of parts + rest, in each equation and direction. */
struct ktally_term {
	enum ktally_equation equation;
	enum { KTALLY_WHOLE, KTALLY_PART, KTALLY_REST } role;
	bool tx;
	const char *name;
	bool known, has_packets;	/* not known: not traced, or forgotten by the driver */
	bool lower;
	int64_t packets, bytes;		/* offsets and rests may be negative */
};
enum { KTALLY_TERMS_MAX = 56 };
/* since_load: not only the recording's. */
size_t ktally_netdev_terms(const struct ktally_netdev *d, bool since_load,
			   struct ktally_term terms[KTALLY_TERMS_MAX]);

/* All of them in a few figures. */
struct ktally_network {
	bool counted;			/* there are records of devices, from the beginning and from later */
	uint64_t wire_bytes, packets;	/* that the hooks saw, all devices */
	uint64_t rest_bytes, rest_packets; /* sum of the rests, each without its sign */
	uint64_t unchecked;		/* directions of devices that nothing can be compared with */
	/* Wire bytes, received and sent, by class (0 physical, 1 loopback, 2 virtual). */
	uint64_t sockets[3][2];
	int64_t share[3][KTALLY_S_KINDS][2];	/* what was pending before may be credited now */
	uint64_t lives[3][2];		/* sum over all lives: what reports show */
};
void ktally_model_network(const struct ktally_model *m, bool since_load, struct ktally_network *n);
const char *ktally_share_name(unsigned int share);	/* enum ktally_share */
const char *ktally_class_name(unsigned int class);
enum ktally_key {
	KTALLY_BY_PROCESS, KTALLY_BY_PROGRAM, KTALLY_BY_COMMAND, KTALLY_BY_USER,
	KTALLY_BY_CGROUP, KTALLY_BY_UNIT, KTALLY_BY_CONTAINER, KTALLY_BY_NETNS,
	KTALLY_BY_PARENT, KTALLY_BY_ALL, KTALLY_KEYS
};
struct ktally_field_ctx;

#endif
