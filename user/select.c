// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * select.c - SEL for a session: names, numbers, users, cgroups and namespaces become
 * a struct ktally_select. What the kernel cannot select is refused with a word.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "select.h"

#define CGROUPS "/sys/fs/cgroup"

static int take_names(struct selection *s, const char *command, const struct sel *sel)
{
	if (!sel->names.n)
		return OPT_GO_ON;
	s->names = calloc(sel->names.n, sizeof(*s->names));
	if (!s->names)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < sel->names.n; i++) {
		const char *name = sel->names.at[i];

		if (*name == '/')
			return say_error(WRONG_USE, "%s: -n '%s': while recording names are plain or patterns (cc*); regular expressions when reading: ktally report",
					 command, name);
		if (strlen(name) >= KTALLY_NAME_MAX)
			return say_error(WRONG_USE, "%s: -n '%s': longer than %d bytes", command, name,
					 KTALLY_NAME_MAX - 1);
		strcpy(s->names[i], name);
	}
	s->kernel.what |= KTALLY_SELECT_NAMES;
	s->kernel.n_names = (uint32_t)sel->names.n;
	s->kernel.names = (uintptr_t)s->names;
	return OPT_GO_ON;
}

/* The kernel's own number of a cgroup is its folder's. */
static int add_cgroup(struct selection *s, const char *command, const char *asked, const char *folder)
{
	uint64_t *at = realloc(s->cgroups, (s->kernel.n_cgroups + 1) * sizeof(*at));
	struct stat st;

	if (!at)
		return say_error(FAILED, "out of memory");
	s->cgroups = at;
	if (stat(folder, &st))
		return say_error(WRONG_USE, "%s: -G '%s': %s: %s", command, asked, folder, strerror(errno));
	at[s->kernel.n_cgroups++] = st.st_ino;
	return OPT_GO_ON;
}

static int take_cgroup(struct selection *s, const char *command, const char *path)
{
	int status = OPT_GO_ON;
	char full[4096];
	glob_t found;

	snprintf(full, sizeof(full), "%s%s%s", strncmp(path, CGROUPS, strlen(CGROUPS)) ? CGROUPS : "",
		 *path == '/' ? "" : "/", path);
	if (glob(full, GLOB_NOCHECK | GLOB_NOESCAPE, NULL, &found))
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < found.gl_pathc && status == OPT_GO_ON; i++)
		status = add_cgroup(s, command, path, found.gl_pathv[i]);
	globfree(&found);
	return status;
}

static int take_cgroups(struct selection *s, const char *command, const struct sel *sel)
{
	int status = OPT_GO_ON;

	for (size_t i = 0; i < sel->cgroups.n && status == OPT_GO_ON; i++)
		status = take_cgroup(s, command, sel->cgroups.at[i]);
	if (s->kernel.n_cgroups > KTALLY_SELECT_MAX)
		return say_error(WRONG_USE, "%s: -G: more than %d groups", command, KTALLY_SELECT_MAX);
	if (s->kernel.n_cgroups)
		s->kernel.what |= KTALLY_SELECT_CGROUPS;
	s->kernel.cgroups = (uintptr_t)s->cgroups;
	return status;
}

static void take_numbers(struct selection *s, const struct sel_match *match)
{
	struct ktally_select *k = &s->kernel;
	const uint32_t *list;

	k->n_pids = (uint32_t)sel_pids(match, &list);
	k->pids = (uintptr_t)list;
	k->what |= k->n_pids ? KTALLY_SELECT_PIDS : 0;
	k->n_uids = (uint32_t)sel_users(match, &list);
	k->uids = (uintptr_t)list;
	k->what |= k->n_uids ? KTALLY_SELECT_UIDS : 0;
	k->what |= sel_netns(match, &k->netns) ? KTALLY_SELECT_NETNS : 0;
}

/* A life's length is known at its end only: then there are ends only. */
static void take_lives(struct selection *s, const struct sel *sel)
{
	if (sel->tree && (s->kernel.what & (KTALLY_SELECT_PIDS | KTALLY_SELECT_NAMES)))
		s->kernel.what |= KTALLY_SELECT_TREE;
	if (!sel->min_duration.set)
		return;
	s->kernel.what |= KTALLY_SELECT_EXITS | KTALLY_SELECT_MIN_LIFE;
	s->kernel.min_life = sel->min_duration.ns;
}

int selection_make(struct selection *s, const char *command, const struct sel *sel,
		   const struct sel_match *match)
{
	int status;

	memset(s, 0, sizeof(*s));
	if (sel->since || sel->until || sel->failed)
		return say_error(WRONG_USE, "%s: --since, --until and --failed select when reading: ktally report",
				 command);
	take_numbers(s, match);
	status = take_names(s, command, sel);
	if (status == OPT_GO_ON)
		status = take_cgroups(s, command, sel);
	if (status == OPT_GO_ON)
		take_lives(s, sel);
	return status;
}

void selection_free(struct selection *s)
{
	free(s->names);
	free(s->cgroups);
}
