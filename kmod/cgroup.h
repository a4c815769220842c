/* SPDX-License-Identifier: GPL-2.0-only */
/* cgroup.h - names of cgroups; see cgroup.c. */
#ifndef KTALLY_CGROUP_H
#define KTALLY_CGROUP_H

#include "session.h"

#ifdef CONFIG_CGROUPS

void kt_probe_cgroup_mkdir(void *data, struct cgroup *cgrp, const char *path);
void kt_probe_cgroup_rename(void *data, struct cgroup *cgrp, const char *path);
void kt_probe_cgroup_rmdir(void *data, struct cgroup *cgrp, const char *path);

/* Rows for the table in events.c. */
#define KT_CGROUP_PROBES						\
	{ "cgroup_mkdir", KT_CALLED(kt_probe_cgroup_mkdir), false, KTALLY_FEAT_CGROUP_PATHS }, \
	{ "cgroup_rename", KT_CALLED(kt_probe_cgroup_rename) },			\
	{ "cgroup_rmdir", KT_CALLED(kt_probe_cgroup_rmdir) },

bool kt_cgroup_walk(struct kt_session *s, char *path, size_t bytes);
void kt_cgroup_walk_drop(struct kt_session *s);

#else

#define KT_CGROUP_PROBES

static inline bool kt_cgroup_walk(struct kt_session *s, char *path, size_t bytes)
{
	return true;
}

static inline void kt_cgroup_walk_drop(struct kt_session *s)
{
}

#endif

#define KT_CGROUP_PATH	1024	/* bytes, what the kernel's own tracing keeps */

#endif
