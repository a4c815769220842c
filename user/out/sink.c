// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sink.c - gathers output and writes it to standard output, a pager or a file.
 *
 * It must not print anything of its own. close() is checked as well as write():
 * some file systems report a full disk only there.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sink.h"

enum { SINK_BYTES = 64 * 1024 };

struct sink {
	int fd;
	int err;		/* first error, negative; nothing is written after it */
	bool terminal;		/* a person watches, through a pager or not */
	bool opened;		/* fd is ours to close */
	int standard;		/* 1 or 2: where it goes when it has no path */
	pid_t pager;		/* 0 = none */
	const char *path;	/* NULL = standard output */
	size_t n;
	char buf[SINK_BYTES];
};

struct sink *sink_open(const char *path, int fd, int *err)
{
	struct sink *s = malloc(sizeof(*s));

	if (!s) {
		*err = -ENOMEM;
		return NULL;
	}
	memset(s, 0, offsetof(struct sink, buf));
	s->fd = fd;
	s->standard = fd;
	if (path && strcmp(path, "-")) {
		s->path = path;
		s->opened = true;
		s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (s->fd < 0) {
			*err = -errno;
			free(s);
			return NULL;
		}
	}
	s->terminal = isatty(s->fd);
	return s;
}

static const char *pager_command(void)
{
	const char *name = getenv("KTALLY_PAGER");

	if (!name)
		name = getenv("PAGER");
	return name ? name : "less -FRSX";
}

static void become_pager(const char *command, int from)
{
	if (dup2(from, STDIN_FILENO) < 0)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	setenv("LESS", "FRSX", 0);
	setenv("LESSCHARSET", "utf-8", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* True if the command's first word can be run; the shell would only complain on the terminal. */
static bool pager_exists(const char *command)
{
	size_t len = strcspn(command, " \t");
	const char *path = getenv("PATH");
	char file[4096];

	if (memchr(command, '/', len) || !path)
		return true;
	while (*path) {
		size_t dir = strcspn(path, ":");

		if (dir + len + 2 < sizeof(file)) {
			memcpy(file, path, dir);
			file[dir] = '/';
			memcpy(file + dir + 1, command, len);
			file[dir + 1 + len] = '\0';
			if (!access(file, X_OK))
				return true;
		}
		path += dir + (path[dir] == ':');
	}
	return false;
}

void sink_page(struct sink *s)
{
	const char *command = pager_command();
	int pipe_fd[2];
	pid_t pid;

	if (!s->terminal || s->opened || !*command || !strcmp(command, "cat") ||
	    !pager_exists(command) || pipe2(pipe_fd, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid)
		become_pager(command, pipe_fd[0]);
	close(pipe_fd[0]);
	if (pid < 0) {
		close(pipe_fd[1]);
		return;
	}
	/* The pager may be left before the end; then write() says EPIPE. */
	signal(SIGPIPE, SIG_IGN);
	s->pager = pid;
	s->fd = pipe_fd[1];
}

bool sink_terminal(const struct sink *s)
{
	return s->terminal;
}

const char *sink_name(const struct sink *s)
{
	if (s->path)
		return s->path;
	return s->standard == STDERR_FILENO ? "standard error" : "standard output";
}

static size_t width_of(int fd)
{
	const char *env = getenv("COLUMNS");
	unsigned long n = env ? strtoul(env, NULL, 10) : 0;
	struct winsize size;

	if (n > 0 && n < 100000)
		return n;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}

size_t sink_columns(const struct sink *s)
{
	return width_of(s->pager ? s->standard : s->fd);
}

size_t sink_width(int fd)
{
	return isatty(fd) ? width_of(fd) : SIZE_MAX;
}

static void write_out(struct sink *s, const char *p, size_t n)
{
	while (n && !s->err) {
		ssize_t w = write(s->fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0) {
			s->err = -errno;
			return;
		}
		p += w;
		n -= (size_t)w;
	}
}

void sink_flush(struct sink *s)
{
	write_out(s, s->buf, s->n);
	s->n = 0;
}

int sink_error(const struct sink *s)
{
	return s->err;
}

void sink_put(struct sink *s, const char *p, size_t n)
{
	if (n > sizeof(s->buf) - s->n) {
		sink_flush(s);
		if (n >= sizeof(s->buf)) {
			write_out(s, p, n);
			return;
		}
	}
	memcpy(s->buf + s->n, p, n);
	s->n += n;
}

void sink_puts(struct sink *s, const char *text)
{
	sink_put(s, text, strlen(text));
}

void sink_char(struct sink *s, char c)
{
	if (s->n == sizeof(s->buf))
		sink_flush(s);
	s->buf[s->n++] = c;
}

char *sink_room(struct sink *s, char **end)
{
	if (sizeof(s->buf) - s->n < SINK_ROOM)
		sink_flush(s);
	*end = s->buf + sizeof(s->buf);
	return s->buf + s->n;
}

void sink_filled(struct sink *s, const char *to)
{
	s->n = (size_t)(to - s->buf);
}

static size_t count_digits(uint64_t v)
{
	size_t n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* Two at a time: a division costs more than all else here. */
char *sink_digits(char *p, uint64_t v)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char *end = p + count_digits(v), *at = end;

	for (; v >= 100; v /= 100)
		memcpy(at -= 2, pairs + 2 * (v % 100), 2);
	if (v >= 10)
		memcpy(at - 2, pairs + 2 * v, 2);
	else
		at[-1] = (char)('0' + v);
	return end;
}

void sink_u64(struct sink *s, uint64_t v)
{
	char *end;

	sink_filled(s, sink_digits(sink_room(s, &end), v));
}

void sink_s64(struct sink *s, int64_t v)
{
	if (v < 0)
		sink_char(s, '-');
	sink_u64(s, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void sink_spaces(struct sink *s, size_t n)
{
	while (n--)
		sink_char(s, ' ');
}

static void close_pager(struct sink *s)
{
	int status;

	close(s->fd);
	while (waitpid(s->pager, &status, 0) < 0 && errno == EINTR)
		;
	if (s->err == -EPIPE)
		s->err = 0;	/* left with q: everything wanted was seen */
}

int sink_close(struct sink *s)
{
	int err;

	sink_flush(s);
	if (s->pager)
		close_pager(s);
	else if (s->fd != STDERR_FILENO && close(s->fd) && !s->err && errno != EINTR)
		s->err = -errno;
	/* Keep number 1 taken: a file opened later must not become standard output. */
	if (s->fd == STDOUT_FILENO)
		(void)!open("/dev/null", O_WRONLY);
	err = s->err;
	free(s);
	return err;
}
