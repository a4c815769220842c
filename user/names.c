// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - names of users and containers. Runtimes are not asked, only what they
 * keep on disk is read: it works when they are stopped, and needs none of them here.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"

enum { FILE_MOST = 16 << 20 };

const char *names_user(uint32_t uid, void *arg)
{
	struct names *names = arg;
	const size_t room = sizeof(names->users) / sizeof(names->users[0]);
	size_t n = names->n_users < room ? names->n_users : room;
	const struct passwd *pw;
	struct names_user *u;

	for (size_t i = 0; i < n; i++)
		if (names->users[i].uid == uid)
			return *names->users[i].name ? names->users[i].name : NULL;
	u = &names->users[names->n_users++ % room];
	pw = getpwuid(uid);
	u->uid = uid;
	snprintf(u->name, sizeof(u->name), "%s", pw ? pw->pw_name : "");
	return pw ? u->name : NULL;
}

/* ---- what lies on disk ---- */

/*
 * A whole small file, to be freed; NULL: not there. Whose home it lies in says what it
 * is: a FIFO or a terminal would keep everybody waiting who asks for names.
 */
static char *whole_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *text = NULL;
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_MOST)
		text = malloc((size_t)st.st_size + 1);
	if (text)
		n = read(fd, text, (size_t)st.st_size);
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/* The first string behind "key": in JSON, without its quotes; names of containers hold nothing to unescape. */
static int string_behind(const char *json, const char *key, char *name, size_t n)
{
	const char *p = strstr(json, key);
	size_t len;

	if (!p)
		return -ENOENT;
	p += strlen(key);
	p += strspn(p, " \t\n:[");
	if (*p++ != '"')
		return -ENOENT;
	p += *p == '/';
	len = strcspn(p, "\"");
	if (!len || len >= n)
		return -ENOENT;
	memcpy(name, p, len);
	name[len] = '\0';
	return 0;
}

static int from_docker(const char *path, const char *id, char *name, size_t n)
{
	char *json = whole_file(path);
	int err = json ? string_behind(json, "\"Name\"", name, n) : -ENOENT;

	(void)id;
	free(json);
	return err;
}

/* A list of all containers: "names" stands behind the "id" it belongs to. */
static int from_podman(const char *path, const char *id, char *name, size_t n)
{
	char *json = whole_file(path), key[80], *at;
	int err = -ENOENT;

	snprintf(key, sizeof(key), "\"id\":\"%s\"", id);
	at = json ? strstr(json, key) : NULL;
	if (at)
		err = string_behind(at, "\"names\"", name, n);
	free(json);
	return err;
}

/* A file per name, which holds the id. */
static int from_nerdctl(const char *path, const char *id, char *name, size_t n)
{
	char *text = whole_file(path);
	bool is = text && !strncmp(text, id, strlen(id));

	free(text);
	if (!is)
		return -ENOENT;
	return (size_t)snprintf(name, n, "%s", strrchr(path, '/') + 1) < n ? 0 : -ENOENT;
}

/* A link POD_NAMESPACE_CONTAINER-ID.log. */
static int from_kubernetes(const char *path, const char *id, char *name, size_t n)
{
	const char *base = strrchr(path, '/') + 1;
	size_t len = strlen(base) - strlen(id) - strlen("-.log");

	return (size_t)snprintf(name, n, "%.*s", (int)len, base) < n ? 0 : -ENOENT;
}

static const struct {
	const char *pattern;		/* %s: the id */
	int (*read)(const char *path, const char *id, char *name, size_t n);
} places[] = {
	{ "/var/lib/docker/containers/%s/config.v2.json", from_docker },
	{ "/var/lib/containers/storage/*-containers/*containers.json", from_podman },
	{ "/home/*/.local/share/containers/storage/*-containers/*containers.json", from_podman },
	{ "/root/.local/share/containers/storage/*-containers/*containers.json", from_podman },
	{ "/var/lib/nerdctl/*/names/*/*", from_nerdctl },
	{ "/var/log/containers/*-%s.log", from_kubernetes },
};

int names_find_container(const char *root, const char *id, char *name, size_t n)
{
	int err = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && err; i++) {
		const char *p = places[i].pattern, *mark = strstr(p, "%s");
		char pattern[4096];
		glob_t found;

		if (mark)
			snprintf(pattern, sizeof(pattern), "%s%.*s%s%s", root, (int)(mark - p), p, id, mark + 2);
		else
			snprintf(pattern, sizeof(pattern), "%s%s", root, p);
		if (glob(pattern, GLOB_NOSORT, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc && err; k++)
			err = places[i].read(found.gl_pathv[k], id, name, n);
		globfree(&found);
	}
	return err;
}

const char *names_container(const char *id, void *arg)
{
	struct names *names = arg;
	const size_t room = sizeof(names->containers) / sizeof(names->containers[0]);
	size_t n = names->n_containers < room ? names->n_containers : room;
	struct names_container *c;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(names->containers[i].id, id))
			return *names->containers[i].name ? names->containers[i].name : NULL;
	c = &names->containers[names->n_containers++ % room];
	snprintf(c->id, sizeof(c->id), "%s", id);
	c->name[0] = '\0';
	names_find_container("", id, c->name, sizeof(c->name));
	return *c->name ? c->name : NULL;
}
