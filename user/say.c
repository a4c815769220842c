// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * say.c - words for people, on standard error.
 *
 * A message is put together first and written by one write(2), so that lines of
 * several programs do not mix. Failing to write a message is not reported: there
 * is nowhere left to report it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "say.h"
#include "out/text.h"

enum { LINE_MAX_BYTES = 4096 };

/* Set once by the option parser, read by say() and say_progress(). */
static bool quiet_on;
/* A progress line stands on the terminal and must be wiped first. */
static bool progress_shown;

void say_quiet(bool quiet)
{
	quiet_on = quiet;
}

static void write_all(const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(STDERR_FILENO, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return;
		p += w;
		n -= w;
	}
}

static void put_line(const char *lead, const char *fmt, va_list ap)
{
	char raw[LINE_MAX_BYTES], line[LINE_MAX_BYTES * 4 + 64];
	size_t n = 0;
	int len;

	if (progress_shown)
		n = (size_t)snprintf(line, sizeof(line), "\r\033[K");
	progress_shown = false;
	n += (size_t)snprintf(line + n, sizeof(line) - n, "ktally: %s", lead);
	len = vsnprintf(raw, sizeof(raw), fmt, ap);
	if (len < 0)
		len = 0;
	if ((size_t)len >= sizeof(raw))
		len = sizeof(raw) - 1;
	n += text_escape(line + n, sizeof(line) - n - 1, raw, (size_t)len);
	line[n++] = '\n';
	write_all(line, n);
}

int say_error(enum status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("", fmt, ap);
	va_end(ap);
	return status;
}

void say_warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("warning: ", fmt, ap);
	va_end(ap);
}

void say(const char *fmt, ...)
{
	va_list ap;

	if (quiet_on)
		return;
	va_start(ap, fmt);
	put_line("", fmt, ap);
	va_end(ap);
}

void say_progress(const char *fmt, ...)
{
	static struct timespec last;	/* when the line was last drawn */
	struct timespec now;
	char text[512], line[576];
	va_list ap;
	int n;

	if (quiet_on || !isatty(STDERR_FILENO))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000 < 200)
		return;
	last = now;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = snprintf(line, sizeof(line), "\r%s\033[K", text);
	write_all(line, (size_t)n);
	progress_shown = true;
}

void say_progress_end(void)
{
	if (progress_shown)
		write_all("\r\033[K", 4);
	progress_shown = false;
}

enum status status_of(int err)
{
	switch (-err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EPROTO:
	case ENOTTY:
	case EOPNOTSUPP:
		return NO_MODULE;
	case EACCES:
	case EPERM:
		return NO_PERMISSION;
	default:
		return FAILED;
	}
}

const char *say_count(char *buf, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	int out = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[out++] = ',';
		buf[out++] = digits[i];
	}
	buf[out] = '\0';
	return buf;
}

const char *say_size(char *buf, uint64_t bytes)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB" };
	double v = (double)bytes;
	size_t u = 0;

	while (v >= 999.95 && u < 4) {
		v /= 1000;
		u++;
	}
	snprintf(buf, 32, u ? "%.1f %s" : "%.0f %s", v, unit[u]);
	return buf;
}
