// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroups.c - walks the mounted cgroup2 hierarchy: a folder's inode is the kernel's
 * number of its cgroup.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "cgroups.h"

#define CGROUP2_MAGIC	0x63677270
#define PATH_ROOM	4096
#define DEPTH_MAX	64

static int add(struct cgroups *c, uint64_t id, const char *path)
{
	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		struct cgroups_path *at = realloc(c->at, room * sizeof(*at));

		if (!at)
			return -ENOMEM;
		c->at = at;
		c->room = room;
	}
	c->at[c->n].id = id;
	c->at[c->n].path = strdup(*path ? path : "/");
	return c->at[c->n++].path ? 0 : -ENOMEM;
}

/* path: of the folder, in a buffer of PATH_ROOM; root: how much of it is the mount. */
static int visit(struct cgroups *c, char *path, size_t root, int depth)
{
	size_t len = strlen(path);
	struct dirent *e;
	struct stat st;
	int err = 0;
	DIR *d;

	if (stat(path, &st))
		return 0;	/* removed meanwhile */
	err = add(c, st.st_ino, path + root);
	d = err || depth == DEPTH_MAX ? NULL : opendir(path);
	while (d && !err && (e = readdir(d))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.' ||
		    (size_t)snprintf(path + len, PATH_ROOM - len, "/%s", e->d_name) >= PATH_ROOM - len)
			continue;
		err = visit(c, path, root, depth + 1);
	}
	path[len] = '\0';
	if (d)
		closedir(d);
	return err;
}

static int by_id(const void *a, const void *b)
{
	const struct cgroups_path *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

int cgroups_read(struct cgroups *c)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char path[PATH_ROOM];
	struct statfs fs;
	int err = 0;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < 2 && !c->n && !err; i++) {
		if (statfs(mounts[i], &fs) || fs.f_type != CGROUP2_MAGIC)
			continue;
		strcpy(path, mounts[i]);
		err = visit(c, path, strlen(path), 0);
	}
	if (c->n)
		qsort(c->at, c->n, sizeof(*c->at), by_id);
	return err;
}

const char *cgroups_path(const struct cgroups *c, uint64_t id)
{
	const struct cgroups_path want = { .id = id };
	const struct cgroups_path *found = c->n ? bsearch(&want, c->at, c->n, sizeof(*c->at), by_id) : NULL;

	return found ? found->path : NULL;
}

void cgroups_free(struct cgroups *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i].path);
	free(c->at);
	memset(c, 0, sizeof(*c));
}
