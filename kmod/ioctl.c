// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl.c - the ioctls of /dev/ktally that ask and are answered: walks, counters,
 * state, totals, and marks. Process context; takes arguments by their size field,
 * refuses what it does not know.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "dump.h"
#include "ends.h"
#include "ioctl.h"
#include "main.h"
#include "net.h"
#include "task.h"
#include "totals.h"

/* --- arguments that know their size --- */

int kt_take(void *to, size_t size, void __user *from)
{
	u32 theirs;

	if (get_user(theirs, (u32 __user *)from))
		return -EFAULT;
	if (theirs < size)
		return -EINVAL;
	return theirs > PAGE_SIZE ? -E2BIG : copy_struct_from_user(to, size, from, theirs);
}

int kt_give(void __user *to, const void *from, size_t size)
{
	return copy_to_user(to, from, size) ? -EFAULT : 0;
}

/* --- walks --- */

long kt_ioctl_walk(struct kt_session *s, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct ktally_walk a;
	struct kt_walk w = {};
	long err = kt_take(&a, sizeof(a), user);

	if (err)
		return err;
	w.purpose = a.purpose;
	w.cursor = a.cursor;
	if (mutex_lock_interruptible(&s->lock))
		return -ERESTARTSYS;
	err = a.ran_since ? -EINVAL : kt_walk(s, &w);
	a.walk = s->walk;
	mutex_unlock(&s->lock);
	a.cursor = w.cursor;
	a.written = w.written;
	a.lost = w.lost;
	return err ?: kt_give(user, &a, sizeof(a));
}

