// SPDX-License-Identifier: GPL-2.0-only
/*
 * ends.c - HOT: decides for every task that ends whether it ends its process,
 * exactly one does. By the argument of sched_process_exit where the kernel has
 * it (6.16 on); else by a kprobe on taskstats_exit(), which gets the same
 * argument while the memory is still there; else, or when kprobes were disarmed
 * behind our back, by one claim per dying process in a table of words.
 *
 * Probes run in the ending task's context. Writes no record itself.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "ends.h"
#include "events.h"
#include "main.h"
#include "timing.h"

#define SLOT_BITS	12
#define SLOTS		BIT(SLOT_BITS)
#define TOLD_BITS	10
#define TOLD		BIT(TOLD_BITS)
#define LOOK_TICKS	(HZ / 10)
#define MAYBE_TICKS	(10 * HZ)	/* after a change of hooks both may have seen an end */

enum hook { BY_ARGUMENT, BY_KPROBE, BY_SLOTS };

static enum hook hook;			/* changes once at most, from kprobe to slots */
static unsigned long changed;		/* jiffies of that change, 0 before */

/*
 * Every ending task passes first the kprobe, then the tracepoint. It is told of at one
 * of them, or was missed: by the kprobe, that is.
 */
struct hits {
	unsigned long kprobe;		/* told of there */
	unsigned long slots;		/* told of at the tracepoint */
	unsigned long tracepoint;
};

static DEFINE_PER_CPU(struct hits, hits);

static void look_at_hits(struct work_struct *work);
static DECLARE_WORK(look_work, look_at_hits);
static unsigned long next_look;		/* jiffies */

/* --- who was told of already --- */

/*
 * When the kprobe gives way to the claims, some tasks are between the two hooks,
 * for long in a core dump: what the kprobe told of them is not told again. A
 * word per task, the newest stays; the kprobe is silent by then.
 */
static unsigned long *told;

static unsigned long task_key(const struct task_struct *p)
{
	return ((unsigned long)p ^ (unsigned long)p->start_boottime) | 1;
}

static unsigned long *told_of(unsigned long key)
{
	return &told[hash_long(key, TOLD_BITS)];
}

static void tell_by_kprobe(struct task_struct *p, bool group_dead)
{
	unsigned long key = task_key(p);

	WRITE_ONCE(*told_of(key), key);
	kt_event_end(p, group_dead, 0);
}

static bool is_told(const struct task_struct *p)
{
	unsigned long key = task_key(p);

	return changed && READ_ONCE(*told_of(key)) == key;
}

/* --- the claims --- */

/* A word per dying process: 0 or its key. Claimed by cmpxchg, cleared at release. */
static unsigned long *slots;
static unsigned long secret;

enum claim { CLAIMED, CLAIMED_BEFORE, COLLIDED };

static unsigned long key_of(const struct task_struct *p)
{
	u64 start = p->group_leader->start_boottime;
	unsigned long sig = (unsigned long)p->signal;

	return (hash_long(sig ^ secret, BITS_PER_LONG) ^ (unsigned long)hash_64(start, 32)) | 1;
}

static unsigned long *slot_of(unsigned long key)
{
	return &slots[hash_long(key, SLOT_BITS)];
}

/*
 * On these kernels several threads see signal->live at 0; the first one here
 * speaks for the process. A claim of another process in the way is kept: then
 * the answer is COLLIDED for each of them, and the reader keeps the first.
 */
static enum claim claim(const struct task_struct *p)
{
	unsigned long key = key_of(p), old = cmpxchg(slot_of(key), 0, key);

	if (!old)
		return CLAIMED;
	return old == key ? CLAIMED_BEFORE : COLLIDED;
}

/* sched_process_free of the leader: all others have passed, signal is valid. */
void kt_probe_free(void *data, struct task_struct *p)
{
	unsigned long key;

	if (READ_ONCE(hook) != BY_SLOTS || !thread_group_leader(p))
		return;
	key = key_of(p);
	cmpxchg(slot_of(key), key, 0);
}

