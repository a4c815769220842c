// SPDX-License-Identifier: GPL-2.0-only
/*
 * totals.c - what all processes cost since load or the last reset, by program, user
 * and cgroup. Fed at every end, HOT, whether anybody records or not; read together
 * with what lives, each process in exactly one of the two. Sessions and their
 * losses do not matter here.
 *
 * What a process used before load is subtracted: the only list of processes is the
 * one made then, and it never grows.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "ends.h"
#include "net.h"
#include "older.h"
#include "sample.h"
#include "session.h"
#include "task.h"
#include "totals.h"

#define NAPS	20	/* of a millisecond at most, per reading */
#define GONE	64	/* removed cgroups whose late bytes still find their heir */

unsigned int kt_totals_rows = 1024;

/* A beginning: load or reset. Replaced as a whole, read under RCU. */
struct epoch {
	u64 since;
	struct kt_sums *sums;
	struct kt_older older;
};

/*
 * While a read goes on: a bit per PID, set by whoever takes that process first, the
 * reader as living or its end as ended. Ends of those that the reader took wait in
 * `after`, so that nobody is in both.
 */
struct reading {
	unsigned long *taken;
	struct kt_sums *after;
};

static struct epoch __rcu *epoch;
static struct reading __rcu *reading;
static DEFINE_MUTEX(totals_lock);	/* reads, resets, folding: one at a time */
static atomic64_t twice, folded;

/* Removed cgroups, newest last; written under the kernel's lock of cgroup paths. */
static struct {
	u64 id, heir;
} gone[GONE];
static unsigned int gone_at;

static void fold(struct work_struct *work);
static DECLARE_WORK(fold_work, fold);

/* --- keys --- */

static void make_key(struct kt_key *key, const struct kt_owner *o, bool kthread)
{
	char *slash;

	memcpy(key->program, o->comm, sizeof(key->program));
	key->cgroup = o->cgroup;
	key->uid = o->uid;
	key->set = 1;
	/* "kworker/0:1": one row for all of them. */
	slash = kthread ? memchr(key->program, '/', sizeof(key->program)) : NULL;
	if (slash)
		memset(slash, 0, key->program + sizeof(key->program) - slash);
}

void kt_totals_key(struct task_struct *leader, struct kt_key *key)
{
	struct kt_owner o;

	kt_task_owner(leader, &o);
	make_key(key, &o, leader->flags & PF_KTHREAD);
}

/* --- ends --- */

static void subtract(const struct epoch *e, u64 *use, u32 tgid, u64 start)
{
	if (start < e->since)
		kt_older_subtract(&e->older, use, tgid, start);
}

static struct kt_sums *sums_for(const struct epoch *e, u32 tgid)
{
	struct reading *r = rcu_dereference(reading);

	if (unlikely(r) && test_and_set_bit(tgid, r->taken))
		return r->after;
	return e->sums;
}

static void add_net(struct kt_ended *to, const struct ktally_exit *end)
{
	const u64 *class[] = { end->net_phys, end->net_loop, end->net_virt };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(class); i++) {
		if (class[i][KTALLY_N_RX_WIRE])
			atomic64_add(class[i][KTALLY_N_RX_WIRE], &to->net[2 * i]);
		if (class[i][KTALLY_N_TX_WIRE])
			atomic64_add(class[i][KTALLY_N_TX_WIRE], &to->net[2 * i + 1]);
	}
}

/* Whether they want a record, and get it or lose it, does not matter here. */
static void tell_sessions(const struct kt_set *set, const struct ktally_exit *end, bool moved)
{
	unsigned int i;

	for (i = 0; i < set->n; i++) {
		struct kt_ended *to = &set->session[i]->ended;

		atomic64_inc(&to->processes);
		atomic64_add(end->runtime, &to->runtime);
		if (moved)
			add_net(to, end);
	}
}

void kt_totals_ended(const struct kt_set *set, const struct ktally_exit *end,
		     const struct kt_net *net)
{
	const struct epoch *e = rcu_dereference(epoch);
	struct kt_share share = {
		.peak_rss = end->known & BIT_ULL(KTALLY_U_PEAK_RSS) ? end->peak_rss : 0,
		.failed = end->status, .net = net,
	};
	struct kt_key key;

	if (!e)
		return;
	if (set)
		tell_sessions(set, end, net);
	if (end->flags & KTALLY_EXIT_MAYBE_DUP) {
		atomic64_inc(&twice);
		return;
	}
	share.life = ktime_get_boottime_ns() - end->start;
	kt_older_use(share.use, KT_USAGE(end));
	subtract(e, share.use, end->tgid, end->start);
	make_key(&key, KT_OWNER(end), end->flags & KTALLY_EXIT_KTHREAD);
	kt_sum_add(kt_sums_of(sums_for(e, end->tgid), &key), &share);
}

