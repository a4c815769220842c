// SPDX-License-Identifier: GPL-2.0-only
/*
 * dump.c - the paced walk over living processes: what was there when a session
 * began, what is there when it ends, and snapshots in between of those who ran or
 * were asked for. A cursor over PID numbers, a piece per call, so that the reader
 * can drain in between and live events keep their room.
 *
 * No process is missed: one alive at the start keeps its number until it ends,
 * and then its exit record is there. Process context, may sleep.
 */
#include <linux/idr.h>
#include <linux/init.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/threads.h>

#include "cgroup.h"
#include "compat.h"
#include "dump.h"
#include "main.h"
#include "net.h"
#include "sample.h"

#define RECORDS_MAX	1024		/* per call */
#define IN_CGROUPS	BIT(31)		/* cursor: not yet at the processes */
#define AT_END		BIT(30)		/* cursor: only walk_end is left */

/* What one call works with. */
struct step {
	struct kt_walk *walk;
	struct ktally_task task;
	char text[KT_CGROUP_PATH];	/* argv or a path */
	size_t bytes;			/* left for this call */
	unsigned int records;
	unsigned int listed;		/* place in the list of those asked for */
	struct kt_ran_net net;		/* of the process at hand */
	bool full;			/* the process at hand found no room */
};

static_assert(KT_CGROUP_PATH >= KTALLY_ARGV_INLINE);

static size_t quarter(const struct kt_session *s)
{
	const struct kt_channel_shape *shape = kt_channel_shape(s->channel);

	return (size_t)shape->subbuf_size * shape->subbufs / 4;
}

/* --- which processes --- */

static bool only_listed(const struct kt_walk *w)
{
	return (w->flags & (KTALLY_SNAPSHOT_RAN | KTALLY_SNAPSHOT_PIDS)) == KTALLY_SNAPSHOT_PIDS;
}

/* The list is in order, as the walk is: its next place is never behind. */
static bool is_listed(struct step *st, u32 tgid)
{
	const struct kt_walk *w = st->walk;

	while (st->listed < w->n_pids && w->pids[st->listed] < tgid)
		st->listed++;
	return st->listed < w->n_pids && w->pids[st->listed] == tgid;
}

static bool is_due(struct kt_session *s, struct step *st, struct task_struct *leader)
{
	bool ran;

	st->net.told = NULL;
	if (!(st->walk->flags & KTALLY_SNAPSHOT_RAN))
		return true;
	ran = kt_ran(&s->ran, leader, &st->net);
	if (is_listed(st, leader->tgid) || ran)
		return true;
	st->walk->idle++;
	return false;
}

/*
 * Looks at the next few PIDs; a process that is due is returned held. *nr: where to
 * go on; *more: false when there are no higher numbers. The table's own way to the
 * next entry costs a third of asking it for each; idr_get_next() does the same.
 */
static struct task_struct *next_due(struct kt_session *s, struct step *st, int *nr, bool *more)
{
	struct radix_tree_iter at;
	struct task_struct *p = NULL;
	unsigned int looked = 0;
	void __rcu **slot;
	struct pid *pid;

	*more = false;
	rcu_read_lock();
	radix_tree_for_each_slot(slot, &init_pid_ns.idr.idr_rt, &at, *nr) {
		pid = radix_tree_deref_slot(slot);
		if (!pid)
			continue;
		if (radix_tree_deref_retry(pid)) {
			slot = radix_tree_iter_retry(&at);
			continue;
		}
		p = pid_task(pid, PIDTYPE_TGID);
		if (p && !is_due(s, st, p))
			p = NULL;
		if (p)
			get_task_struct(p);
		if (p || ++looked == KT_PIDS_PER_SECTION) {
			*nr = at.index + 1;
			*more = true;
			break;
		}
	}
	rcu_read_unlock();
	return p;
}

/* The same for a list alone: the machine is not walked over for it. */
static struct task_struct *next_listed(struct kt_session *s, struct step *st, int *nr, bool *more)
{
	const struct kt_walk *w = st->walk;
	struct task_struct *p;

