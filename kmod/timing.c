// SPDX-License-Identifier: GPL-2.0-only
/*
 * timing.c - how long our callbacks take, while somebody asks: a callback before
 * each of ours and one behind read the clock. They are attached for that time
 * only, so that a packet hook costs nothing more otherwise; the kprobe at the end
 * of a process asks a static key. One file at a time, until it is closed.
 */
#include <linux/capability.h>
#include <linux/init.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "ioctl.h"
#include "probes.h"
#include "timing.h"

#define HOOKS_MAX	24
#define LEVELS		3	/* a task, softirq, hard interrupt: they nest */

DEFINE_STATIC_KEY_FALSE(kt_timing_on);

struct counts {
	u64 calls, sum, most;
	u64 took[KTALLY_TOOK];
};

struct cell {
	u64 begun[LEVELS];	/* 0: nobody is between the two */
	struct counts n;
};

struct cells {
	struct cell hook[HOOKS_MAX];
};

static DEFINE_MUTEX(timing_lock);	/* protects what follows; taken before the probes' */
static struct cells __percpu *cells;	/* NULL: off */
static u64 since;
static u32 clock_ns;			/* what reading the clock twice takes, taken off */

static const char *names[HOOKS_MAX] = { "(clock)" };
static unsigned int n_hooks = 1;

unsigned int __init kt_timing_hook(const char *name)
{
	if (n_hooks == HOOKS_MAX)
		return 0;
	names[n_hooks] = name;
	return n_hooks++;
}

/* --- while it is on --- */

static unsigned int level(void)
{
	return hardirq_count() ? 2 : !!in_serving_softirq();
}

void kt_timing_begin(unsigned int hook)
{
	unsigned int l;

	preempt_disable_notrace();
	l = level();
	this_cpu_write(cells->hook[hook].begun[l], local_clock());
}

static void count(unsigned int hook, u64 took)
{
	unsigned int place;

	took -= min_t(u64, took, clock_ns);
	place = min(fls64(took), KTALLY_TOOK - 1);
	this_cpu_inc(cells->hook[hook].n.calls);
	this_cpu_add(cells->hook[hook].n.sum, took);
	this_cpu_inc(cells->hook[hook].n.took[place]);
	if (took > this_cpu_read(cells->hook[hook].n.most))
		this_cpu_write(cells->hook[hook].n.most, took);
}

/* A call that was under way when the callbacks came has no beginning. */
void kt_timing_end(unsigned int hook)
{
	u64 now = local_clock(), begun;
	unsigned int l = level();

	begun = raw_cpu_read(cells->hook[hook].begun[l]);
	if (!begun)
		return;
	this_cpu_write(cells->hook[hook].begun[l], 0);
	count(hook, now - begun);
	preempt_enable_notrace();
}

/* --- on and off; the lock is held --- */

/* The usual time of nothing: hook 0 is ours for that. */
static void read_clock(void)
{
	const struct counts *c;
	unsigned int i;

	clock_ns = 0;
	preempt_disable();
	for (i = 0; i < 1000; i++) {
		kt_timing_begin(0);
		kt_timing_end(0);
	}
	c = &this_cpu_ptr(cells)->hook[0].n;
	clock_ns = div_u64(c->sum - c->most, i - 1);
	preempt_enable();
}

static void turn_off(void)
{
	static_branch_disable(&kt_timing_on);
	kt_probes_time(false);
	tracepoint_synchronize_unregister();
	free_percpu(cells);
	cells = NULL;
}

/* On its own CPU: else one that counts just now would store what it had before. */
static void forget_counts(void *unused)
{
	unsigned int i;

	for (i = 0; i < HOOKS_MAX; i++)
		memset(&this_cpu_ptr(cells)->hook[i].n, 0, sizeof(struct counts));
}

/* All are attached by now: what came meanwhile was seen by some of them only. */
static void begin_anew(void)
{
	on_each_cpu(forget_counts, NULL, 1);
	since = ktime_get_boottime_ns();
}

static long turn_on(void)
{
	int err;

	if (cells)
		return -EBUSY;
	cells = alloc_percpu(struct cells);
	if (!cells)
		return -ENOMEM;
	read_clock();
	err = kt_probes_time(true);
	static_branch_enable(&kt_timing_on);
	if (err)
		turn_off();
	else
		begin_anew();
	return err;
}

static void add_counts(struct ktally_hook_time *to, const struct counts *c)
{
	unsigned int i;

	to->calls += READ_ONCE(c->calls);
	to->sum += READ_ONCE(c->sum);
	to->most = max(to->most, READ_ONCE(c->most));
	for (i = 0; i < KTALLY_TOOK; i++)
		to->took[i] += READ_ONCE(c->took[i]);
}

static long give_hooks(struct ktally_timing *t)
{
	struct ktally_hook_time __user *to = u64_to_user_ptr(t->hooks);
	struct ktally_hook_time row;
	int cpu;

	for (t->n = 0; t->n < n_hooks - 1 && t->n < t->room; t->n++) {
		memset(&row, 0, sizeof(row));
		strscpy(row.name, names[t->n + 1], sizeof(row.name));
		for_each_possible_cpu(cpu)
			add_counts(&row, &per_cpu_ptr(cells, cpu)->hook[t->n + 1].n);
		if (copy_to_user(&to[t->n], &row, sizeof(row)))
			return -EFAULT;
	}
	return 0;
}

static long answer(struct ktally_timing *t, void __user *user)
{
	long err;

	t->since = since;
	t->until = ktime_get_boottime_ns();
	t->clock_ns = clock_ns;
	err = give_hooks(t);
	return err ?: kt_give(user, t, sizeof(*t));
}

/* What can't be answered has not begun either: nobody would end it. */
static long begin(struct ktally_timing *t, void __user *user)
{
	long err = turn_on();

	if (err)
		return err;
	err = answer(t, user);
	if (err)
		turn_off();
	return err;
}

static long begin_or_answer(struct ktally_timing *t, void __user *user, bool *ours)
{
	long err;

	if (!(t->flags & KTALLY_TIMING_BEGIN))
		return *ours ? answer(t, user) : -EINVAL;
	err = begin(t, user);
	*ours |= !err;
	return err;
}

long kt_timing_ioctl(bool *ours, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct ktally_timing t;
	long err = kt_take(&t, sizeof(t), user);

	if (err)
		return err;
	if (t.flags & ~KTALLY_TIMING_BEGIN || t.hook_size != sizeof(struct ktally_hook_time))
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	mutex_lock(&timing_lock);
	err = begin_or_answer(&t, user, ours);
	mutex_unlock(&timing_lock);
	return err;
}

void kt_timing_stop(bool *ours)
{
	mutex_lock(&timing_lock);
	if (*ours)
		turn_off();
	*ours = false;
	mutex_unlock(&timing_lock);
}
