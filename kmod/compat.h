/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - every difference between kernels and configurations, decided by
 * type or by option, never by version number, so that back-ports and later
 * kernels answer for themselves. Nothing else in kmod/ asks which kernel it is.
 */
#ifndef KTALLY_COMPAT_H
#define KTALLY_COMPAT_H

#include <linux/binfmts.h>
#include <linux/cgroup.h>
#include <linux/delay.h>
#include <linux/kernel_stat.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/nsproxy.h>
#include <linux/percpu_counter.h>
#include <linux/ptrace.h>
#include <linux/relay.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/stat.h>
#include <linux/task_io_accounting_ops.h>
#include <net/net_namespace.h>
#include <trace/events/sched.h>

#define KT_SAME(a, b) __builtin_types_compatible_p(typeof(a), typeof(b))

/* sched_process_exit: since 6.16 it comes before exit_mm() and says group_dead. */
typedef void (kt_exit_plain_t)(struct task_struct *p);
typedef void (kt_exit_arg_t)(struct task_struct *p, bool group_dead);
#define KT_EXIT_HAS_GROUP_DEAD	KT_SAME(trace_sched_process_exit, kt_exit_arg_t)
static_assert(KT_EXIT_HAS_GROUP_DEAD ||
	      KT_SAME(trace_sched_process_exit, kt_exit_plain_t));

/* What the optional tracepoints hand over where the kernel has them. */
typedef void (kt_prepare_exec_t)(void *data, struct task_struct *p,
				 struct linux_binprm *bprm);

/* relay's subbuf_start lost its fourth argument. */
typedef int (kt_subbuf_start3_t)(struct rchan_buf *buf, void *subbuf, void *prev);
#define KT_SUBBUF_START_3	\
	KT_SAME(*((struct rchan_callbacks *)0)->subbuf_start, kt_subbuf_start3_t)

/* Counters of memory: plain atomics (5.10, 6.1), then one percpu_counter each. */
#define KT_RSS_PERCPU		\
	KT_SAME(((struct mm_struct *)0)->rss_stat, struct percpu_counter[NR_MM_COUNTERS])

/* Pages that this task has faulted in and not yet told its mm about. */
static inline long kt_split_rss(const struct mm_struct *mm, int member)
{
#ifdef SPLIT_RSS_COUNTING
	if (mm == current->mm)
		return current->rss_stat.count[member];
#endif
	return 0;
}

/* How far the kernel's own reading of a resident size may be from the sum, in pages. */
static inline u64 kt_mm_slack(void)
{
#ifdef CONFIG_SMP
	if (KT_RSS_PERCPU)
		return 3ULL * percpu_counter_batch * num_online_cpus();
#endif
	return 0;
}

/* One counter of an mm, in pages; exact sums visit every CPU. */
static inline u64 kt_mm_pages(struct mm_struct *mm, int member, bool exact)
{
	long n;

	if (KT_RSS_PERCPU && exact) {
		void *counters = &mm->rss_stat;

		return percpu_counter_sum_positive((struct percpu_counter *)counters + member);
	}
	n = (long)get_mm_counter(mm, member) + kt_split_rss(mm, member);
	return max(n, 0L);
}

/*
 * May the running slice be measured as local_clock() - exec_start? Only where
 * the run queue's task clock is not held back by interrupt or steal time.
 */
#define KT_HAS_SLICE	(!IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING) && \
			 !IS_ENABLED(CONFIG_PARAVIRT_TIME_ACCOUNTING))

/*
 * By how much the run queue's task clock may be behind, ns: what interrupts and the
 * hypervisor took from that CPU since boot. More than it really is does no harm.
 */
static inline u64 kt_clock_lag(unsigned int cpu)
{
	const u64 *spent;

	if (KT_HAS_SLICE)
		return 0;
	spent = kcpustat_cpu(cpu).cpustat;
	/* That CPU adds to them plainly, by a tick at most. */
	return data_race(spent[CPUTIME_IRQ] + spent[CPUTIME_SOFTIRQ] + spent[CPUTIME_STEAL]);
}

/*
 * for_each_thread(), under RCU: where locks are proven, 7.x's names tasklist_lock, which no
 * module can.
 */
#define kt_for_each_thread(leader, t)	\
	list_for_each_entry_rcu(t, &(leader)->signal->thread_head, thread_node)

/* Is t on a CPU, or does it wait for one? */
static inline bool kt_runnable(const struct task_struct *t)
{
#ifdef CONFIG_SMP
	if (READ_ONCE(t->on_cpu))
		return true;
#endif
	/* Older kernels store it plainly. */
	return data_race(READ_ONCE(t->on_rq));
}