/* id's heir, if it is at this place: another may be written there. 0: it is not. */
static u64 heir_at(unsigned int i, u64 id)
{
	u64 heir;

	if (READ_ONCE(gone[i].id) != id)
		return 0;
	smp_rmb();	/* partner: the second smp_wmb() in note_gone() */
	heir = READ_ONCE(gone[i].heir);
	smp_rmb();	/* partner: the first */
	return READ_ONCE(gone[i].id) == id ? heir : 0;
}

static u64 living_cgroup(u64 id)
{
	unsigned int i, hops;
	u64 heir;

	for (hops = 0; id && hops < GONE; hops++) {
		for (i = 0, heir = 0; i < GONE && !heir; i++)
			heir = heir_at(i, id);
		if (!heir)
			break;
		id = heir;
	}
	return id;
}

/* A worker of the network tables, one at a time. */
void kt_totals_late(const struct kt_key *key, const struct kt_net *net)
{
	struct kt_key to = *key;
	const struct epoch *e;

	to.cgroup = living_cgroup(key->cgroup);
	rcu_read_lock();
	e = rcu_dereference(epoch);
	if (e)
		kt_sum_add_net(to.set ? kt_sums_of(e->sums, &to) : &e->sums->row[e->sums->n], net);
	rcu_read_unlock();
}

/* --- removed cgroups --- */

static void note_gone(u64 id, u64 parent)
{
	unsigned int at = gone_at++ % GONE;

	WRITE_ONCE(gone[at].id, 0);
	/* Nobody's before it has another heir, and that before whose it is; partner: heir_at(). */
	smp_wmb();
	WRITE_ONCE(gone[at].heir, parent);
	smp_wmb();
	WRITE_ONCE(gone[at].id, id);
}

/*
 * Its processes have ended, and their ends were counted before it could go. Under the
 * kernel's lock of cgroup paths, interrupts off.
 */
void kt_totals_cgroup_gone(u64 id, u64 parent)
{
	const struct epoch *e;
	bool any;

	note_gone(id, parent);
	rcu_read_lock();
	e = rcu_dereference(epoch);
	any = e && kt_sums_bequeath(e->sums, id, parent);
	rcu_read_unlock();
	if (any)
		schedule_work(&fold_work);
}

static struct kt_sums *own_sums(void)
{
	return rcu_dereference_protected(epoch, lockdep_is_held(&totals_lock))->sums;
}

/* Rows of removed cgroups become free; until then readers see them as the heir's. */
static void fold(struct work_struct *work)
{
	struct kt_sums *t;
	struct kt_key key;
	u32 i;

	mutex_lock(&totals_lock);
	t = own_sums();
	for (i = 0; i < t->n; i++)
		/* Partner: smp_store_release() in kt_sums_bequeath(). */
		if (smp_load_acquire(&t->row[i].gone))
			atomic64_set(&t->row[i].hash, KT_SUM_LEAVING);
	/* Whoever found such a row by its key has added to it. */
	synchronize_rcu();
	for (i = 0; i < t->n; i++) {
		struct kt_sum *s = &t->row[i];

		if (atomic64_read(&s->hash) != KT_SUM_LEAVING)
			continue;
		key = s->key;
		key.cgroup = READ_ONCE(t->cgroup[i]);
		kt_sum_move(s, t, &key);
		kt_sum_clear(t, s);
		atomic64_inc(&folded);
	}
	mutex_unlock(&totals_lock);
}

/* --- the living --- */

struct scratch {
	struct reading reading;
	struct kt_sums *alive;
	struct ktally_task task;
	unsigned int naps;	/* left, for those who are about to pass the hook */
};

/* Its last thread is past its end: it is counted, or will be at once. */
static void await_end(struct scratch *s, const struct task_struct *p)
{
	while (s->naps && !data_race(READ_ONCE(p->exit_state)) && !test_bit(p->tgid, s->reading.taken)) {
		s->naps--;
		usleep_range(500, 1000);
	}
}

/*
 * Read first, taken then: whoever ended in between was counted by its end. An end takes
 * the account's bytes before it is counted: then it is waited for, too.
 */
static void add_living(const struct epoch *e, struct scratch *s, struct task_struct *p)
{
	struct ktally_task *t = &s->task;
	struct kt_share share = {};
	struct kt_net net;
	struct kt_key key;

	if (!kt_sample(p, t))
		return;
	if (!kt_net_since(p, &net))
		return await_end(s, p);
	if (test_and_set_bit(p->tgid, s->reading.taken))
		return;
	kt_older_use(share.use, KT_USAGE(t));
	subtract(e, share.use, t->tgid, t->start);
	share.life = t->sampled - t->start;
	share.peak_rss = t->peak_rss;
	share.rss = t->rss;
	share.net = &net;
	make_key(&key, KT_OWNER(t), t->flags & KTALLY_TASK_KTHREAD);
	kt_sum_add(kt_sums_of(s->alive, &key), &share);
}

static void walk_living(const struct epoch *e, struct scratch *s)
{
	struct task_struct *p;
	int nr = 1;

	while ((p = kt_sample_next(&nr))) {
		if (atomic_read(&p->signal->live))
			add_living(e, s, p);
		else
			await_end(s, p);
		put_task_struct(p);
		cond_resched();
	}
}

