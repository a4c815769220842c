/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stream.h - records of live sessions, files and memory in one order of time. Part of <ktally.h>. */
#ifndef KTALLY_LIB_STREAM_H
#define KTALLY_LIB_STREAM_H

#include "wire.h"

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

/*
 * paths: files, or folders whose *.ktl are taken in order; "-" is standard input. A pipe that
 * is the only one is read while records are given, and held only from one mark to the next.
 */
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
/* Of a pipe: the next record has to be waited for, so what was made of others may be shown. */
bool ktally_stream_waits(const struct ktally_stream *s);
/* Of a pipe: waits for its end, so that all of it is known, as it is of files. 0 or -ENOMEM. */
int ktally_stream_wait(struct ktally_stream *s);
/* A note that was put beside the records, the newest of that name; NULL: none. NUL-terminated as well. */
const char *ktally_stream_note(const struct ktally_stream *s, const char *name, size_t *len);
/* One boot of a stream's files, known once it is open; of a pipe as far as it was read. */
struct ktally_extent {
	uint64_t first, last;			/* CLOCK_BOOTTIME of its records */
	int64_t real;				/* REALTIME - BOOTTIME */
};
bool ktally_stream_extent(const struct ktally_stream *s, uint32_t boot, struct ktally_extent *e); /* false: no such boot */
/* Descriptions of the record that was given last, for ktally_wire_print(). */
struct ktally_wire *ktally_stream_wire(struct ktally_stream *s);
const char *ktally_stream_error(const struct ktally_stream *s);
void ktally_stream_close(struct ktally_stream *s);

#endif
