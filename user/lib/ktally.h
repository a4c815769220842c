/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ktally.h - libktally: from bytes of a ktally stream to named values of
 * processes, in five levels that can be used alone:
 *
 *   wire    bytes of one sub-buffer -> records           (no I/O)
 *   stream  live module, files, memory -> one order      (all I/O is here)
 *   model   records -> lives, images, balance            (memory only)
 *   watch   records of a live session -> sums, by interval (memory only)
 *   field   a life -> named values with unit, known?     (memory only)
 *
 * The library never prints, never exits, keeps no globals and installs no signal
 * handlers. Functions return 0 or a count on success and -errno on failure. An
 * *_open that fails still gives a handle, unless memory ran out: it answers
 * *_error() with one line that says what, why and what to do, and wants closing;
 * *_error(NULL) speaks of memory. The caller owns what it passes in; what a
 * handle returns is valid until the handle is closed unless said otherwise. One
 * handle belongs to one thread.
 */
#ifndef KTALLY_LIB_H
#define KTALLY_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/ktally.h>

const char *ktally_version(void);

/* ------------------------------------------------------------------ wire -- */

/*
 * ktally_wire: knows the descriptions (through libtraceevent, once per kind) and
 * turns payloads into host structs: `u` receives the fields this reader knows at
 * the offsets of its own struct ktally_<kind>; fields that the stream lacks are 0
 * and clear in `present` (in `known` too, for what that speaks of); fields this
 * reader does not know are ignored. A kind whose description lacks the life's
 * tgid or start counts as unknown. Strings are checked against the record.
 */
struct ktally_wire;

struct ktally_str {
	const char *p;		/* not NUL-terminated; NULL if absent */
	uint32_t len;		/* bytes; a text's final NUL is not counted, argv and data have all of theirs */
};

#define KTALLY_STRINGS 3	/* at most this many strings per kind, in list order */

/*
 * Bits of `present`: the place of a field in its kind's list. These are exit's;
 * the parts that kinds share have the same places in fork, exec and task.
 */
#define KTALLY__HAS_F(type, name)	KTALLY_HAS_##name,
#define KTALLY__HAS_A(type, name, n)	KTALLY_HAS_##name,
#define KTALLY__HAS_S(name)		KTALLY_HAS_##name,
enum ktally_has { KTALLY_EXIT_FIELDS(KTALLY__HAS_F, KTALLY__HAS_A, KTALLY__HAS_S) };

struct ktally_event {
	const struct ktally_record *record;	/* frame, in the caller's or the stream's memory */
	const void *payload;			/* behind the frame */
	uint32_t payload_len;
	uint32_t kind;				/* enum ktally_kind, or a kind unknown here */
	uint32_t cpu;
	uint32_t session;
	uint32_t boot;				/* which boot of a stream's files, from 0 */
	bool decoded;				/* u, str and present hold the record */
	uint64_t seq;				/* 64-bit sequence */
	uint64_t load_id;
	uint64_t time;				/* CLOCK_BOOTTIME, ns */
	uint64_t present;			/* bit per field that the stream has */
	struct ktally_str str[KTALLY_STRINGS];
	union {					/* decoded fixed part, own layout */
		struct ktally_header header;
		struct ktally_format format;
		struct ktally_info info;
		struct ktally_fork fork;
		struct ktally_exec exec;
		struct ktally_args args;
		struct ktally_thread_exit thread_exit;
		struct ktally_exit exit;
		struct ktally_task task;
		struct ktally_net_late net_late;
		struct ktally_device device;
		struct ktally_cgroup cgroup;
		struct ktally_mark mark;
		struct ktally_walk_begin walk_begin;
		struct ktally_walk_end walk_end;
		struct ktally_end end;
		struct ktally_selection selection;
	} u;
};

/* Place within one sub-buffer. */
struct ktally_cursor {
	const unsigned char *buf;
	size_t n, pos;
	uint32_t cpu, session;
	uint64_t load_id;
	uint64_t first_seq;		/* of the header */
	bool headed;
};

struct ktally_wire *ktally_wire_open(void);	/* NULL: no memory */
void ktally_wire_close(struct ktally_wire *w);

void ktally_cursor_init(struct ktally_cursor *c, const void *buf, size_t n);

/*
 * The next record of a sub-buffer, header first. 1: a record, 0: the end,
 * -EBADMSG: damaged at c->pos. A description is taken in before it is returned.
 */
