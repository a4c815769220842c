// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replace.c - written beside what it replaces, then renamed. Two that write the same
 * path don't meet: the part's name has the PID.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opt.h"
#include "replace.h"
#include "say.h"

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFBLK:
	case S_IFCHR:	return "a device";
	case S_IFIFO:	return "a fifo";
	case S_IFSOCK:	return "a socket";
	case S_IFDIR:	return "a folder";
	default:	return "no regular file";
	}
}

/* New, or a regular file: OPT_GO_ON. */
static int check(const struct replace *r)
{
	struct stat st;

	if (lstat(r->path, &st) || S_ISREG(st.st_mode))
		return OPT_GO_ON;
	return say_error(FAILED, "%s: is %s, which a new file would replace; name a file, or a new one",
			 r->name, kind_of(st.st_mode));
}

/* What a link leads to; NULL: said. In /tmp anybody may have put it there. */
static char *follow(const char *path, uid_t owner)
{
	char *target;

	if (owner && owner != geteuid()) {
		say_error(FAILED, "%s: is somebody else's symbolic link; name the file itself", path);
		return NULL;
	}
	target = realpath(path, NULL);
	if (!target)
		say_error(FAILED, "%s: is a symbolic link that cannot be followed: %s; remove it, or name a file",
			  path, strerror(errno));
	return target;
}

/* The name without slashes behind it, or what a link of that name leads to; NULL: said. */
static char *resolve(const char *path)
{
	size_t n = strlen(path);
	struct stat st;
	char *own, *target;

	while (n > 1 && path[n - 1] == '/')
		n--;
	own = strndup(path, n);
	if (!own)
		say_error(FAILED, "out of memory");
	if (!own || lstat(own, &st) || !S_ISLNK(st.st_mode))
		return own;
	target = follow(own, st.st_uid);
	free(own);
	return target;
}

/* A file, or a folder of files. */
static void remove_part(const char *part)
{
	DIR *folder = unlink(part) ? opendir(part) : NULL;
	struct dirent *e;

	if (!folder)
		return;
	while ((e = readdir(folder)))
		unlinkat(dirfd(folder), e->d_name, 0);
	closedir(folder);
	rmdir(part);
}

int replace_begin(struct replace *r, const char *path)
{
	int status;

	r->name = path;
	r->path = resolve(path);
	if (!r->path)
		return FAILED;
	status = check(r);
	if (status == OPT_GO_ON && asprintf(&r->part, "%s.%d.part", r->path, (int)getpid()) < 0)
		status = say_error(FAILED, "out of memory");
	if (status == OPT_GO_ON)
		remove_part(r->part);
	else
		free(r->path);
	return status;
}

/* What came there meanwhile is looked at again. */
int replace_end(struct replace *r, int status)
{
	if (status == OPT_GO_ON)
		status = check(r);
	if (status == OPT_GO_ON && rename(r->part, r->path))
		status = say_error(FAILED, "%s: cannot put the new file there: %s", r->name, strerror(errno));
	if (status != OPT_GO_ON)
		remove_part(r->part);
	free(r->part);
	free(r->path);
	return status;
}