	is_listed(st, *nr);
	/* What no process can have as its number would wrap *nr around, and come again. */
	if (st->listed == w->n_pids || w->pids[st->listed] >= PID_MAX_LIMIT) {
		*more = false;
		return NULL;
	}
	*nr = w->pids[st->listed];
	rcu_read_lock();
	p = pid_task(find_pid_ns((*nr)++, &init_pid_ns), PIDTYPE_TGID);
	if (p)
		get_task_struct(p);
	rcu_read_unlock();
	return p;
}

/* --- their records --- */

static void add_argv(struct kt_session *s, struct step *st, struct task_struct *p,
		     struct kt_record *r)
{
	struct ktally_task *t = &st->task;
	u32 len = min_t(u32, t->argv_len, KTALLY_ARGV_INLINE), n = 0;

	if (!kt_argv || !kt_shows_argv(s, t->uid))
		t->flags |= t->argv_len ? KTALLY_TASK_ARGV_HIDDEN : 0;
	else if (len && !(st->walk->flags & KTALLY_SNAPSHOT_NO_ARGV))
		n = kt_sample_argv(p, st->text, len);
	if (n < t->argv_len && !(t->flags & KTALLY_TASK_ARGV_HIDDEN))
		t->flags |= KTALLY_TASK_ARGV_CUT;
	r->strings = 1;
	r->string[0] = (struct kt_bytes){
		.from = st->text, .len = n, .at = offsetof(struct ktally_task, argv),
	};
}

/* What finds no room is tried again by the next call; at load nobody would call. */
static void write_record(struct kt_session *s, struct step *st, const struct kt_record *r)
{
	bool written = kt_channel_try(s->channel, r);

	if (!written && !st->walk->at_load) {
		st->full = true;
		return;
	}
	if (written) {
		st->walk->written++;
	} else {
		kt_channel_write(s->channel, r);
		st->walk->lost++;
		s->walk_lost++;
	}
	s->walk_tasks++;
	st->records++;
	st->bytes -= min_t(size_t, st->bytes, kt_record_len(r));
	if (st->net.told)
		*st->net.told = st->net.moves;
}

/* Its namespaces may not go while they are looked at. */
static bool is_wanted(struct kt_session *s, struct task_struct *p)
{
	const struct kt_who who = { .task = p };
	bool wanted;

	task_lock(p);
	wanted = kt_session_wants(s, KTALLY_TASK, &who);
	task_unlock(p);
	return wanted;
}

/*
 * What a process spends after the record of its end, giving back its memory, is in
 * no sum: a snapshot that told of it then would tell more than its end. An opening
 * walk may be the only one to tell of it.
 */
static bool is_told_by_its_end(const struct step *st, const struct task_struct *p)
{
	return st->walk->purpose == KTALLY_WALK_SNAPSHOT && !atomic_read(&p->signal->live);
}

static void write_task(struct kt_session *s, struct step *st, struct task_struct *p)
{
	struct kt_record r = KT_RECORD(KTALLY_TASK, &st->task);

	if (!is_wanted(s, p) || !kt_sample(p, &st->task) || is_told_by_its_end(st, p))
		return;
	kt_net_task(p, KT_NET(&st->task));
	st->task.known |= kt_net_known();
	st->task.upper |= kt_net_upper();
	st->task.walk = s->walk;
	add_argv(s, st, p, &r);
	write_record(s, st, &r);
}

/* --- the walk --- */

static bool is_enough(const struct step *st)
{
	return !st->bytes || st->records >= RECORDS_MAX || signal_pending(current);
}

/* From PID `cursor` on; returns where to go on, 0 when done. */
static u32 walk_processes(struct kt_session *s, struct step *st, u32 cursor)
{
	bool more = true, listed = only_listed(st->walk);
	int nr = cursor;

	while (more) {
		struct task_struct *p = listed ? next_listed(s, st, &nr, &more) :
					next_due(s, st, &nr, &more);

		if (p) {
			write_task(s, st, p);
			if (st->full)
				nr = p->tgid;
			put_task_struct(p);
		}
		if (st->full || (more && is_enough(st)))
			return nr;
		cond_resched();
	}
	return 0;
}

static int write_device(const struct ktally_device *rec, void *session)
{
	const struct kt_record r = KT_RECORD(KTALLY_DEVICE, rec);
	struct kt_session *s = session;

	kt_channel_write(s->channel, &r);
	return 0;
}

