// SPDX-License-Identifier: GPL-2.0-only
/*
 * select.c - selections (filter.h): made from what a reader asks for, marked over
 * the processes there are, kept up at forks and execs. Making, marking and freeing
 * run in process context and may sleep; what probes call takes no lock. A file may
 * hold one before any session counts it: its memory is charged to who asks.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/glob.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "sample.h"
#include "select.h"
#include "session.h"

#define WHO	(KTALLY_SELECT_PIDS | KTALLY_SELECT_NAMES)
#define NARROW	(KTALLY_SELECT_UIDS | KTALLY_SELECT_CGROUPS | KTALLY_SELECT_NETNS | \
		 KTALLY_SELECT_PIDNS)
#define KNOWN	(WHO | NARROW | KTALLY_SELECT_TREE | KTALLY_SELECT_EXITS | KTALLY_SELECT_MIN_LIFE)

#define NOT_EXITS	(BIT_ULL(KTALLY_FORK) | BIT_ULL(KTALLY_EXEC) | BIT_ULL(KTALLY_ARGS) | \
			 BIT_ULL(KTALLY_THREAD_EXIT) | BIT_ULL(KTALLY_TASK))

#define CLIMB_MAX	4096	/* ancestors looked at; of a longer line the rest is not */
#define PASSES_MAX	4	/* over all processes, until one marks nobody new */

/* --- whom it names --- */

/* A task may be given another name meanwhile, by plain stores; it ends with a NUL all along. */
static bool bears_name(const struct kt_select *sel, const char *name)
{
	u32 i;

	for (i = 0; i < sel->n_names; i++)
		if (data_race(glob_match(sel->names[i], name)))
			return true;
	return false;
}

static bool has_number(const u32 *list, u32 n, u32 number)
{
	while (n--)
		if (list[n] == number)
			return true;
	return false;
}

static bool is_named(const struct kt_select *sel, const struct task_struct *leader)
{
	return has_number(sel->pids, sel->n_pids, leader->tgid) || bears_name(sel, leader->comm);
}

/* One of those it comes from is marked: only bits are looked at, for that is under RCU. */
static bool comes_from_marked(const struct kt_select *sel, struct task_struct *leader)
{
	unsigned int climbed;
	bool found = false;

	rcu_read_lock();
	/* A released task's parent pointer leads nowhere; 0 and 1 have none. */
	for (climbed = 0; climbed < CLIMB_MAX && !found; climbed++) {
		if (leader->tgid <= 1 || !data_race(pid_alive(leader)))
			break;
		leader = rcu_dereference(leader->real_parent)->group_leader;
		found = test_bit(leader->tgid, sel->who);
	}
	rcu_read_unlock();
	return found;
}

static bool mark(struct kt_select *sel, struct task_struct *leader)
{
	if (test_bit(leader->tgid, sel->who))
		return false;
	if (!is_named(sel, leader) &&
	    !((sel->what & KTALLY_SELECT_TREE) && comes_from_marked(sel, leader)))
		return false;
	return !test_and_set_bit(leader->tgid, sel->who);
}

/*
 * Who comes from someone that is marked only later in the same pass, as where PIDs have
 * wrapped around, is found by the next one.
 */
void kt_select_mark(struct kt_select *sel)
{
	struct task_struct *p;
	unsigned int passes = 0;
	bool any;
	int nr;

	if (!sel || !sel->who)
		return;
	do {
		any = false;
		nr = 1;
		while (!fatal_signal_pending(current) && (p = kt_sample_next(&nr))) {
			any |= mark(sel, p);
			put_task_struct(p);
			cond_resched();
		}
	} while (any && ++passes < PASSES_MAX);
}

/* --- what narrows --- */

static bool in_cgroups(const struct kt_select *sel, struct task_struct *p)
{
	u32 i;

	for (i = 0; i < sel->n_cgroups; i++)
		if (kt_in_cgroup(p, sel->cgroups[i]))
			return true;
	return false;
}

static u32 pidns_of(struct task_struct *p)
{
	struct pid *pid = data_race(READ_ONCE(p->signal->pids[PIDTYPE_TGID]));

	return pid ? pid->numbers[pid->level].ns->ns.inum : 0;
}

/*
 * HOT. Does p pass now what narrows? Then it does until its end. p: current, a new
 * child, or one whose task_lock is held. NULL: it is gone and was never selected.
 */
