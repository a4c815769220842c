// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modprobe.c - loads and unloads ktally.ko by modprobe and rmmod, kmod's or busybox's.
 *
 * libkmod would give an errno, but it brings a library of ciphers along that each
 * start of the program would have to load. Both programs end their complaint with
 * the system's words for the error, so it is found from them again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "module.h"

enum { MAX_WORDS = 34 };

static void become(char *const *argv, int out)
{
	setenv("LC_ALL", "C", 1);
	dup2(out, STDERR_FILENO);
	execvp(argv[0], argv);
	dprintf(out, "%s: %s", argv[0], strerror(errno));
	_exit(127);
}

/* Its words, all on one line. */
static void collect(int from, char *why, size_t room)
{
	size_t at = 0;
	ssize_t n;

	while ((n = read(from, why + at, room - 1 - at)) > 0 || (n < 0 && errno == EINTR))
		at += n > 0 ? (size_t)n : 0;
	why[at] = '\0';
	while (at && why[at - 1] == '\n')
		why[--at] = '\0';
	for (char *p = why; *p; p++)
		if (*p == '\n')
			*p = ' ';
}

static int error_in(const char *words)
{
	static const int known[] = {
		ENOKEY, EKEYREJECTED, EPERM, EACCES, ENOEXEC, EINVAL, ENOENT, EBUSY, EAGAIN, EEXIST,
		ENOMEM, ENODEV,
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(words, strerror(known[i])))
			return -known[i];
	if (strstr(words, "not found"))
		return -ENOENT;
	return strstr(words, "in use") ? -EBUSY : -EIO;
}

static int run(char *const *argv, char *why, size_t room)
{
	int pipe_fd[2], status;
	pid_t pid;

	if (pipe(pipe_fd))
		return -errno;
	pid = fork();
	if (!pid) {
		close(pipe_fd[0]);
		become(argv, pipe_fd[1]);
	}
	close(pipe_fd[1]);
	if (pid > 0)
		collect(pipe_fd[0], why, room);
	close(pipe_fd[0]);
	if (pid < 0)
		return -errno;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : error_in(why);
}

/* "buffer_kb=4096" was taken if the module has such a file; the kernel only warns. */
static bool taken(const char *parameter)
{
	char name[128], value[64];

	snprintf(name, sizeof(name), "parameters/%.*s", (int)strcspn(parameter, "="), parameter);
	return module_read(name, value, sizeof(value));
}

int module_load(char *const *parameters, int n, char *why, size_t room)
{
	char *words[MAX_WORDS + 1] = { "modprobe", MODULE_NAME }, path[1024];
	struct utsname u;
	int err;

	*why = '\0';
	if (module_loaded())
		return -EEXIST;
	if (uname(&u) || !module_file(u.release, path, sizeof(path)))
		return -ENOENT;
	if (n + 2 > MAX_WORDS)
		return -E2BIG;
	memcpy(words + 2, parameters, (size_t)n * sizeof(*words));
	err = run(words, why, room);
	for (int i = 0; !err && i < n; i++) {
		if (taken(parameters[i]))
			continue;
		module_unload(why, room);
		snprintf(why, room, "%.*s", (int)strcspn(parameters[i], "="), parameters[i]);
		err = -ENOTSUP;
	}
	return err;
}

int module_unload(char *why, size_t room)
{
	char *words[] = { "rmmod", MODULE_NAME, NULL }, users[32];

	*why = '\0';
	if (!module_loaded())
		return -ENOENT;
	if (geteuid())
		return -EPERM;
	if (module_read("refcnt", users, sizeof(users)) && strcmp(users, "0"))
		return -EBUSY;
	return run(words, why, room);
}