static int by_number(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* The list of a snapshot, in order; NULL: none was asked for. */
static u32 *take_pids(const struct ktally_snapshot *a)
{
	u32 *pids;

	if (!(a->flags & KTALLY_SNAPSHOT_PIDS))
		return NULL;
	if (!a->n_pids || a->n_pids > KTALLY_SELECT_MAX)
		return ERR_PTR(-EINVAL);
	pids = memdup_user(u64_to_user_ptr(a->pids), a->n_pids * sizeof(*pids));
	if (!IS_ERR(pids))
		sort(pids, a->n_pids, sizeof(*pids), by_number, NULL);
	return pids;
}

static long snapshot(struct kt_session *s, struct ktally_snapshot *a)
{
	u32 *pids = take_pids(a);
	struct kt_walk w = {
		.purpose = KTALLY_WALK_SNAPSHOT, .flags = a->flags, .cursor = a->cursor,
		.pids = pids, .n_pids = pids ? a->n_pids : 0,
	};
	long err;

	if (IS_ERR(pids))
		return PTR_ERR(pids);
	mutex_lock(&s->lock);
	err = kt_walk(s, &w);
	a->walk = s->walk;
	mutex_unlock(&s->lock);
	kfree(pids);
	a->cursor = w.cursor;
	a->written = w.written;
	a->idle = w.idle;
	return err;
}

long kt_ioctl_snapshot(struct kt_session *s, unsigned long arg)
{
	const u32 flags = KTALLY_SNAPSHOT_RAN | KTALLY_SNAPSHOT_PIDS | KTALLY_SNAPSHOT_NO_ARGV |
			  KTALLY_SNAPSHOT_NO_DEVICES;
	void __user *user = (void __user *)arg;
	struct ktally_snapshot a;
	long err = kt_take(&a, sizeof(a), user);

	if (err)
		return err;
	if (a.flags & ~flags || a.pad)
		return -EINVAL;
	return snapshot(s, &a) ?: kt_give(user, &a, sizeof(a));
}

/* --- what there is --- */

long kt_ioctl_counts(struct kt_session *s, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct ktally_counts *c = kzalloc(sizeof(*c), GFP_KERNEL);
	long err;

	if (!c)
		return -ENOMEM;
	err = kt_take(c, sizeof(*c), user);
	if (!err) {
		memset(c, 0, sizeof(*c));
		c->size = sizeof(*c);
		kt_channel_counts(s->channel, c);
		WRITE_ONCE(s->cpus_told, c->cpus);
		err = kt_give(user, c, sizeof(*c));
	}
	kfree(c);
	return err;
}

static void emit_mark(const char *text, u32 len)
{
	struct ktally_mark m = {};
	struct kt_record r = KT_RECORD(KTALLY_MARK, &m);
	const struct kt_who who = { .task = current, .machine = true };

	r.strings = 1;
	r.string[0] = (struct kt_bytes){
		.from = text, .len = len, .at = offsetof(struct ktally_mark, text), .text = 1,
	};
	rcu_read_lock();
	kt_task_life(current, KT_LIFE(&m));
	rcu_read_unlock();
	kt_emit_to_all(&r, &who);
}

long kt_ioctl_mark(const struct kt_opener *opener, unsigned long arg)
{
	char text[KTALLY_MARK_MAX];
	struct ktally_mark_arg a;
	long err = kt_take(&a, sizeof(a), (void __user *)arg);

	if (err)
		return err;
	if (!a.len || a.len > KTALLY_MARK_MAX)
		return -EINVAL;
	if (copy_from_user(text, u64_to_user_ptr(a.text), a.len))
		return -EFAULT;
	emit_mark(text, strnlen(text, a.len));
	return 0;
}

static void fill_status(struct ktally_status *st, const struct kt_opener *asks)
{
	*st = (struct ktally_status){
		.size = sizeof(*st),
		.api = KTALLY_API_VERSION,
		.load_id = kt_load_id,
		.kp_missed = kt_ends_missed(),
		.features = READ_ONCE(kt_features),
		.disarmed = kt_disarmed(),
		.buffer_kb = kt_buffer_kb,
		.arg_bytes = kt_arg_bytes,
		.argv = kt_argv,
		.version = KTALLY_VERSION,
	};
	/* The machine's, as the totals. */
	if (asks->pidns == &init_pid_ns)
		kt_ends_hits(&st->kp_hits, &st->tp_hits);
}

long kt_ioctl_status(const struct kt_opener *opener, unsigned long arg)
{
	struct {
		struct ktally_status status;
		struct ktally_counts scratch;
	} *b = kzalloc(sizeof(*b), GFP_KERNEL);
	void __user *user = (void __user *)arg;
	long err;

	if (!b)
		return -ENOMEM;
	err = kt_take(&b->status, sizeof(b->status), user);
	if (!err) {
		fill_status(&b->status, opener);
		kt_sessions_status(opener, b->status.sessions, &b->scratch);
		err = kt_give(user, &b->status, sizeof(b->status));
	}
	kfree(b);
	return err;
}

static void read_work(struct ktally_work *w)
{
	u64 kprobe;

	memset(w, 0, sizeof(*w));
	w->size = sizeof(*w);
	w->until = ktime_get_boottime_ns();
	kt_sessions_attempts(w->attempts);
	kt_ends_hits(&kprobe, &w->ends);
	kt_net_calls(&w->received, &w->sent);
}

/* The machine's, as the totals. */
long kt_ioctl_work(const struct kt_opener *opener, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct ktally_work w;
	long err = kt_take(&w, sizeof(w), user);

	if (err)
		return err;
	if (opener->pidns != &init_pid_ns)
		return -EPERM;
	if (w.pad)
		return -EINVAL;
	read_work(&w);
	return kt_give(user, &w, sizeof(w));
}

/* --- totals --- */

/* As many rows as the caller's struct knows fields of; later ones of ours it lacks. */
static long give_rows(const struct ktally_totals *t, const struct ktally_totals_row *rows)
{
	char __user *to = u64_to_user_ptr(t->rows);
	u32 i;

	for (i = 0; i < t->n; i++, to += t->row_size) {
		if (copy_to_user(to, &rows[i], sizeof(rows[i])) ||
		    clear_user(to + sizeof(rows[i]), t->row_size - sizeof(rows[i])))
			return -EFAULT;
	}
	return 0;
}

static long read_totals(struct ktally_totals *t)
{
	struct ktally_totals_row *rows;
	long err;

	t->n = 0;
	t->ends = 0;
	t->others = 0;
	t->alive = 0;
	t->rows_max = kt_totals_rows_max();
	if (t->room < t->rows_max)
		return -ENOSPC;
	err = kt_totals_read(t, &rows);
	if (err)
		return err;
	err = give_rows(t, rows);
	kvfree(rows);
	return err;
}

/* They are the machine's: not for who sees a PID namespace only. */
long kt_ioctl_totals(const struct kt_opener *opener, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct ktally_totals t;
	long err = kt_take(&t, sizeof(t), user);

	if (err)
		return err;
	if (opener->pidns != &init_pid_ns)
		return -EPERM;
	if (!kt_totals_on())
		return -EOPNOTSUPP;
	if (t.row_size < sizeof(struct ktally_totals_row) || t.row_size > PAGE_SIZE || t.pad)
		return -EINVAL;
	err = read_totals(&t);
	return kt_give(user, &t, sizeof(t)) ?: err;
}

long kt_ioctl_totals_reset(const struct kt_opener *opener, unsigned long arg)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return kt_totals_on() ? kt_totals_reset() : -EOPNOTSUPP;
}
