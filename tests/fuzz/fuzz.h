/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - what the targets share: bytes as a file that has a name, blocks whose sums
 * are right, and quiet. A target is one function of any bytes that must neither crash
 * nor leak nor go on for ever; an engine calls it, or replay.c with the corpus.
 */
#ifndef KTALLY_FUZZ_H
#define KTALLY_FUZZ_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A program's own words are of no interest, and would be most of the time. */
static inline void fuzz_quiet(void)
{
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION	/* engines do it, but for their own words */
	static bool done;
	int null = done ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);

	done = true;
	if (null >= 0 && !getenv("FUZZ_LOUD")) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	if (null >= 0)
		close(null);
#endif
}

/* Bytes as a file; path has room for 32. Close what it returns. */
static inline int fuzz_file(const void *p, size_t n, char *path)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* Up to `most` parts of the input, divided by the four bytes "\n--\n"; how many there are. */
static inline size_t fuzz_parts(const uint8_t *data, size_t n, const uint8_t **part, size_t *len,
				size_t most)
{
	size_t parts = 0;

	for (;;) {
		const uint8_t *cut = parts + 1 < most ? memmem(data, n, "\n--\n", 4) : NULL;

		part[parts] = data;
		len[parts++] = cut ? (size_t)(cut - data) : n;
		if (!cut)
			return parts;
		n -= (size_t)(cut + 4 - data);
		data = cut + 4;
	}
}

/* A head says what it said, with the right sum; what is none becomes one. */
static inline void fuzz_head(struct container_head *head, const struct crc32c *crc)
{
	struct container_head good;

	container_head_make(&good, crc, 1);
	if (memcmp(head->magic, good.magic, sizeof(good.magic)))
		*head = good;
	head->crc = crc32c(crc, head, offsetof(struct container_head, crc));
	if (head->order == __builtin_bswap32(CONTAINER_ORDER))
		head->crc = __builtin_bswap32(head->crc);
}

/* Gives every block that looks like one the sums and the number that it should have. */
static inline void fuzz_make_sums_right(unsigned char *p, size_t n)
{
	struct container_head *head = (void *)p;
	struct crc32c crc;
	size_t at = sizeof(*head);

	crc32c_init(&crc);
	if (n < sizeof(*head))
		return;
	fuzz_head(head, &crc);
	while (n - at >= sizeof(struct block_head)) {
		struct block_head h;
		size_t left = n - at - sizeof(h);

		memcpy(&h, p + at, sizeof(h));
		h.file_id = head->file_id;
		if (h.length > left)
			h.length = left;
		(h.codec == CODEC_NONE ? block_seal : block_seal_packed)(&h, &crc, p + at + sizeof(h), h.length);
		memcpy(p + at, &h, sizeof(h));
		at += block_span(&h) < n - at ? block_span(&h) : n - at;
	}
}

#endif
