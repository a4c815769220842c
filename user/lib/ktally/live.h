/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* live.h - a session of the module: opened, read, walked over, ended. Part of <ktally.h>. */
#ifndef KTALLY_LIB_LIVE_H
#define KTALLY_LIB_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/ktally.h>

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

#endif
