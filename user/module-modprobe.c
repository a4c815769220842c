// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module-modprobe.c - loads and unloads ktally.ko by modprobe, for systems without
 * libkmod, busybox among them.
 *
 * modprobe has no errno to give: what can be seen from outside is asked first,
 * and its own words go to standard error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "module.h"

enum { MAX_WORDS = 34 };

static int run(char *const *argv)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return -ENOSYS;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EINVAL;
}

int module_load(const char *parameters)
{
	char *words[MAX_WORDS + 1] = { "modprobe", MODULE_NAME }, *copy, *rest, path[1024];
	struct utsname u;
	size_t n = 2;
	int err;

	if (module_loaded())
		return -EEXIST;
	if (uname(&u) || !module_file(u.release, path, sizeof(path)))
		return -ENOENT;
	if (geteuid())
		return -EPERM;
	copy = strdup(parameters);
	if (!copy)
		return -ENOMEM;
	for (char *p = strtok_r(copy, " ", &rest); p && n < MAX_WORDS; p = strtok_r(NULL, " ", &rest))
		words[n++] = p;
	err = run(words);
	free(copy);
	return err;
}

/* Only libkmod looks into the file; here the kernel's warning has to do. */
bool module_has_parameter(const char *name, size_t len)
{
	(void)name, (void)len;
	return true;
}

int module_unload(void)
{
	char *words[] = { "rmmod", MODULE_NAME, NULL }, users[32];

	if (!module_loaded())
		return -ENOENT;
	if (geteuid())
		return -EPERM;
	if (module_read("refcnt", users, sizeof(users)) && strcmp(users, "0"))
		return -EBUSY;
	return run(words);
}