static void end_by_slots(struct task_struct *p)
{
	u32 flags = KTALLY_EXIT_FALLBACK;
	enum claim won;

	if (is_told(p))
		return;
	this_cpu_inc(hits.slots);
	if (atomic_read(&p->signal->live)) {
		kt_event_end(p, false, 0);
		return;
	}
	won = claim(p);
	if (won == COLLIDED || (changed && time_before(jiffies, changed + MAYBE_TICKS)))
		flags |= KTALLY_EXIT_MAYBE_DUP;
	kt_event_end(p, won != CLAIMED_BEFORE, flags);
}

/* --- the hooks --- */

void kt_probe_exit_arg(void *data, struct task_struct *p, bool group_dead)
{
	this_cpu_inc(hits.tracepoint);
	kt_event_end(p, group_dead, 0);
}

/* No timer: ends themselves have the hits compared, so an idle machine sleeps on. */
void kt_probe_exit(void *data, struct task_struct *p)
{
	/* Partner: smp_store_release() in use_slots(). */
	bool by_slots = smp_load_acquire(&hook) == BY_SLOTS;

	if (by_slots)
		end_by_slots(p);
	/* Told of before it is counted here; partner: smp_rmb() in look(). */
	smp_wmb();
	this_cpu_inc(hits.tracepoint);
	if (!by_slots && unlikely(time_after(jiffies, READ_ONCE(next_look))))
		queue_work(system_highpri_wq, &look_work);
}

static void entered(unsigned long task, unsigned long group_dead)
{
	if (READ_ONCE(hook) != BY_KPROBE)
		return;
	this_cpu_inc(hits.kprobe);
	tell_by_kprobe((struct task_struct *)task, (int)group_dead);
}

static unsigned int timing_hook;

static void taskstats_exit_entered(unsigned long task, unsigned long group_dead)
{
	bool timed = static_branch_unlikely(&kt_timing_on);

	if (timed)
		kt_timing_begin(timing_hook);
	entered(task, group_dead);
	if (timed)
		kt_timing_end(timing_hook);
}

static struct kt_entry_probe entry = { .entered = taskstats_exit_entered };
static bool entry_is_on;

/* --- the watch over the kprobe --- */

static DEFINE_MUTEX(watch_lock);	/* protects what follows */
static u64 missed;			/* booked so far */
static long tolerated;			/* by which the hooks were apart at load */
static unsigned long last_kprobe;

static unsigned long sum_hits(size_t offset)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*(unsigned long *)((char *)per_cpu_ptr(&hits, cpu) + offset));
	return sum;
}

void kt_ends_hits(u64 *kprobe, u64 *tracepoint)
{
	*kprobe = sum_hits(offsetof(struct hits, kprobe));
	*tracepoint = sum_hits(offsetof(struct hits, tracepoint));
}

static void use_slots(void)
{
	changed = jiffies | 1;
	WRITE_ONCE(kt_features,
		   (kt_features & ~KTALLY_FEAT_EXIT_KPROBE) | KTALLY_FEAT_EXIT_SLOTS);
	/* `changed` first; partner: smp_load_acquire() in kt_probe_exit(). */
	smp_store_release(&hook, BY_SLOTS);
}

/*
 * Books ends that the kprobe did not see. Tracepoints first: whoever is counted there
 * has been told of before. Who was told of and is not there yet makes it too few for
 * that long, also when the slots have taken over.
 */
