/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkrec_maker.h - a recording while it is made, for mkrec.c (lines and settings),
 * mkrec_record.c (a line's fields to a record) and mkrec_stream.c (records to a file).
 *
 * Functions return 0, or -1 with a line in the maker's error.
 */
#ifndef MKREC_MAKER_H
#define MKREC_MAKER_H

#include "../../kmod/pack.h"
#include "ktally.h"

#define CPUS		256
#define INFO_CPUS	64	/* what info says */
#define TGIDS		65536U

/* What is remembered of a process so that lines can be short. */
struct memory {
	uint64_t start;
	uint32_t image;
	struct kt_owner owner;
	int seen;
};

struct cpu {
	unsigned char *buf;
	size_t n;
	uint64_t seq, threads;
	uint64_t attempts[KTALLY_KINDS], filtered[KTALLY_KINDS];
};

struct maker {
	char *error;
	size_t error_room;
	const char *path;
	int line;
	struct ktally_file *file;
	struct ktally_file_options options;
	char *texts[8];			/* what options point to */
	int n_texts;
	uint64_t load, time, missed, disarmed, ends, ends_runtime, ends_rx;
	uint32_t session, cpu_now, undescribed;
	size_t subbuf;
	int begun, no_end, crash;
	const char *note_name;
	char *note;
	struct cpu cpus[CPUS];
	struct memory *memory;
};

int maker_fail(struct maker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- mkrec.c ---- */

/* The next word of a line, quotes taken off; NULL: none. */
char *maker_word(char **at);

/* ---- mkrec_record.c ---- */

/* A line behind its time: KIND [FIELD=VALUE]... */
int maker_record(struct maker *m, char *kind, char *rest);
int maker_number(struct maker *m, const char *s, uint64_t unitless, uint64_t *out);
int maker_kind(struct maker *m, const char *name, uint32_t *kind);

/* ---- mkrec_stream.c ---- */

/* Descriptions and info, before the first record. */
int maker_begin(struct maker *m, uint64_t time);
int maker_put(struct maker *m, const struct kt_record *r, uint64_t time, int32_t pid);
int maker_flush(struct maker *m, struct cpu *c);
int maker_mark(struct maker *m);
int maker_finish(struct maker *m);

#endif
