// SPDX-License-Identifier: GPL-2.0-only
/*
 * dump.c - the paced walk over living processes: what was there when a session
 * began, what is there when it ends. A cursor over PID numbers, a piece per call,
 * so that the reader can drain in between and live events keep their room.
 *
 * No process is missed: one alive at the start keeps its number until it ends,
 * and then its exit record is there. Process context, may sleep.
 */
#include <linux/idr.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "cgroup.h"
#include "compat.h"
#include "dump.h"
#include "main.h"
#include "net.h"
#include "task.h"

#define RECORDS_MAX	1024		/* per call */
#define PIDS_PER_SECTION 64		/* looked at in one RCU section */
#define IN_CGROUPS	BIT(31)		/* cursor: not yet at the processes */

/* What one call works with. */
struct step {
	struct ktally_task task;
	char text[KT_CGROUP_PATH];	/* argv or a path */
	size_t bytes;			/* left for this call */
	unsigned int records;
	u32 written;
	u32 lost;
};

static_assert(KT_CGROUP_PATH >= KTALLY_ARGV_INLINE);

static size_t quarter(const struct kt_session *s)
{
	const struct kt_channel_shape *shape = kt_channel_shape(s->channel);

	return (size_t)shape->subbuf_size * shape->subbufs / 4;
}

/*
 * Looks at the next few PIDs; a process is returned held. *nr: where to go on;
 * *more: false when there are no higher numbers.
 */
static struct task_struct *next_process(int *nr, bool *more)
{
	struct task_struct *p = NULL;
	unsigned int looked;
	struct pid *pid;

	rcu_read_lock();
	for (looked = 0; looked < PIDS_PER_SECTION && !p; looked++, (*nr)++) {
		pid = idr_get_next(&init_pid_ns.idr, nr);
		if (!pid) {
			*more = false;
			break;
		}
		p = pid_task(pid, PIDTYPE_TGID);
		if (p)
			get_task_struct(p);
	}
	rcu_read_unlock();
	return p;
}

static void add_argv(struct kt_session *s, struct step *st, struct task_struct *p,
		     struct kt_record *r)
{
	struct ktally_task *t = &st->task;
	u32 len = min_t(u32, t->argv_len, KTALLY_ARGV_INLINE), n = 0;

	if (!kt_argv || !kt_shows_argv(s, t->uid))
		t->flags |= t->argv_len ? KTALLY_TASK_ARGV_HIDDEN : 0;
	else if (len)
		n = kt_task_argv(p, st->text, len);
	if (n < t->argv_len && !(t->flags & KTALLY_TASK_ARGV_HIDDEN))
		t->flags |= KTALLY_TASK_ARGV_CUT;
	r->strings = 1;
	r->string[0] = (struct kt_bytes){
		.from = st->text, .len = n, .at = offsetof(struct ktally_task, argv),
	};
}

static void write_task(struct kt_session *s, struct step *st, struct task_struct *p)
{
	struct kt_record r = KT_RECORD(KTALLY_TASK, &st->task);
	const struct kt_who who = { .task = p, .owner = KT_OWNER(&st->task) };
	bool wanted;

	if (!kt_task_sample(p, &st->task))
		return;
	kt_net_task(p, KT_NET(&st->task));
	st->task.known |= kt_net_known();
	st->task.upper |= kt_net_upper();
	st->task.walk = s->walk;
	rcu_read_lock();
	wanted = kt_wants(s, KTALLY_TASK, &who);
	rcu_read_unlock();
	if (!wanted)
		return;
	add_argv(s, st, p, &r);
	s->walk_tasks++;
	st->records++;
	st->bytes -= min_t(size_t, st->bytes, kt_record_len(&r));
	if (kt_channel_write(s->channel, &r)) {
		st->written++;
	} else {
		st->lost++;
		s->walk_lost++;
	}
}

/* From PID `cursor` on; returns where to go on, 0 when done. */
static u32 walk_processes(struct kt_session *s, struct step *st, u32 cursor)
{
	int nr = cursor;
	bool more = true;

	while (more) {
		struct task_struct *p = next_process(&nr, &more);

		if (p) {
			write_task(s, st, p);
			put_task_struct(p);
		}
		if (more && (!st->bytes || st->records >= RECORDS_MAX))
			return nr;
		if (signal_pending(current) && more)
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
	const struct kt_who machine = {};

	if (kt_wants(s, KTALLY_DEVICE, &machine))
		kt_net_walk(write_device, s);
}

static void begin(struct kt_session *s, u32 purpose)
{
	struct ktally_walk_begin b = { .walk = ++s->walk, .purpose = purpose };
	const struct kt_record r = KT_RECORD(KTALLY_WALK_BEGIN, &b);

	s->walk_tasks = 0;
	s->walk_lost = 0;
	kt_walk_drop(s);
	if (purpose == KTALLY_WALK_OPENING) {
		/* From here on every CPU has the probes and sees this session. */
		kt_in_order();
		synchronize_rcu();
	}
	kt_channel_write(s->channel, &r);
	write_devices(s);
}

static void end(struct kt_session *s, u32 purpose)
{
	struct ktally_walk_end e = {
		.walk = s->walk, .purpose = purpose, .tasks = s->walk_tasks, .lost = s->walk_lost,
	};
	const struct kt_record r = KT_RECORD(KTALLY_WALK_END, &e);

	kt_channel_write(s->channel, &r);
}

static void walk_on(struct kt_session *s, struct ktally_walk *w, struct step *st)
{
	u32 cursor = w->cursor;

	if (!cursor) {
		begin(s, w->purpose);
		cursor = w->purpose == KTALLY_WALK_OPENING ? IN_CGROUPS : 1;
	}
	if (cursor == IN_CGROUPS) {
		w->cursor = IN_CGROUPS;
		if (!kt_cgroup_walk(s, st->text, st->bytes))
			return;
		cursor = 1;
	}
	w->cursor = walk_processes(s, st, cursor);
	if (!w->cursor)
		end(s, w->purpose);
}

/* A piece of a walk; the session's lock is held. */
int kt_walk(struct kt_session *s, struct ktally_walk *w)
{
	struct step *st;

	if (s->state != KT_RUNNING || !w->purpose || w->purpose > KTALLY_WALK_SNAPSHOT ||
	    w->ran_since || (w->cursor != IN_CGROUPS && w->cursor > INT_MAX))
		return -EINVAL;
	if (kt_channel_room(s->channel) < quarter(s))
		return -EAGAIN;
	st = kzalloc(sizeof(*st), GFP_KERNEL);
	if (!st)
		return -ENOMEM;
	st->bytes = quarter(s);
	walk_on(s, w, st);
	w->walk = s->walk;
	w->written = st->written;
	w->lost = st->lost;
	kfree(st);
	return 0;
}

/* A walk that will not go on gives back what it holds. */
void kt_walk_drop(struct kt_session *s)
{
	kt_cgroup_walk_drop(s);
}

/* For the session that begins at load: as much as fits, nobody drains it yet. */
void kt_walk_at_load(struct kt_session *s)
{
	struct ktally_walk w = { .purpose = KTALLY_WALK_OPENING };
	int err;

	mutex_lock(&s->lock);
	do {
		err = kt_walk(s, &w);
	} while (!err && w.cursor);
	mutex_unlock(&s->lock);
}
