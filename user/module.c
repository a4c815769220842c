// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module.c - what can be read about ktally.ko without loading it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "module.h"

bool module_read_line(const char *path, char *buf, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, buf, n - 1);
	close(fd);
	if (got < 0)
		return false;
	buf[got] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

bool module_read(const char *name, char *buf, size_t n)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/module/" MODULE_NAME "/%s", name);
	return module_read_line(path, buf, n);
}

bool module_loaded(void)
{
	return !access("/sys/module/" MODULE_NAME, F_OK);
}

/* "updates/dkms/ktally.ko.xz: other.ko": the path before the colon, and its base name. */
static bool names_module(const char *line, size_t *len)
{
	const char *base = line;

	*len = strcspn(line, ":");
	if (!line[*len])
		return false;
	for (size_t i = 0; i < *len; i++)
		if (line[i] == '/')
			base = line + i + 1;
	return !strncmp(base, MODULE_NAME ".ko", strlen(MODULE_NAME ".ko"));
}

bool module_file(const char *release, char *path, size_t n)
{
	char line[4096], dep[512];
	bool found = false;
	size_t len;
	FILE *f;

	snprintf(dep, sizeof(dep), "/lib/modules/%s/modules.dep", release);
	f = fopen(dep, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		found = names_module(line, &len);
		if (found && *line == '/')
			snprintf(path, n, "%.*s", (int)len, line);
		else if (found)
			snprintf(path, n, "/lib/modules/%s/%.*s", release, (int)len, line);
	}
	fclose(f);
	return found && !access(path, R_OK);
}

/* The kernel's MODULE_SIG_STRING, what sign-file puts last. */
#define SIGNATURE_MARK "~Module signature appended~\n"

enum module_signature module_signature(const char *path)
{
	enum { N = sizeof(SIGNATURE_MARK) - 1 };
	size_t len = strlen(path);
	bool marked;
	char end[N];
	int fd;

	if (len < 3 || strcmp(path + len - 3, ".ko"))
		return MODULE_PACKED;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return MODULE_PACKED;
	marked = lseek(fd, -N, SEEK_END) >= 0 && read(fd, end, N) == N && !memcmp(end, SIGNATURE_MARK, N);
	close(fd);
	return marked ? MODULE_SIGNED : MODULE_UNSIGNED;
}