int ktally_wire_next(struct ktally_wire *w, struct ktally_cursor *c, struct ktally_event *ev);

/* Takes in one whole description; -EBADMSG if it can't be used, -EEXIST if it contradicts an earlier one. */
int ktally_wire_describe(struct ktally_wire *w, const char *text, size_t len);
/* The description of a kind as it came, NULL if none did. */
const char *ktally_wire_description(const struct ktally_wire *w, uint32_t kind, size_t *len);

/* One record as libtraceevent prints it; returns its length as snprintf does. */
int ktally_wire_print(struct ktally_wire *w, const struct ktally_event *ev, char *buf, size_t n);
const char *ktally_wire_error(const struct ktally_wire *w);

const char *ktally_kind_name(uint32_t kind);	/* "exit"; NULL if unknown */

/* ---------------------------------------------------------------- stream -- */

/* Gives the records of all CPUs in time order: from files, a folder, memory, or pushed sub-buffers. */
struct ktally_stream;

struct ktally_stream_info {
	uint64_t load_id, boottime, realtime;	/* clock pair of the first header */
	uint64_t first_time, last_time;		/* of the records given so far */
	uint64_t bytes, blocks, records;
	uint64_t missing_blocks;		/* known to be missing: damage, cut */
	uint64_t cut_at;			/* byte where a file ends too early; 0 = whole */
	uint64_t unknown_kinds, unknown_codecs;	/* records and blocks skipped */
	uint64_t undescribed;			/* records of known kinds without a description */
	uint64_t lost[KTALLY_KINDS];		/* attempts - records, by kind */
	uint64_t filtered[KTALLY_KINDS];
	uint64_t attempts[KTALLY_KINDS];
	uint64_t overwritten[KTALLY_KINDS];	/* of flight recordings: older than what was kept, in none of the above */
	uint64_t threads;			/* threads created while recording */
	uint64_t kp_missed;			/* of the `end` records */
	/* Of them too: what the module's totals counted meanwhile; see struct ktally_end. */
	uint64_t ends, ends_runtime, ends_net[6];
	bool ends_known;			/* false: an `end`, a beginning or the totals are missing */
	uint32_t cpus;				/* CPUs that delivered */
	uint32_t sessions, boots, files;
	bool ended;				/* every session's `end` record was seen */
	bool disarmed;				/* the module stopped itself before: the rest is missing */
	bool has_info;
	struct ktally_info info;		/* of the first info record */
	struct ktally_selection selection;	/* of the last record that says only a part was recorded; what == 0: none */
	char boot_id[40], host[65], release[65], machine[65], module[32], command[256];
	uint32_t root_tgid;			/* tree the recording was made for; 0 = whole machine */
	uint64_t root_start;			/* ns; 0 = unknown */
};

/* A place where records were lost. */
struct ktally_gap {
	uint32_t cpu;
	uint64_t lost;				/* records, all kinds */
	uint64_t from, to;			/* times around it, ns */
	bool damaged;				/* the file is damaged there: not lost while recording */
};

/* paths: files, or folders whose *.ktl are taken in order; "-" is standard input. */
int ktally_stream_open_files(struct ktally_stream **s, const char *const *paths, size_t n);
/* A whole recording in memory, which stays the caller's and must outlive the stream. */
int ktally_stream_open_memory(struct ktally_stream **s, const void *recording, size_t n);
/* Sub-buffers that are pushed as they come from ktally_live_read(). */
int ktally_stream_open_push(struct ktally_stream **s);
int ktally_stream_push(struct ktally_stream *s, const void *subbuf, size_t n);	/* copies */
/*
 * Everything with a time before `before` has been pushed: read CLOCK_BOOTTIME,
 * flush, drain until ktally_live_read() gives 0 or as often as the session has
 * sub-buffers (CPUs take turns), then say so. UINT64_MAX: all.
 */
void ktally_stream_settled(struct ktally_stream *s, uint64_t before);

/*
 * 1: *ev is the next record in time order (its memory is valid until the next
 * call), 0: the end, -EAGAIN: pushed so far is not enough to decide, <0: error.
 * Headers are taken in and not given. Damage is no error: see the warnings.
 */
