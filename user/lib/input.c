// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * input.c - bytes of one recording at any offset. Knows files, pipes and memory;
 * knows nothing of what the bytes mean.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"

static int grow(struct input *in, size_t *room)
{
	size_t more = *room ? *room * 2 : 256 << 10;
	unsigned char *p = realloc(in->own, more);

	if (!p)
		return -ENOMEM;
	in->own = p;
	*room = more;
	return 0;
}

static int take_pipe(struct input *in, int fd)
{
	size_t room = 0;
	long got;

	for (;;) {
		if (in->size == room && grow(in, &room))
			return -ENOMEM;
		got = read(fd, in->own + in->size, room - in->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		in->size += got;
	}
	in->mem = in->own;
	return 0;
}

static int open_path(struct input *in, const char *path, bool keep)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (S_ISREG(st.st_mode))
		in->size = st.st_size;
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	else
		ret = take_pipe(in, fd);
	if (ret || in->mem || !keep)
		close(fd);
	else
		in->fd = fd;
	return ret;
}

int input_open(struct input *in, const char *path, bool keep)
{
	memset(in, 0, sizeof(*in));
	in->fd = -1;
	in->path = strdup(path);
	if (!in->path)
		return -ENOMEM;
	if (!strcmp(path, "-"))
		return take_pipe(in, STDIN_FILENO);
	return open_path(in, path, keep);
}

void input_memory(struct input *in, const void *mem, size_t n)
{
	memset(in, 0, sizeof(*in));
	in->fd = -1;
	in->mem = mem;
	in->size = n;
}

static long read_file(int fd, uint64_t offset, unsigned char *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		long got = pread(fd, buf + done, n - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += got;
	}
	return done;
}

long input_read(const struct input *in, uint64_t offset, void *buf, size_t n)
{
	long ret;
	int fd;

	if (offset >= in->size)
		return 0;
	if (n > in->size - offset)
		n = in->size - offset;
	if (in->mem) {
		memcpy(buf, in->mem + offset, n);
		return n;
	}
	if (in->fd >= 0)
		return read_file(in->fd, offset, buf, n);
	fd = open(in->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = read_file(fd, offset, buf, n);
	close(fd);
	return ret;
}

void input_close(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	free(in->own);
	free(in->path);
	memset(in, 0, sizeof(*in));
	in->fd = -1;
}
