/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * input.h - bytes of one recording at any offset, wherever they lie: a file, a pipe
 * (taken into memory) or the caller's memory. Files are read, never mapped, so that
 * one that shrinks meanwhile is a short read and not a SIGBUS.
 */
#ifndef KTALLY_INPUT_H
#define KTALLY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
	char *path;			/* for messages too; NULL = the caller's memory */
	const unsigned char *mem;	/* NULL = a file */
	unsigned char *own;		/* mem, if it must be freed */
	int fd;				/* -1 = opened for each read */
	uint64_t size;
};

/* path "-" = standard input. keep: hold the descriptor. 0 or -errno. */
int input_open(struct input *in, const char *path, bool keep);
void input_memory(struct input *in, const void *mem, size_t n);
/* Bytes read, fewer than n only at the end, -errno. */
long input_read(const struct input *in, uint64_t offset, void *buf, size_t n);
void input_close(struct input *in);

#endif
