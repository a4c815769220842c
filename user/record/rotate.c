// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record/rotate.c - names of finished recordings, and how many of them are kept.
 *
 * Nothing is remembered: what is there is looked up by name each time, so that a
 * restarted recorder keeps the same bound.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rotate.h"
#include "say.h"

static int parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	char digits[24];
	size_t len = strspn(text, "0123456789");
	int shift = 0;

	if (!len || len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (text[len]) {
		unit = strchr(units, text[len]);
		if (!unit || text[len + 1])
			return -EINVAL;
		shift = 10 * (int)(unit - units + 1);
	}
	if (opt_parse_u64(digits, bytes) || *bytes > UINT64_MAX >> shift)
		return -EINVAL;
	*bytes <<= shift;
	return 0;
}

int rotate_opt(const struct opt *o, void *to, const char *value, char *why, size_t n)
{
	struct rotate *r = to;
	char *end;

	(void)o;
	errno = 0;
	r->files = strtoull(value, &end, 10);
	if (errno || end == value || *value == '-' || !r->files || *end != 'x' ||
	    parse_size(end + 1, &r->bytes) || !r->bytes) {
		snprintf(why, n, "FILESxSIZE is wanted: 24x64M keeps 24 finished files of about 64 MiB");
		return -EINVAL;
	}
	return 0;
}

/* Length of path without the ending that it shares with all recordings. */
static size_t stem(const char *path, const char **ending)
{
	const char *dot = strrchr(path, '.');

	if (!dot || strchr(dot, '/'))
		dot = path + strlen(path);
	*ending = dot;
	return (size_t)(dot - path);
}

int rotate_move(const char *path, char *to, size_t n)
{
	const char *ending;
	size_t len = stem(path, &ending);
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	for (int i = 0; i < 100; i++) {
		char more[16] = "";

		if (i)
			snprintf(more, sizeof(more), ".%02d", i);
		if ((size_t)snprintf(to, n, "%.*s-%s%s%s", (int)len, path, stamp, more, ending) >= n)
			return -ENAMETOOLONG;
		if (access(to, F_OK))
			return rename(path, to) ? -errno : 0;
	}
	return -EEXIST;
}

#define D "[0-9]"
#define DATED "-" D D D D D D D D "-" D D D D D D "*"

/* The path with everything that glob() would read as a pattern escaped, and the date's pattern. */
static bool make_pattern(const char *path, char *pattern, size_t n)
{
	const char *ending;
	size_t len = stem(path, &ending), at = 0;
	int more;

	for (size_t i = 0; i < len && at + 2 < n; i++) {
		if (strchr("*?[\\", path[i]))
			pattern[at++] = '\\';
		pattern[at++] = path[i];
	}
	more = snprintf(pattern + at, n - at, DATED "%s", ending);
	return more > 0 && at + (size_t)more < n;
}

static bool too_old(const struct rotate *r, const char *path)
{
	struct stat st;

	return r->keep.set && !stat(path, &st) && (uint64_t)(time(NULL) - st.st_mtime) > r->keep.ns / 1000000000;
}

void rotate_prune(const struct rotate *r, const char *path)
{
	char pattern[8192];
	glob_t found;

	if (!rotate_asked(r) || !make_pattern(path, pattern, sizeof(pattern)))
		return;
	if (!glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			bool beyond = r->files && i + r->files < found.gl_pathc;

			if ((beyond || too_old(r, found.gl_pathv[i])) && unlink(found.gl_pathv[i]))
				say_warning("%s: cannot remove it: %s", found.gl_pathv[i], strerror(errno));
		}
		globfree(&found);
	}
}
