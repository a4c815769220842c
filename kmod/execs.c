// SPDX-License-Identifier: GPL-2.0-only
/*
 * execs.c - the callbacks of an exec: its record and what of its arguments has no room
 * in it. By the rules of events.c, but built for size: an exec does so much else.
 */
#include <linux/binfmts.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "compat.h"
#include "events.h"
#include "main.h"
#include "peaks.h"
#include "pipes.h"
#include "select.h"
#include "session.h"
#include "task.h"

static struct kt_bytes name_at(const char *name, u16 max, u16 at, u32 *flags)
{
	u16 len = strnlen(name, max);

	if (len == max) {
		*flags |= KTALLY_EXEC_NAME_CUT;
		len = max - 1;
	}
	return (struct kt_bytes){ .from = name, .len = len, .at = at, .text = 1 };
}

static void exec_facts(struct task_struct *p, pid_t old_tid, const struct linux_binprm *bprm,
		       struct ktally_exec *e)
{
	struct kt_usage *u = KT_USAGE(e);
	struct kt_totals totals;

	kt_task_life(p, KT_LIFE(e));
	kt_task_owner(p, KT_OWNER(e));
	e->netns = kt_netns(p);
	kt_task_totals(p, u, &totals);
	kt_task_own_delay(u);
	u->runtime += kt_task_slice();
	kt_task_own_memory(u);
	kt_peaks_take(u);
	e->old_tid = old_tid;
	e->argc = bprm->argc;
	e->envc = bprm->envc;
	e->argv_len = kt_task_own_argv_len();
	e->argv_kept = kt_argv ? min(e->argv_len, kt_arg_bytes) : 0;
	e->flags = 0;
	if (e->argv_len > e->argv_kept)
		e->flags |= kt_argv ? KTALLY_EXEC_ARGV_CUT : KTALLY_EXEC_ARGV_HIDDEN;
	e->pad = 0;
	e->pipe_in = kt_pipe_at(0);
	e->pipe_out = kt_pipe_at(1);
}

/* As kt_emit(), but what a session may not see of argv is left out. */
static void emit_exec(const struct kt_set *set, unsigned long chosen, struct kt_record *r,
		      struct ktally_exec *e)
{
	struct kt_bytes *argv = &r->string[2];
	const u32 kept = e->argv_kept, flags = e->flags;
	const u16 len = argv->len;
	unsigned int i;

	for (i = 0; chosen; i++, chosen >>= 1) {
		bool shown = kt_shows_argv(set->session[i], e->uid);

		if (!(chosen & 1))
			continue;
		e->argv_kept = shown ? kept : 0;
		e->flags = shown ? flags : (flags & ~KTALLY_EXEC_ARGV_CUT) |
					   KTALLY_EXEC_ARGV_HIDDEN;
		argv->len = shown ? len : 0;
		kt_channel_write(set->session[i]->channel, r);
	}
	e->argv_kept = kept;
	e->flags = flags;
}

/* Copies a piece of argv to the scratch; what could not be read is zeroed. */
static u32 copy_piece(char *to, u32 offset, u32 len)
{
	u32 done = kt_task_own_argv(offset, to, len);

	memset(to + done, 0, len - done);
	return done;
}

static void emit_piece(const struct kt_set *set, struct ktally_args *a, const struct kt_who *who,
		       u32 uid, u32 len)
{
	struct kt_record r = KT_RECORD(KTALLY_ARGS, a);
	unsigned int i;
	char *to;

	preempt_disable();
	to = this_cpu_ptr(kt_scratch);
	a->flags = copy_piece(to, a->offset, len) < len ? KTALLY_EXEC_ARGV_CUT : 0;
	r.strings = 1;
	r.string[0] = (struct kt_bytes){
		.from = to, .len = len, .at = offsetof(struct ktally_args, data),
	};
	for (i = 0; i < set->n; i++) {
		if (!kt_shows_argv(set->session[i], uid))
			kt_channel_refuse(set->session[i]->channel, KTALLY_ARGS);
		else if (kt_wants(set->session[i], KTALLY_ARGS, who))
			kt_channel_write(set->session[i]->channel, &r);
	}
	preempt_enable();
}

/* What of argv did not go into the exec record, up to the limit. */
static void emit_args(const struct kt_set *set, const struct ktally_exec *e,
		      const struct kt_who *who)
{
	struct ktally_args a = {
		.tgid = e->tgid, .image = e->image, .start = e->start,
		.offset = KTALLY_ARGV_INLINE, .total = e->argv_kept,
	};
	u32 len;

	for (; a.offset < a.total; a.offset += len) {
		len = min_t(u32, a.total - a.offset, KT_ARGS_PIECE);
		emit_piece(set, &a, who, e->uid, len);
	}
}

static void exec_event(const struct kt_set *set, struct task_struct *p, pid_t old_tid,
		       const struct linux_binprm *bprm)
{
	struct ktally_exec e __uninitialized;
	struct kt_record r = KT_RECORD(KTALLY_EXEC, &e);
	const struct kt_who who = { .task = p };
	unsigned long chosen;
	u32 len;
	char *to;

	if (unlikely(set->selecting))
		kt_select_execed(set, p, bprm->filename);
	chosen = kt_choose(set, KTALLY_EXEC, &who);
	if (!chosen)
		return;
	exec_facts(p, old_tid, bprm, &e);
	len = min_t(u32, e.argv_kept, KTALLY_ARGV_INLINE);
	r.strings = 3;
	r.string[0] = name_at(bprm->filename, KTALLY_FILENAME_MAX,
			      offsetof(struct ktally_exec, filename), &e.flags);
	r.string[1] = name_at(bprm->interp, KTALLY_INTERP_MAX,
			      offsetof(struct ktally_exec, interp), &e.flags);
	preempt_disable();
	to = this_cpu_ptr(kt_scratch);
	if (copy_piece(to, 0, len) < len)
		e.flags |= KTALLY_EXEC_ARGV_CUT;
	r.string[2] = (struct kt_bytes){
		.from = to, .len = len, .at = offsetof(struct ktally_exec, argv),
	};
	emit_exec(set, chosen, &r, &e);
	preempt_enable();
	emit_args(set, &e, &who);
}

/* In the new image, before it runs: argv is as the kernel laid it. */
void kt_probe_exec(void *data, struct task_struct *p, pid_t old_tid,
		   struct linux_binprm *bprm)
{
	const struct kt_set *set;

	rcu_read_lock();
	set = kt_set();
	if (set)
		exec_event(set, p, old_tid, bprm);
	rcu_read_unlock();
}

/* In the old image, the last moment its memory is there. */
void kt_probe_prepare_exec(void *data, struct task_struct *p, struct linux_binprm *bprm)
{
	rcu_read_lock();
	if (kt_set())
		kt_peaks_keep();
	rcu_read_unlock();
}