int ktally_stream_next(struct ktally_stream *s, struct ktally_event *ev);
const struct ktally_stream_info *ktally_stream_info(struct ktally_stream *s);
size_t ktally_stream_gaps(const struct ktally_stream *s, const struct ktally_gap **gaps);
/* Line i of what is missing or was skipped ("a.ktl: cut off at ..."); NULL behind the last. Complete at the end. */
const char *ktally_stream_warning(struct ktally_stream *s, size_t i);
/* A note that was put beside the records, the newest of that name; NULL: none. NUL-terminated as well. */
const char *ktally_stream_note(const struct ktally_stream *s, const char *name, size_t *len);
/* One boot of a stream's files, known once it is open. */
struct ktally_extent {
	uint64_t first, last;			/* CLOCK_BOOTTIME of its records */
	int64_t real;				/* REALTIME - BOOTTIME */
};
bool ktally_stream_extent(const struct ktally_stream *s, uint32_t boot, struct ktally_extent *e); /* false: no such boot */
/* Descriptions of the record that was given last, for ktally_wire_print(). */
struct ktally_wire *ktally_stream_wire(struct ktally_stream *s);
const char *ktally_stream_error(const struct ktally_stream *s);
void ktally_stream_close(struct ktally_stream *s);

/* Live session on /dev/ktally: open and start, per-CPU reads, walks, flush, end. */
struct ktally_live;

struct ktally_redact;

struct ktally_live_options {
	uint64_t kinds;			/* 0 = all */
	uint32_t buffer_kb, subbuf_kb;	/* 0 = default */
	uint32_t filter, uid, pidns, netns;	/* KTALLY_FILTER_* */
	uint64_t cgroup;
	bool boot;			/* take over the boot session */
	bool flight;			/* the newest is kept; to be read at any time */
	const char *device;		/* NULL = /dev/ktally */
	const struct ktally_select *select;	/* which processes, from the first record on; NULL = all */
	struct ktally_redact *redact;	/* used on all that is read, must outlive it; NULL = none */
};

int ktally_live_open(struct ktally_live **l, const struct ktally_live_options *o);
/* One piece of a walk: 1 = drain and call again, 0 = done. */
int ktally_live_walk(struct ktally_live *l, enum ktally_purpose purpose);
/*
 * One piece of a snapshot of the living (see struct ktally_snapshot): 1 = drain and
 * call again with the same arguments, 0 = done; its records lie between walk_begin and
 * walk_end. A walk or snapshot that was left half way begins anew. flags:
 * KTALLY_SNAPSHOT_*; pids: with _PIDS. -ENOTTY: an older module.
 */
int ktally_live_snapshot(struct ktally_live *l, uint32_t flags, const uint32_t *pids, size_t n_pids);
/* Changes which processes the session records. size is filled in here. -ESRCH: a PID is not there. */
int ktally_live_select(struct ktally_live *l, const struct ktally_select *select);
int ktally_live_flush(struct ktally_live *l);	/* -EAGAIN: a CPU was left out; drain, call again */
int ktally_live_end(struct ktally_live *l);	/* -EAGAIN: drain, call again */
/* Waits for finished sub-buffers, -1 = for ever. 1: something to read, 0: time out or a signal. extra_fd (or -1) ends it as well. */
int ktally_live_wait(struct ktally_live *l, int timeout_ms, int extra_fd);
/* One finished sub-buffer of any CPU, valid until the next call: its bytes, 0 when none is finished now. */
long ktally_live_read(struct ktally_live *l, const void **buf, uint32_t *cpu);
int ktally_live_counts(struct ktally_live *l, struct ktally_counts *c);
const struct ktally_start *ktally_live_start(const struct ktally_live *l);
int ktally_live_fd(const struct ktally_live *l);	/* readable when a sub-buffer is finished: for other loops */
const char *ktally_live_error(const struct ktally_live *l);
void ktally_live_close(struct ktally_live *l);

/* Without a session; on failure `error` receives one line. device NULL = /dev/ktally. */
int ktally_status_read(struct ktally_status *st, const char *device, char *error, size_t n);
/*
 * The kernel's own sums: *rows gets what free() takes, t->n of them; t says the rest. Rows
 * of one key may come more than once: exited, alive; they add up.
 */
int ktally_totals_read(struct ktally_totals *t, struct ktally_totals_row **rows, const char *device,
		       char *error, size_t n);
