/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.h - load and unload ktally.ko from inside a test, and see whether it is
 * there wholly or not at all. Every function returns 0 or -errno.
 */
#ifndef KTALLY_TEST_MODULE_H
#define KTALLY_TEST_MODULE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct module_image {
	void *bytes;
	size_t size;
};

static inline struct module_image module_read(const char *path)
{
	struct module_image m = { 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(path);
		exit(1);
	}
	m.size = st.st_size;
	m.bytes = malloc(m.size);
	if (!m.bytes || read(fd, m.bytes, m.size) != (ssize_t)m.size) {
		perror(path);
		exit(1);
	}
	close(fd);
	return m;
}

static inline int module_load(const struct module_image *m, const char *parameters)
{
	return syscall(SYS_init_module, m->bytes, m->size, parameters) ? -errno : 0;
}

static inline int module_unload(void)
{
	return syscall(SYS_delete_module, "ktally", O_NONBLOCK) ? -errno : 0;
}

/* Is there a line with WORD in FILE? */
static inline bool module_listed(const char *file, const char *word)
{
	char line[512];
	bool found = false;
	FILE *f = fopen(file, "re");

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, word);
	fclose(f);
	return found;
}

/* What of it is there: NULL is nothing. */
static inline const char *module_trace(void)
{
	if (module_listed("/proc/modules", "ktally "))
		return "a line in /proc/modules";
	if (!access("/sys/module/ktally", F_OK))
		return "/sys/module/ktally";
	if (!access("/dev/ktally", F_OK))
		return "/dev/ktally";
	if (module_listed("/proc/misc", "ktally"))
		return "a line in /proc/misc";
	/* nobody else in a guest has any */
	if (module_listed("/sys/kernel/debug/kprobes/list", ""))
		return "a kprobe";
	return NULL;
}

#endif