bool kt_select_narrows(const struct kt_select *sel, struct task_struct *p)
{
	if (!p)
		return false;
	if ((sel->what & KTALLY_SELECT_UIDS) &&
	    !has_number(sel->uids, sel->n_uids, __kuid_val(__task_cred(p->group_leader)->uid)))
		return false;
	if ((sel->what & KTALLY_SELECT_NETNS) && kt_netns(p) != sel->netns)
		return false;
	if ((sel->what & KTALLY_SELECT_PIDNS) && pidns_of(p) != sel->pidns)
		return false;
	if ((sel->what & KTALLY_SELECT_CGROUPS) && !in_cgroups(sel, p->group_leader))
		return false;
	set_bit(p->tgid, sel->in);
	return true;
}

/* --- kept up --- */

static void put_bit(u32 nr, unsigned long *map, bool value)
{
	if (value)
		set_bit(nr, map);
	else
		clear_bit(nr, map);
}

/* The number may have been another's before: both bits are written. */
void kt_select_forked(const struct kt_set *set, struct task_struct *child)
{
	struct kt_select *sel;
	unsigned int i;

	for (i = 0; i < set->n; i++) {
		sel = rcu_dereference(set->session[i]->filter.select);
		if (!sel)
			continue;
		if (sel->who)
			put_bit(child->tgid, sel->who,
				((sel->what & KTALLY_SELECT_TREE) &&
				 test_bit(current->tgid, sel->who)) ||
				bears_name(sel, child->comm));
		if (sel->in)
			clear_bit(child->tgid, sel->in);
	}
}

void kt_select_execed(const struct kt_set *set, struct task_struct *p, const char *file)
{
	struct kt_select *sel;
	unsigned int i;

	for (i = 0; i < set->n; i++) {
		sel = rcu_dereference(set->session[i]->filter.select);
		if (!sel || !sel->n_names || test_bit(p->tgid, sel->who))
			continue;
		if (bears_name(sel, p->comm) || bears_name(sel, kbasename(file)))
			set_bit(p->tgid, sel->who);
	}
}

/* --- made --- */

void kt_select_free(struct kt_select *sel)
{
	if (!sel)
		return;
	kvfree(sel->who);
	kvfree(sel->in);
	kvfree(sel->pids);
	kvfree(sel->uids);
	kvfree(sel->cgroups);
	kvfree(sel->names);
	kfree(sel);
}

static unsigned long *new_map(void)
{
	return kvzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long), GFP_KERNEL_ACCOUNT);
}

static bool add_maps(struct kt_select *sel)
{
	if (sel->what & WHO)
		sel->who = new_map();
	if (sel->what & NARROW)
		sel->in = new_map();
	return (sel->who || !(sel->what & WHO)) && (sel->in || !(sel->what & NARROW));
}

static struct kt_select *new_select(u32 what)
{
	struct kt_select *sel = kzalloc(sizeof(*sel), GFP_KERNEL_ACCOUNT);

	if (!sel)
		return NULL;
	sel->what = what;
	if (what & KTALLY_SELECT_EXITS)
		sel->refused = NOT_EXITS;
	if (add_maps(sel))
		return sel;
	kt_select_free(sel);
	return NULL;
}

/* A list of n entries of `size` bytes; there is none unless its bit is set. */
static int take_list(void *list, u32 *count, u64 from, u32 n, size_t size, bool asked)
{
	void *copy;

	if (!asked)
		return n ? -EINVAL : 0;
	if (!n || n > KTALLY_SELECT_MAX)
		return -EINVAL;
	copy = kvmalloc(n * size, GFP_KERNEL_ACCOUNT);
	if (!copy)
		return -ENOMEM;
	*(void **)list = copy;
	*count = n;
	return copy_from_user(copy, u64_to_user_ptr(from), n * size) ? -EFAULT : 0;
}