/* --- reading --- */

u32 kt_totals_rows_max(void)
{
	return 2 * (kt_totals_rows + 1);
}

static void put_rows(struct kt_sums *t, u32 flags, struct ktally_totals *out,
		     struct ktally_totals_row *rows)
{
	u32 i;

	for (i = 0; i <= t->n; i++) {
		struct ktally_totals_row *row = &rows[out->n];

		if (!kt_sum_read(t, &t->row[i], row))
			continue;
		row->flags = flags;
		if (kt_sum_is_other(t, &t->row[i])) {
			row->flags |= KTALLY_TOTALS_OTHER;
			out->others += flags ? 0 : row->processes;
		}
		if (flags)
			out->alive += row->processes;
		else
			out->ends += row->processes;
		out->n++;
	}
}

/* Ends that waited are ends like others. */
static void merge(struct kt_sums *from, struct kt_sums *to)
{
	u32 i;

	for (i = 0; i <= from->n; i++)
		if (atomic64_read(&from->row[i].v[KT_SUM(processes)]))
			kt_sum_move(&from->row[i], to, &from->row[i].key);
}

static void free_scratch(struct scratch *s)
{
	if (!s)
		return;
	vfree(s->reading.taken);
	kt_sums_free(s->reading.after);
	kt_sums_free(s->alive);
	kfree(s);
}

static struct scratch *new_scratch(void)
{
	struct scratch *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	s->reading.taken = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
	s->reading.after = kt_sums_new(kt_totals_rows);
	s->alive = kt_sums_new(kt_totals_rows);
	s->naps = NAPS;
	if (s->reading.taken && s->reading.after && s->alive)
		return s;
	free_scratch(s);
	return NULL;
}

static void read_locked(struct scratch *s, struct ktally_totals *t, struct ktally_totals_row *rows)
{
	struct epoch *e = rcu_dereference_protected(epoch, lockdep_is_held(&totals_lock));

	rcu_assign_pointer(reading, &s->reading);
	/* From here on every end looks at the bits. */
	synchronize_rcu();
	walk_living(e, s);
	t->since = e->since;
	t->until = ktime_get_boottime_ns();
	put_rows(e->sums, 0, t, rows);
	RCU_INIT_POINTER(reading, NULL);
	synchronize_rcu();
	put_rows(s->alive, KTALLY_TOTALS_ALIVE, t, rows);
	merge(s->reading.after, e->sums);
}

/* The rows are the caller's, and charged to it; of the tables there are one reading's at a time. */
int kt_totals_read(struct ktally_totals *t, struct ktally_totals_row **rows)
{
	struct scratch *s;

	*rows = kvcalloc(kt_totals_rows_max(), sizeof(**rows), GFP_KERNEL_ACCOUNT);
	if (!*rows)
		return -ENOMEM;
	mutex_lock(&totals_lock);
	s = new_scratch();
	if (s)
		read_locked(s, t, *rows);
	free_scratch(s);
	mutex_unlock(&totals_lock);
	if (!s) {
		kvfree(*rows);
		return -ENOMEM;
	}
	t->known = kt_task_known() | kt_net_known();
	t->folded = atomic64_read(&folded);
	t->twice = atomic64_read(&twice);
	t->kp_missed = kt_ends_missed();
	return 0;
}

/* --- beginnings --- */

static void free_epoch(struct epoch *e)
{
	if (!e)
		return;
	kt_sums_free(e->sums);
	kt_older_free(&e->older);
	kfree(e);
}

static struct epoch *new_epoch(void)
{
	struct epoch *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (!e)
		return NULL;
	e->since = ktime_get_boottime_ns();
	e->sums = kt_sums_new(kt_totals_rows);
	if (e->sums && !kt_older_list(&e->older, e->since))
		return e;
	free_epoch(e);
	return NULL;
}

int kt_totals_reset(void)
{
	struct epoch *new, *old;

	mutex_lock(&totals_lock);
	new = new_epoch();
	if (!new) {
		mutex_unlock(&totals_lock);
		return -ENOMEM;
	}
	old = rcu_dereference_protected(epoch, lockdep_is_held(&totals_lock));
	kt_net_begin_anew();
	rcu_assign_pointer(epoch, new);
	synchronize_rcu();
	atomic64_set(&twice, 0);
	atomic64_set(&folded, 0);
	free_epoch(old);
	mutex_unlock(&totals_lock);
	return 0;
}

/* Before any end is seen. */
int __init kt_totals_open(void)
{
	struct epoch *e;

	if (!kt_totals_rows)
		return 0;
	e = new_epoch();
	if (!e)
		return -ENOMEM;
	rcu_assign_pointer(epoch, e);
	return 0;
}

/* After the probes are detached. */
void kt_totals_close(void)
{
	cancel_work_sync(&fold_work);
	free_epoch(rcu_dereference_protected(epoch, true));
	RCU_INIT_POINTER(epoch, NULL);
}
