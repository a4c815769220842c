/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file.h - the state of a recording that is being written, for file_open.c that makes
 * the file, file_head.c that tells of the machine, and file.c that puts blocks.
 */
#ifndef KTALLY_FILE_H
#define KTALLY_FILE_H

#include "codec.h"
#include "container.h"
#include "error.h"
#include "index.h"
#include "loss.h"
#include "wire.h"

struct ktally_file {
	struct error error;
	struct crc32c crc;
	char *path, *old;		/* old: where an existing file went */
	int fd;
	bool seekable, made, described, finished;
	bool old_goes;			/* it was to be overwritten */
	bool torn;			/* what a refused write left behind is still there */
	int stuck;			/* error of a pipe: what went out can't be taken back */
	uint64_t file_id, bytes, worth;	/* worth: records that make the file worth keeping */
	struct block_summary sum;
	struct packer *packer;		/* NULL: blocks are written as they came */
	struct index index;
	bool unindexed;			/* for want of memory: the file gets none */
	uint32_t unmarked;		/* blocks of records since the last mark */
	struct ktally_wire *wire;
	struct loss *cpus;
	size_t n_cpus;
	uint64_t base[KTALLY_KINDS];	/* attempts of the session that earlier files hold */
};

/* file.c: all or nothing of it is written. */
int file_put(struct ktally_file *f, const void *bytes, size_t n);
/* Fills in what a block's head says of its payload; packed if that makes it smaller. */
int file_put_block(struct ktally_file *f, struct block_head *h, const void *payload, uint32_t n);
int file_no_memory(struct ktally_file *f);	/* -ENOMEM, and the line that says so */

/* file_head.c */
int file_put_head(struct ktally_file *f, const struct ktally_file_options *o);
int file_put_descriptions(struct ktally_file *f);

/* file_open.c: the descriptor of a new file, which nobody else writes to; 0 or -errno. */
int file_open(struct ktally_file *f, bool force);

#endif
