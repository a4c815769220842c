// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup.c - names: which path belongs to the cgroup id that records carry. One
 * walk over the default hierarchy opens a session, the tracepoints tell what is
 * made, renamed and removed later, so that a short-lived container keeps its
 * name. The probes run under a spinlock with interrupts off; the walk in process
 * context.
 */
#include <linux/cgroup.h>
#include <trace/events/cgroup.h>

#include "cgroup.h"
#include "totals.h"

enum op { THERE, MADE, RENAMED, REMOVED };

static struct kt_record record_of(struct ktally_cgroup *c, const char *path)
{
	struct kt_record r = KT_RECORD(KTALLY_CGROUP, c);

	r.strings = 1;
	r.string[0] = (struct kt_bytes){
		.from = path, .len = strnlen(path, KT_CGROUP_PATH - 1),
		.at = offsetof(struct ktally_cgroup, path), .text = 1,
	};
	return r;
}

static void emit(struct cgroup *cgrp, const char *path, enum op op)
{
	struct ktally_cgroup c = { .id = cgroup_id(cgrp), .op = op };
	const struct kt_record r = record_of(&c, path);
	const struct kt_who who = { .task = current, .machine = true };

	if (cgrp->root == &cgrp_dfl_root)
		kt_emit_to_all(&r, &who);
}

void kt_probe_cgroup_mkdir(void *data, struct cgroup *cgrp, const char *path)
{
	emit(cgrp, path, MADE);
}

void kt_probe_cgroup_rename(void *data, struct cgroup *cgrp, const char *path)
{
	emit(cgrp, path, RENAMED);
}

void kt_probe_cgroup_rmdir(void *data, struct cgroup *cgrp, const char *path)
{
	emit(cgrp, path, REMOVED);
	if (cgrp->root == &cgrp_dfl_root && cgroup_parent(cgrp))
		kt_totals_cgroup_gone(cgroup_id(cgrp), cgroup_id(cgroup_parent(cgrp)));
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_cgroup_mkdir(kt_probe_cgroup_mkdir);
	check_trace_callback_type_cgroup_rename(kt_probe_cgroup_rename);
	check_trace_callback_type_cgroup_rmdir(kt_probe_cgroup_rmdir);
}

/* The next one that is there, held; pos is given back. NULL: that was all. */
static struct cgroup *next_cgroup(struct cgroup *pos)
{
	struct cgroup_subsys_state *css = pos ? &pos->self : NULL;

	rcu_read_lock();
	do {
		css = css_next_descendant_pre(css, &cgrp_dfl_root.cgrp.self);
	} while (css && !css_tryget_online(css));
	rcu_read_unlock();
	if (pos)
		css_put(&pos->self);
	return css ? container_of(css, struct cgroup, self) : NULL;
}

/* The hierarchy is the machine's: who sees a PID namespace only gets its own part. */
static bool may_see(const struct kt_session *s, struct cgroup *cgrp)
{
	bool seen;

	rcu_read_lock();
	seen = !s->filter.visible ||
	       cgroup_is_descendant(cgrp, task_dfl_cgroup(current));
	rcu_read_unlock();
	return seen;
}

/* Writes one; returns the bytes it took. */
static size_t write_there(struct kt_session *s, struct cgroup *cgrp, char *path)
{
	struct ktally_cgroup c = { .id = cgroup_id(cgrp), .op = THERE };
	const struct kt_who who = { .task = current, .machine = true };
	struct kt_record r;

	if (!may_see(s, cgrp) || cgroup_path(cgrp, path, KT_CGROUP_PATH) <= 0 ||
	    !kt_session_wants(s, KTALLY_CGROUP, &who))
		return 0;
	r = record_of(&c, path);
	kt_channel_write(s->channel, &r);
	return kt_record_len(&r);
}

/*
 * Goes on where the last call stopped, for about `bytes` of records; true when
 * all are written. path: KT_CGROUP_PATH bytes. The session's lock is held.
 */
bool kt_cgroup_walk(struct kt_session *s, char *path, size_t bytes)
{
	size_t written = 0;

	while (written < bytes) {
		s->walk_cgroup = next_cgroup(s->walk_cgroup);
		if (!s->walk_cgroup)
			return true;
		written += write_there(s, s->walk_cgroup, path);
		cond_resched();
	}
	return false;
}

void kt_cgroup_walk_drop(struct kt_session *s)
{
	if (s->walk_cgroup)
		css_put(&s->walk_cgroup->self);
	s->walk_cgroup = NULL;
}
