/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - names that this machine has for the numbers in records: of users, and of
 * containers by what their runtimes keep on disk.
 *
 * Each is asked for once and remembered, so that a container which is gone meanwhile
 * keeps its name in a view that saw it.
 */
#ifndef KTALLY_NAMES_H
#define KTALLY_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { NAMES_CONTAINER = 64 };

struct names_user {
	uint32_t uid;
	char name[36];
};

struct names_container {
	char id[65];
	char name[NAMES_CONTAINER];	/* empty: none is known */
};

struct names {
	struct names_user users[64];		/* rings: the oldest makes room */
	size_t n_users;
	struct names_container containers[64];
	size_t n_containers;
};

/* For struct ktally_field_ctx; arg is a struct names. */
const char *names_user(uint32_t uid, void *arg);
const char *names_container(const char *id, void *arg);

/* docker, podman, nerdctl, kubernetes; root: "" or a folder that stands for /. 0 or -ENOENT. */
int names_find_container(const char *root, const char *id, char *name, size_t n);

#endif