/* Time runnable but waiting is kept only with these options. */
#if defined(CONFIG_SCHED_INFO)
#define KT_HAS_RUN_DELAY	1
static inline u64 kt_run_delay(const struct task_struct *p)
{
	return p->sched_info.run_delay;
}
#else
#define KT_HAS_RUN_DELAY	0
static inline u64 kt_run_delay(const struct task_struct *p)
{
	return 0;
}
#endif

#if defined(CONFIG_TASK_XACCT)
#define KT_HAS_IO_CALLS		1
#define KT_IO_CALL(io, field)	((io)->field)
#else
#define KT_HAS_IO_CALLS		0
#define KT_IO_CALL(io, field)	0
#endif

#if defined(CONFIG_TASK_IO_ACCOUNTING)
#define KT_HAS_IO_BYTES		1
#define KT_IO_BYTES(io, field)	((io)->field)
#else
#define KT_HAS_IO_BYTES		0
#define KT_IO_BYTES(io, field)	0
#endif

/* The cgroup of the default hierarchy; 0 without cgroups. Call under RCU. */
static inline u64 kt_cgroup_id(struct task_struct *p)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(task_dfl_cgroup(p));
#else
	return 0;
#endif
}

/* Is p in the cgroup `id` of the default hierarchy or below it? Under RCU. */
static inline bool kt_in_cgroup(struct task_struct *p, u64 id)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *c;

	for (c = task_dfl_cgroup(p); c; c = cgroup_parent(c))
		if (cgroup_id(c) == id)
			return true;
#endif
	return false;
}

/* p's nsproxy must not change meanwhile: p is current, new, or locked. */
static inline u32 kt_netns(const struct task_struct *p)
{
#ifdef CONFIG_NET
	const struct nsproxy *ns = READ_ONCE(p->nsproxy);

	if (ns && ns->net_ns)
		return ns->net_ns->ns.inum;
#endif
	return 0;
}

/* The plain seqcount inside: it never waits for a writer, not even on RT. */
#define KT_STATS_SEQ(sig)	(&(sig)->stats_lock.seqcount.seqcount)
static_assert(KT_SAME(*KT_STATS_SEQ((struct signal_struct *)0), seqcount_t));

/* Read no file mappings: a page of someone's own file system may never come. */
#ifdef CONFIG_MMU
#define KT_GUP_FLAGS	FOLL_ANON
#else
#define KT_GUP_FLAGS	0
#endif

/* A kprobe at a function's entry that hands over the first two arguments. */
struct kt_entry_probe;
typedef void (kt_entered_t)(unsigned long first, unsigned long second);

/*
 * Before a kprobe is unregistered. Out of memory the kernel only logs that it could
 * not disarm it, and unregistering leaves it in place, its return hook freed. To
 * disable it can be tried again, and what is disabled goes without memory.
 */
static inline void kt_probe_disable(struct kprobe *p)
{
	while (disable_kprobe(p) == -ENOMEM)
		msleep(20);
}

#if defined(CONFIG_KPROBES) && defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API)
#define KT_PROBES_SEE_ARGUMENTS	1
#define kt_argument(regs, n)	regs_get_kernel_argument(regs, n)

struct kt_entry_probe {
	struct kprobe kprobe;
	kt_entered_t *entered;
};

static inline int kt_entry_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	struct kt_entry_probe *p = container_of(kprobe, struct kt_entry_probe, kprobe);

	p->entered(kt_argument(regs, 0), kt_argument(regs, 1));
	return 0;
}

static inline int kt_entry_probe_on(struct kt_entry_probe *p, const char *symbol)
{
	p->kprobe.symbol_name = symbol;
	p->kprobe.pre_handler = kt_entry_hit;
	return register_kprobe(&p->kprobe);
}

static inline void kt_entry_probe_off(struct kt_entry_probe *p)
{
	kt_probe_disable(&p->kprobe);
	unregister_kprobe(&p->kprobe);
}
#else
#define KT_PROBES_SEE_ARGUMENTS	0
#define kt_argument(regs, n)	0UL

struct kt_entry_probe {
	kt_entered_t *entered;
};

static inline int kt_entry_probe_on(struct kt_entry_probe *p, const char *symbol)
{
	return -EOPNOTSUPP;
}

static inline void kt_entry_probe_off(struct kt_entry_probe *p)
{
}
#endif

/* Make every CPU pass through an interrupt, so that all see new probes. */
#ifdef CONFIG_SMP
#define kt_in_order()	kick_all_cpus_sync()
#else
#define kt_in_order()	barrier()
#endif

#endif