/* Devices are the machine's: not for who sees a PID namespace only. */
static void write_devices(struct kt_session *s)
{
	const struct kt_who machine = { .machine = true };

	if (kt_session_wants(s, KTALLY_DEVICE, &machine))
		kt_net_walk(write_device, s);
}

static int begin(struct kt_session *s, const struct kt_walk *w)
{
	struct ktally_walk_begin b = {
		.walk = ++s->walk, .purpose = w->purpose, .flags = w->flags,
	};
	const struct kt_record r = KT_RECORD(KTALLY_WALK_BEGIN, &b);

	s->walk_tasks = 0;
	s->walk_lost = 0;
	s->walk_idle = 0;
	kt_walk_drop(s);
	/* From here on every CPU has the probes and sees this session. */
	if (w->purpose == KTALLY_WALK_OPENING)
		kt_in_order();
	if (w->purpose != KTALLY_WALK_SNAPSHOT)
		kt_net_settle();
	kt_channel_write(s->channel, &r);
	if (!(w->flags & KTALLY_SNAPSHOT_NO_DEVICES)) {
		/* Wanted by more than devices: told first, for these are compared with their sum. */
		kt_net_tell_late();
		write_devices(s);
	}
	return only_listed(w) ? 0 : kt_ran_begin(&s->ran);
}

/* True when walk_end is written. */
static bool end(struct kt_session *s, const struct kt_walk *w)
{
	struct ktally_walk_end e = {
		.walk = s->walk, .purpose = w->purpose, .tasks = s->walk_tasks,
		.lost = s->walk_lost, .idle = s->walk_idle,
	};
	const struct kt_record r = KT_RECORD(KTALLY_WALK_END, &e);

	if (!kt_channel_try(s->channel, &r)) {
		if (!w->at_load)
			return false;
		kt_channel_write(s->channel, &r);
	}
	if (!only_listed(w) && !s->walk_lost)
		kt_ran_done(&s->ran);
	return true;
}

static int walk_on(struct kt_session *s, struct step *st)
{
	struct kt_walk *w = st->walk;
	int err;

	if (!w->cursor) {
		err = begin(s, w);
		if (err)
			return err;
		w->cursor = w->purpose == KTALLY_WALK_OPENING ? IN_CGROUPS : 1;
	}
	if (w->cursor == IN_CGROUPS) {
		if (!kt_cgroup_walk(s, st->text, st->bytes))
			return 0;
		w->cursor = 1;
	}
	if (w->cursor != AT_END) {
		w->cursor = walk_processes(s, st, w->cursor) ?: AT_END;
		s->walk_idle += w->idle;
	}
	if (w->cursor == AT_END && end(s, w))
		w->cursor = 0;
	return 0;
}

static bool is_known(const struct kt_walk *w)
{
	return w->purpose && w->purpose <= KTALLY_WALK_SNAPSHOT &&
	       (w->cursor == IN_CGROUPS || w->cursor == AT_END || w->cursor < AT_END);
}

/* A piece of a walk; the session's lock is held. */
int kt_walk(struct kt_session *s, struct kt_walk *w)
{
	struct step *st;
	int err;

	if (s->state != KT_RUNNING || !is_known(w))
		return -EINVAL;
	if (kt_channel_room(s->channel) < quarter(s))
		return -EAGAIN;
	st = kzalloc(sizeof(*st), GFP_KERNEL);
	if (!st)
		return -ENOMEM;
	st->walk = w;
	st->bytes = quarter(s);
	err = walk_on(s, st);
	kfree(st);
	return err;
}

/* A walk that will not go on gives back what it holds. */
void kt_walk_drop(struct kt_session *s)
{
	kt_cgroup_walk_drop(s);
}

/* For the session that begins at load: as much as fits, nobody drains it yet. */
void __init kt_walk_at_load(struct kt_session *s)
{
	struct kt_walk w = { .purpose = KTALLY_WALK_OPENING, .at_load = true };
	int err;

	mutex_lock(&s->lock);
	do {
		err = kt_walk(s, &w);
	} while (!err && w.cursor);
	mutex_unlock(&s->lock);
}
