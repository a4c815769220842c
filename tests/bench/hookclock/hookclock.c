// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hookclock.c - times what others do in the hooks of a process's life and of
 * packets: a probe before theirs and one behind read the CPU's cycle counter, which counts
 * instructions in a guest under icount. /proc/hookclock shows count, median and sum
 * by hook since the last write to it. A write of
 *   arm     begins: kprobes of others must be registered by now; by itself when
 *           ktally has come
 *   disarm  ends it, before they are unregistered
 * For the bench only: one CPU, x86. Probes run with preemption off.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#define SAMPLES	4096

/* Tracepoints call by priority; whoever does not ask for one has 10. */
enum { PRIORITY_LAST = 0, PRIORITY_FIRST = 20 };

struct hook {
	const char *name;
	struct tracepoint *tp;	/* NULL: a kprobe's, or this kernel has none */
	bool attached;
	u64 begun;
	u64 count, sum;
	u32 took[SAMPLES];	/* the newest ones */
};

static struct hook hooks[] = {
	{ "sched_process_fork" },
	{ "sched_process_exec" },
	{ "sched_process_exit" },
	{ "sched_process_free" },
	{ "sched_prepare_exec" },
	{ "net_dev_queue" },
	{ "net_dev_start_xmit" },
	{ "net_dev_xmit" },
	{ "netif_receive_skb" },
	{ "tcp_rcv_space_adjust" },
	{ "inet_sock_set_state" },
	{ "sock_send_length" },
	{ "sock_recv_length" },
	{ "taskstats_exit" },
};

enum { HOOKS = ARRAY_SIZE(hooks), KPROBE = HOOKS - 1 };

/* Softirqs nest into hooks of tasks, but no hook into itself. */
static void begin(struct hook *h)
{
	h->begun = get_cycles();
}

static void end(struct hook *h)
{
	u64 took = get_cycles() - h->begun;

	if (h->begun) {
		h->took[h->count++ % SAMPLES] = took;
		h->sum += took;
	}
	h->begun = 0;
}

/* The arguments behind data differ by tracepoint and are not looked at. */
static void on_begin(void *data)
{
	begin(data);
}

static void on_end(void *data)
{
	end(data);
}

/* --- the kprobe: the one registered last is called first --- */

static int on_kprobe_begin(struct kprobe *kp, struct pt_regs *regs)
{
	begin(&hooks[KPROBE]);
	return 0;
}

static int on_kprobe_end(struct kprobe *kp, struct pt_regs *regs)
{
	end(&hooks[KPROBE]);
	return 0;
}

static struct kprobe kp_begin = { .pre_handler = on_kprobe_begin };
static struct kprobe kp_end = { .symbol_name = "taskstats_exit", .pre_handler = on_kprobe_end };
static bool has_kprobe, armed;

static int arm(void)
{
	int err;

	if (armed || !has_kprobe)
		return 0;
	memset(&kp_begin, 0, sizeof(kp_begin));
	kp_begin.symbol_name = "taskstats_exit";
	kp_begin.pre_handler = on_kprobe_begin;
	err = register_kprobe(&kp_begin);
	armed = !err;
	return err;
}

static void disarm(void)
{
	if (armed)
		unregister_kprobe(&kp_begin);
	armed = false;
}

/* In an initramfs nobody writes to files: what ktally attached at its load is there. */
static int on_module(struct notifier_block *nb, unsigned long state, void *of)
{
	struct module *mod = of;

	if (state == MODULE_STATE_LIVE && !strcmp(mod->name, "ktally"))
		arm();
	return NOTIFY_OK;
}

static struct notifier_block modules = { .notifier_call = on_module };

/* --- what kprobes cost by themselves --- */

#define ROUNDS	1000

static noinline void target(void)
{
	barrier();
}

static int on_nothing(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

static u64 time_target(void)
{
	u64 begun;
	int i;

	preempt_disable();
	begun = get_cycles();
	for (i = 0; i < ROUNDS; i++)
		target();
	begun = get_cycles() - begun;
	preempt_enable();
	return begun;
}

static void show_kprobe(struct seq_file *m)
{
	struct kprobe kp = { .addr = (kprobe_opcode_t *)target, .pre_handler = on_nothing };
	u64 without = time_target();

	if (register_kprobe(&kp))
		return;
	seq_printf(m, "kprobe %u %llu\n", ROUNDS, (time_target() - without) / ROUNDS);
	unregister_kprobe(&kp);
}

/* --- the file --- */

static int by_size(const void *a, const void *b)
{
	return *(const u32 *)a < *(const u32 *)b ? -1 : *(const u32 *)a > *(const u32 *)b;
}

static int show(struct seq_file *m, void *unused)
{
	struct hook *h;
	u32 n;

	for (h = hooks; h < hooks + HOOKS; h++) {
		n = min_t(u64, h->count, SAMPLES);
		if (!n)
			continue;
		sort(h->took, n, sizeof(*h->took), by_size, NULL);
		seq_printf(m, "%s %llu %u %llu\n", h->name, h->count, h->took[n / 2], h->sum);
	}
	show_kprobe(m);
	return 0;
}

static void reset(void)
{
	unsigned int i;

	for (i = 0; i < HOOKS; i++)
		hooks[i].count = hooks[i].sum = 0;
}

static ssize_t on_write(struct file *file, const char __user *from, size_t n, loff_t *at)
{
	char word[16] = "";
	int err = 0;

	if (copy_from_user(word, from, min(n, sizeof(word) - 1)))
		return -EFAULT;
	if (!strncmp(word, "arm", 3))
		err = arm();
	else if (!strncmp(word, "disarm", 6))
		disarm();
	reset();
	return err ?: n;
}

static int on_open(struct inode *inode, struct file *file)
{
	return single_open(file, show, NULL);
}

static const struct proc_ops ops = {
	.proc_open = on_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = on_write,
};

/* --- the ladder --- */

static void match(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < KPROBE; i++)
		if (!strcmp(tp->name, hooks[i].name))
			hooks[i].tp = tp;
}

static void detach(void)
{
	struct hook *h;

	for (h = hooks; h < hooks + KPROBE; h++) {
		if (!h->attached)
			continue;
		tracepoint_probe_unregister(h->tp, on_begin, h);
		tracepoint_probe_unregister(h->tp, on_end, h);
	}
	tracepoint_synchronize_unregister();
}

static int attach(void)
{
	struct hook *h;
	int err;

	for (h = hooks; h < hooks + KPROBE; h++) {
		if (!h->tp)
			continue;
		err = tracepoint_probe_register_prio(h->tp, on_begin, h, PRIORITY_FIRST);
		if (err)
			return err;
		h->attached = true;
		err = tracepoint_probe_register_prio(h->tp, on_end, h, PRIORITY_LAST);
		if (err)
			return err;
	}
	return 0;
}

static int __init hookclock_init(void)
{
	int err;

	for_each_kernel_tracepoint(match, NULL);
	err = attach();
	if (!err && !proc_create("hookclock", 0600, NULL, &ops))
		err = -ENOMEM;
	if (err) {
		detach();
		return err;
	}
	has_kprobe = !register_kprobe(&kp_end);
	register_module_notifier(&modules);
	return 0;
}

static void __exit hookclock_exit(void)
{
	unregister_module_notifier(&modules);
	remove_proc_entry("hookclock", NULL);
	disarm();
	if (has_kprobe)
		unregister_kprobe(&kp_end);
	detach();
}

module_init(hookclock_init);
module_exit(hookclock_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Times the hooks of a process's life for ktally's bench");
