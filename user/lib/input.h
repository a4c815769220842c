/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * input.h - bytes of one recording at any offset, wherever they lie: a file, a pipe, whose
 * bytes are there until they are passed, or the caller's memory. Files are read, never
 * mapped, so that one that shrinks meanwhile is a short read and not a SIGBUS.
 */
#ifndef KTALLY_INPUT_H
#define KTALLY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
	char *path;			/* for messages too; NULL = the caller's memory */
	const unsigned char *mem;	/* the caller's; NULL = a file or a pipe */
	int fd;				/* -1 = opened for each read */
	uint64_t size;			/* of a pipe: so far */
	bool piped, ended;
	int error;			/* why it ended, if it was not at its end; -errno */
	unsigned char *window;		/* of a pipe: its bytes from `begin` to `size` */
	size_t room;
	uint64_t begin, passed;
};

/* path "-" = standard input. keep: hold the descriptor. 0 or -errno. */
int input_open(struct input *in, const char *path, bool keep);
void input_memory(struct input *in, const void *mem, size_t n);
/* Bytes read, fewer than n only at the end, -errno. */
long input_read(struct input *in, uint64_t offset, void *buf, size_t n);
/* Are there so many bytes? Waits for them to come through a pipe; if not, size is final. */
bool input_reaches(struct input *in, uint64_t size);
/* Nothing before offset is asked for again. */
void input_pass(struct input *in, uint64_t offset);
void input_close(struct input *in);

#endif