int ktally_totals_reset(const char *device, char *error, size_t n);
/* What the module did since load. -EPERM: not from within a PID namespace; -ENOTTY: an older module. */
int ktally_work_read(struct ktally_work *w, const char *device, char *error, size_t n);
/*
 * How long the module's hooks take: they are timed until the descriptor that begin returns
 * is closed. -EPERM: root only; -EBUSY: somebody else has them timed.
 */
int ktally_timing_begin(struct ktally_timing *t, const char *device, char *error, size_t n);
/* What came so far: hooks gets t->n of them, room at most. 0 or -errno. */
int ktally_timing_read(int fd, struct ktally_timing *t, struct ktally_hook_time *hooks, size_t room);
int ktally_mark(const char *device, const char *text, size_t len, char *error, size_t n);

/* Container writer: file head, a block per sub-buffer, a summary at the end. docs/format.md */
struct ktally_file;

struct ktally_file_options {
	bool force;			/* overwrite; else an existing file is moved to .old */
	const char *command;		/* what was recorded, for the head; may be NULL */
	uint32_t root_tgid;		/* 0 = whole machine */
	uint64_t root_start;		/* ns; 0 = unknown */
	const struct ktally_file *continues;	/* same session: descriptions and losses go on from there */
	bool flight;			/* of a session that keeps the newest: what is missing was overwritten */
	int level;			/* pack blocks by zstd of this level, 1 to 19; 0 = as they come */
	const char *boot_id, *host, *release, *machine;	/* NULL = this machine's */
	uint64_t boottime, realtime;	/* when it began, ns; 0 = now */
};

bool ktally_file_packs(void);		/* false: built without libzstd, `level` has no effect */
/* path "-" is standard output. -EBUSY: somebody else writes to it. */
int ktally_file_create(struct ktally_file **f, const char *path, const struct ktally_file_options *o);
/* Names the tree once its root is known; the last one said holds. */
int ktally_file_set_root(struct ktally_file *f, uint32_t tgid, uint64_t start);
/* -ENOSPC, -EROFS, ...: nothing of it is written, the file stays whole; it may be tried again, but for pipes. */
int ktally_file_add(struct ktally_file *f, const void *subbuf, size_t n);
/* After that error of ktally_file_add(): may it work later? A full or read-only disk may heal. */
bool ktally_file_may_retry(const struct ktally_file *f, int err);
/* One that will not be tried again: the file tells it. */
void ktally_file_dropped(struct ktally_file *f);
/* Does somebody write to the file of that name? */
bool ktally_file_in_use(const char *path);
/* Text of a name, up to a MiB, beside the records. */
int ktally_file_note(struct ktally_file *f, const char *name, const char *text, size_t n);
uint64_t ktally_file_bytes(const struct ktally_file *f);
uint64_t ktally_file_records(const struct ktally_file *f);
const char *ktally_file_error(const struct ktally_file *f);
/* Writes the summary. -ENODATA: there was nothing to record, no file is left and an .old one is back in place. */
int ktally_file_finish(struct ktally_file *f);
/* Not wanted after all: no file is left and an .old one is back in place. Close it then. */
void ktally_file_discard(struct ktally_file *f);
void ktally_file_close(struct ktally_file *f);	/* without finish: as after a crash */

/*
 * Redaction: overwrites secrets in arguments before they are kept. A pattern (of
 * fnmatch(3), without regard to case) is for names: what stands behind NAME= or NAME:, or
 * is the word after an option NAME, becomes as many asterisks.
 */
struct ktally_redact *ktally_redact_open(const char *const *patterns, size_t n);
/* Sub-buffers of one session as they come. -EBADMSG: it can't be read, so it may hold secrets still. */
int ktally_redact_subbuf(struct ktally_redact *r, void *subbuf, size_t n);
/* An argument list by itself: NUL-ended words. */
void ktally_redact_words(const struct ktally_redact *r, char *words, size_t n);
void ktally_redact_close(struct ktally_redact *r);

/*
 * Composer: a recording of what another tool has seen, record by record in order of
 * time, on one CPU, into a file. real: REALTIME - BOOTTIME, ns.
 */
struct ktally_composer;
struct ktally_composer *ktally_composer_open(struct ktally_file *f, uint64_t load_id, int64_t real); /* NULL: no memory */
/* A field that was not measured; before the kind's first record. -ENOENT: there is none of this name. */
int ktally_composer_leave_out(struct ktally_composer *c, uint32_t kind, const char *field);
/* fixed: struct ktally_<kind> but for its common part and its strings; strings: in list order. -E2BIG: too long. */
int ktally_composer_add(struct ktally_composer *c, uint32_t kind, uint64_t time, const void *fixed,
			const struct ktally_str *strings);