static void look(void)
{
	unsigned long tracepoint = sum_hits(offsetof(struct hits, tracepoint));
	unsigned long kprobe;
	long excess;

	smp_rmb();	/* partner: smp_wmb() in kt_probe_exit() */
	kprobe = sum_hits(offsetof(struct hits, kprobe));
	excess = (long)(tracepoint - kprobe - sum_hits(offsetof(struct hits, slots))) - tolerated;
	WRITE_ONCE(next_look, jiffies + LOOK_TICKS);
	if (excess > (long)missed) {
		missed = excess;
		/* The next end has them compared again. */
		WRITE_ONCE(next_look, jiffies - 1);
		/* Not one hit since the last look: it is disarmed for good. */
		if (kprobe == last_kprobe && READ_ONCE(hook) == BY_KPROBE) {
			pr_warn("ktally: the kprobe on taskstats_exit has stopped (%llu ends missed so far); ends are taken from sched_process_exit, without peaks of memory\n",
				missed);
			use_slots();
		}
	}
	last_kprobe = kprobe;
}

/* Ends the kprobe missed so far, looked at now. */
u64 kt_ends_missed(void)
{
	u64 n;

	mutex_lock(&watch_lock);
	if (entry_is_on)
		look();
	n = missed;
	mutex_unlock(&watch_lock);
	return n;
}

static void look_at_hits(struct work_struct *work)
{
	kt_ends_missed();
}

static unsigned long __init count_ending(void)
{
	struct task_struct *p, *t;
	unsigned long n = 0;

	rcu_read_lock();
	for_each_process(p)
		kt_for_each_thread(p, t)
			n += data_race(READ_ONCE(t->flags)) & PF_EXITING &&
			     !data_race(READ_ONCE(t->exit_state));
	rcu_read_unlock();
	return n;
}

static long __init hits_apart(void)
{
	return sum_hits(offsetof(struct hits, tracepoint)) -
	       sum_hits(offsetof(struct hits, kprobe));
}

/*
 * The hooks were attached one after the other, so their counts are apart by those
 * who ended in between. An instant without any ending task tells by how many;
 * where there is none, whoever is on the way is tolerated as well.
 */
static long __init count_apart(void)
{
	unsigned int tries = 0;
	unsigned long ending;
	long before, apart;

	do {
		if (tries)
			usleep_range(500, 1000);
		before = hits_apart();
		ending = count_ending();
		apart = hits_apart();
	} while ((ending || apart != before) && ++tries < 20);
	return apart + ending;
}

/* Both hooks are attached: from now on their hits are compared. */
int __init kt_ends_compare(void)
{
	if (hook != BY_KPROBE)
		return 0;
	mutex_lock(&watch_lock);
	tolerated = count_apart();
	last_kprobe = sum_hits(offsetof(struct hits, kprobe));
	WRITE_ONCE(next_look, jiffies);
	mutex_unlock(&watch_lock);
	return 0;
}

/* Before the tracepoints are attached. */
int __init kt_ends_open(void)
{
	if (KT_EXIT_HAS_GROUP_DEAD) {
		hook = BY_ARGUMENT;
		kt_features |= KTALLY_FEAT_EXIT_ARG;
		return 0;
	}
	slots = kvcalloc(SLOTS + TOLD, sizeof(*slots), GFP_KERNEL);
	if (!slots)
		return -ENOMEM;
	told = slots + SLOTS;
	get_random_bytes(&secret, sizeof(secret));
	next_look = jiffies + MAX_JIFFY_OFFSET;	/* until kt_ends_compare() */
	timing_hook = kt_timing_hook("taskstats_exit");
	entry_is_on = kt_kprobe && !kt_entry_probe_on(&entry, "taskstats_exit");
	hook = entry_is_on ? BY_KPROBE : BY_SLOTS;
	kt_features |= hook == BY_KPROBE ? KTALLY_FEAT_EXIT_KPROBE : KTALLY_FEAT_EXIT_SLOTS;
	return 0;
}

void kt_ends_detach(void)
{
	if (entry_is_on)
		kt_entry_probe_off(&entry);
	entry_is_on = false;
}

/* After the tracepoints are detached and nobody is in a probe. */
void kt_ends_close(void)
{
	cancel_work_sync(&look_work);
	kt_ends_detach();
	kvfree(slots);
}
