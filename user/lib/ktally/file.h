/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file.h - a recording while it is written. docs/format.md has its bytes. Part of <ktally.h>. */
#ifndef KTALLY_LIB_FILE_H
#define KTALLY_LIB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/*
 * Everything older than `before` has been added, and what the head says is complete: a
 * reader of a pipe need not wait for more of it. Written where it is worth its bytes. As
 * ktally_file_add().
 */
int ktally_file_mark(struct ktally_file *f, uint64_t before);
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
/* Writes the summary. -ENODATA: there was nothing to record, no file is left and the one that was there is back in place. */
int ktally_file_finish(struct ktally_file *f);
/* Not wanted after all: no file is left, and the one that was there is back in place. Close it then. */
void ktally_file_discard(struct ktally_file *f);
/* Wanted in any case: what it overwrites is gone from now on, or else once it is closed. */
void ktally_file_keep(struct ktally_file *f);
void ktally_file_close(struct ktally_file *f);	/* without finish: as after a crash */

#endif