/* Hands the rest to the file, which is finished by itself. whole: with an `end` record, since the ends of all lives are known. */
int ktally_composer_finish(struct ktally_composer *c, uint64_t time, bool whole);
void ktally_composer_close(struct ktally_composer *c);

/* ----------------------------------------------------------------- model -- */

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
/* Takes any record; what it does not need is ignored. -ENOMEM is the only failure. */
int ktally_model_feed(struct ktally_model *m, const struct ktally_event *ev);
/* After the last record: links parents, decides ends, completes argv. Feeding may go on; call again. info may be NULL. */
int ktally_model_settle(struct ktally_model *m, const struct ktally_stream_info *info);
size_t ktally_model_lives(const struct ktally_model *m, struct ktally_life *const **lives);	/* in order of start, once settled */
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

/* ----------------------------------------------------------------- watch -- */

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

/* ----------------------------------------------------------------- steps -- */

/*
 * What a process did by starting others, in order. A child is a step; children
 * joined by pipes are one step, from the earliest start to the latest end, in
 * whichever order they end. The time in which no child of it ran is a step of its
 * own, its self. Children that it left behind when it ended, and those it went on
 * beside and that are still there at the end of the recording, count as not run by
 * it: they are steps, and take nothing from its self.
 */
enum ktally_step_kind {
	KTALLY_STEP_SELF,	/* nothing but itself */
	KTALLY_STEP_COMMAND,	/* one child, whether it executed something or not */
	KTALLY_STEP_PIPELINE,	/* two and more */
};

struct ktally_step {
	enum ktally_step_kind kind;
	bool background;	/* another step began before it ended: it was not waited for */
	bool left;		/* was there when the process had ended, or is still */
	bool guessed;		/* joined by times alone: the recording does not tell pipes */
	bool ended;		/* false: end is that of the recording */
	uint32_t image;		/* of the process, by place: in which the step began */
	uint64_t begin, end;	/* BOOTTIME ns */
	const struct ktally_life *const *parts;	/* in order of start; none for self */
	size_t n_parts;
};

struct ktally_steps;

/* info: bounds of the recording, for what is older or has not ended. NULL: no memory. */
struct ktally_steps *ktally_steps_make(const struct ktally_life *l,
				       const struct ktally_stream_info *info);
/* In order of begin. Self steps touch neither each other nor what ran; together they tile the life. */
size_t ktally_steps_at(const struct ktally_steps *s, const struct ktally_step **steps);
/* How long nothing but itself ran between two times; 0 and UINT64_MAX: in all. */
uint64_t ktally_steps_self(const struct ktally_steps *s, uint64_t from, uint64_t to);
void ktally_steps_free(struct ktally_steps *s);

/* ----------------------------------------------------------------- field -- */

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
	KTALLY_LAST, KTALLY_FIRST,	/* that of the life that started last, first */
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
size_t ktally_groups_count(const struct ktally_groups *g);
const struct ktally_group *ktally_groups_at(const struct ktally_groups *g, size_t i);
void ktally_groups_free(struct ktally_groups *g);
struct ktally_str ktally_group_name(const struct ktally_group *g);	/* p NULL: the key is unknown */
size_t ktally_group_lives(const struct ktally_group *g, const struct ktally_life *const **lives);
struct ktally_value ktally_group_value(const struct ktally_group *g, const struct ktally_field *f,
				       struct ktally_field_ctx *c);

/* ----------------------------------------------------------------- stats -- */

struct ktally_stats {
	size_t n;			/* 0: nothing else is set */
	double total, mean, min, p25, median, p75, max;
	double sd;			/* of the sample */
	bool has_sd;			/* n >= 2 */
};
void ktally_stats_of(const uint64_t *sorted, size_t n, struct ktally_stats *out);
double ktally_quantile(const uint64_t *sorted, size_t n, double q);	/* type 7, as R and NumPy; n >= 1, q within 0..1 */
void ktally_sort(uint64_t *values, size_t n);

/*
 * Do two samples, both sorted, differ in where they lie? The chance of such a difference
 * between samples of the same source, two-sided (Mann, Whitney); 1: no sign of one.
 */
