// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * input.c - bytes of one recording at any offset. Knows files, pipes and memory;
 * knows nothing of what the bytes mean.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"

#define WINDOW		((size_t)256 << 10)	/* of a pipe, to begin with */

/* ---- a pipe ---- */

/* Room behind what is there, where something may have been passed. */
static bool make_room(struct input *in)
{
	uint64_t gone = in->passed - in->begin;
	size_t held = in->size - in->begin, more = in->room ? 2 * in->room : WINDOW;
	unsigned char *p;

	if (held < in->room)
		return true;
	if (2 * gone > in->room) {
		memmove(in->window, in->window + gone, held - gone);
		in->begin = in->passed;
		return true;
	}
	p = realloc(in->window, more);
	if (!p)
		return false;
	in->window = p;
	in->room = more;
	return true;
}

static int pull(struct input *in)
{
	size_t held;
	long got;

	if (!make_room(in))
		return -ENOMEM;
	held = in->size - in->begin;
	/* Whoever shares the pipe may have made it one that does not wait. */
	while ((got = read(in->fd, in->window + held, in->room - held)) < 0 &&
	       (errno == EINTR || errno == EAGAIN))
		poll(&(struct pollfd){ .fd = in->fd, .events = POLLIN }, 1, -1);
	if (got < 0)
		return -errno;
	in->ended = !got;
	in->size += got;
	return 0;
}

bool input_reaches(struct input *in, uint64_t size)
{
	while (in->piped && !in->ended && in->size < size) {
		in->error = pull(in);
		in->ended |= in->error;
	}
	return in->size >= size;
}

void input_pass(struct input *in, uint64_t offset)
{
	if (in->piped && offset > in->passed)
		in->passed = offset < in->size ? offset : in->size;
}

/* ---- all of them ---- */

/* Takes fd over. What it read of a file before, that is at standard input, is not given. */
static int open_fd(struct input *in, int fd, bool keep)
{
	struct stat st;
	int ret = 0;

	if (fstat(fd, &st))
		ret = -errno;
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	in->piped = !ret && (!S_ISREG(st.st_mode) || lseek(fd, 0, SEEK_CUR) > 0);
	in->size = !ret && !in->piped ? st.st_size : 0;
	if (ret || (!in->piped && !keep))
		close(fd);
	else
		in->fd = fd;
	return ret ? ret : in->piped ? pull(in) : 0;
}

int input_open(struct input *in, const char *path, bool keep)
{
	bool standard = !strcmp(path, "-");
	int fd;

	memset(in, 0, sizeof(*in));
	in->fd = -1;
	in->path = strdup(path);
	if (!in->path)
		return -ENOMEM;
	fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : open_fd(in, fd, keep || standard);
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

long input_read(struct input *in, uint64_t offset, void *buf, size_t n)
{
	long ret;
	int fd;

	input_reaches(in, offset + n);
	if (offset >= in->size || offset < in->begin)
		return 0;
	if (n > in->size - offset)
		n = in->size - offset;
	if (in->mem || in->piped) {
		memcpy(buf, in->mem ? in->mem + offset : in->window + (offset - in->begin), n);
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
	free(in->window);
	free(in->path);
	memset(in, 0, sizeof(*in));
	in->fd = -1;
}