static int take_lists(struct kt_select *sel, const struct ktally_select *a)
{
	return take_list(&sel->pids, &sel->n_pids, a->pids, a->n_pids, sizeof(*sel->pids),
			 a->what & KTALLY_SELECT_PIDS) ?:
	       take_list(&sel->names, &sel->n_names, a->names, a->n_names, KTALLY_NAME_MAX,
			 a->what & KTALLY_SELECT_NAMES) ?:
	       take_list(&sel->uids, &sel->n_uids, a->uids, a->n_uids, sizeof(*sel->uids),
			 a->what & KTALLY_SELECT_UIDS) ?:
	       take_list(&sel->cgroups, &sel->n_cgroups, a->cgroups, a->n_cgroups,
			 sizeof(*sel->cgroups), a->what & KTALLY_SELECT_CGROUPS);
}

/* Numbers of ns become the machine's own. */
static int look_up_pids(struct kt_select *sel, struct pid_namespace *ns)
{
	struct task_struct *p;
	int err = 0;
	u32 i;

	rcu_read_lock();
	for (i = 0; i < sel->n_pids && !err; i++) {
		p = pid_task(find_pid_ns(sel->pids[i], ns), PIDTYPE_TGID);
		if (p)
			sel->pids[i] = p->tgid;
		else
			err = -ESRCH;
	}
	rcu_read_unlock();
	return err;
}

static int check_names(const struct kt_select *sel)
{
	u32 i;

	for (i = 0; i < sel->n_names; i++)
		if (!sel->names[i][0] || !memchr(sel->names[i], 0, KTALLY_NAME_MAX))
			return -EINVAL;
	return 0;
}

static bool makes_sense(const struct ktally_select *a)
{
	if (a->what & ~KNOWN)
		return false;
	if ((a->what & KTALLY_SELECT_TREE) && !(a->what & WHO))
		return false;
	return !(a->what & KTALLY_SELECT_MIN_LIFE) || (a->what & KTALLY_SELECT_EXITS);
}

struct kt_select *kt_select_asked(const struct ktally_select *a, struct pid_namespace *ns)
{
	struct kt_select *sel;
	int err;

	if (!makes_sense(a))
		return ERR_PTR(-EINVAL);
	if (!a->what)
		return NULL;
	sel = new_select(a->what);
	if (!sel)
		return ERR_PTR(-ENOMEM);
	sel->min_life = a->what & KTALLY_SELECT_MIN_LIFE ? a->min_life : 0;
	sel->netns = a->netns;
	sel->pidns = a->pidns;
	err = take_lists(sel, a) ?: check_names(sel) ?: look_up_pids(sel, ns);
	if (!err)
		return sel;
	kt_select_free(sel);
	return ERR_PTR(err);
}

/* START's own filter: one user, one cgroup, namespaces. */
struct kt_select *kt_select_started(const struct ktally_start *how)
{
	const u32 what = (how->filter & KTALLY_FILTER_UID ? KTALLY_SELECT_UIDS : 0) |
			 (how->filter & KTALLY_FILTER_CGROUP ? KTALLY_SELECT_CGROUPS : 0) |
			 (how->filter & KTALLY_FILTER_PIDNS ? KTALLY_SELECT_PIDNS : 0) |
			 (how->filter & KTALLY_FILTER_NETNS ? KTALLY_SELECT_NETNS : 0);
	struct kt_select *sel;

	if (!what)
		return NULL;
	sel = new_select(what);
	if (!sel)
		return ERR_PTR(-ENOMEM);
	sel->netns = how->netns;
	sel->pidns = how->pidns;
	sel->uids = kvmalloc(sizeof(*sel->uids), GFP_KERNEL);
	sel->cgroups = kvmalloc(sizeof(*sel->cgroups), GFP_KERNEL);
	if (!sel->uids || !sel->cgroups) {
		kt_select_free(sel);
		return ERR_PTR(-ENOMEM);
	}
	sel->uids[0] = how->uid;
	sel->cgroups[0] = how->cgroup;
	sel->n_uids = !!(what & KTALLY_SELECT_UIDS);
	sel->n_cgroups = !!(what & KTALLY_SELECT_CGROUPS);
	return sel;
}

/* NULL: everything again. */
void kt_select_record(const struct kt_select *sel, struct ktally_selection *to)
{
	*to = (struct ktally_selection){};
	if (!sel)
		return;
	to->what = sel->what;
	to->n_pids = sel->n_pids;
	to->n_names = sel->n_names;
	to->n_uids = sel->n_uids;
	to->n_cgroups = sel->n_cgroups;
	to->min_life = sel->min_life;
	to->netns = sel->netns;
	to->pidns = sel->pidns;
}