double ktally_rank_test(const uint64_t *a, size_t n, const uint64_t *b, size_t m);
/* The least that samples of these sizes can reach: whether a test can tell anything. */
double ktally_rank_least(size_t n, size_t m);
/* Raises n chances to what each is worth when so many were looked at (Holm). 0 or -ENOMEM. */
int ktally_rank_adjust(double *const *p, size_t n);

/* Two samples, both sorted, side by side. */
struct ktally_ratio {
	bool known;			/* two values each at least, and not of 0 */
	double value;			/* median of b / median of a */
	double low, high;		/* holds it with 95 % confidence (bootstrap of 2,000) */
	double chance;			/* ktally_rank_test() */
	bool differs;			/* the interval leaves out 1, and chance < 0.01 */
};
/* The same seed gives the same interval. 0 or -ENOMEM. */
int ktally_ratio_of(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t seed,
		    struct ktally_ratio *out);
/* Between which bounds a median lies with 95 % confidence, by order statistics. False: too few values. */
bool ktally_median_bounds(const uint64_t *sorted, size_t n, double *low, double *high);
/* The same of a mean, by Student's t: for few values of means, as repeats give them. */
bool ktally_mean_bounds(const double *values, size_t n, double *low, double *high);

/* ------------------------------------------------------------------ runs -- */

/*
 * How often and how long commands ran. A run is one executed image, from its exec to
 * the next exec of the same process or to its end; runs of one name are a command.
 */
enum ktally_run_key {
	KTALLY_RUN_SCRIPT,	/* ktally_image_script() */
	KTALLY_RUN_PROGRAM,	/* ktally_image_program() */
	KTALLY_RUN_CALLED,	/* ktally_image_called() */
	KTALLY_RUN_PATH,	/* the file as it was called */
	KTALLY_RUN_COMMAND,	/* all arguments, NUL-separated */
	KTALLY_RUN_COMM,	/* the kernel's name */
	KTALLY_RUN_USER,
};

struct ktally_runs_options {
	enum ktally_run_key key;
	bool fold;		/* ktally_fold() */
	bool forks;		/* also processes that executed nothing, as their parent's program */
	bool (*want)(const struct ktally_life *l, void *arg);	/* NULL = all */
	void *arg;
	struct ktally_field_ctx *ctx;	/* must outlive the runs */
};

struct ktally_run {
	const struct ktally_life *life;
	uint32_t image;			/* of it, by place */
	bool whole;			/* seen from its beginning to its end */
	bool last;			/* no other exec came after it */
	bool failed;			/* it ended the process with a status other than 0 */
	uint64_t duration, self;	/* whole: ns; of it, with none of its children running */
	struct ktally_str name;
};

/* A command's figures are of its whole runs. */
struct ktally_command {
	struct ktally_str name;		/* p NULL = unknown */
	const struct ktally_run *runs;	/* whole ones first, by duration */
	size_t n;
	struct ktally_stats stats;	/* of the durations; stats.n = whole runs */
	uint64_t self, failed;
	struct ktally_use use;		/* added up; peaks: the highest. known: of one run at least */
	uint64_t partly;		/* bits of what is not known of every run */
	struct ktally_value network[2];	/* wire bytes received, sent, as ktally_run_network() */
};

struct ktally_runs;

struct ktally_runs *ktally_runs_make(const struct ktally_runs_options *options);	/* NULL: no memory */
/* Command by command, in order of their names. */
size_t ktally_runs_at(const struct ktally_runs *r, const struct ktally_run **runs);
size_t ktally_runs_commands(const struct ktally_runs *r, const struct ktally_command **commands);
/* Runs that are in no figures: begun before the recording, or not ended in it. */
void ktally_runs_partial(const struct ktally_runs *r, size_t *older, size_t *open);
void ktally_runs_free(struct ktally_runs *r);
const struct ktally_image *ktally_run_image(const struct ktally_run *run);
/* Wire bytes; unknown if the process executed something else too, for packets are counted per process. */
struct ktally_value ktally_run_network(const struct ktally_run *run, bool tx, struct ktally_field_ctx *ctx);

/*
 * Copies n bytes to dst with numbers as N and names of temporary files as *, so that
 * texts that differ in them alone become equal. Returns the length, n at most.
 */
size_t ktally_fold(char *dst, const char *src, size_t n);

#endif
