// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - parameters, and the ladder: the parts are opened in order and closed
 * in reverse. Bad parameters refuse to load or are rounded, each with one line.
 * Process context, at load and unload only; the exception is kt_disarm().
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "device.h"
#include "ends.h"
#include "events.h"
#include "main.h"
#include "net.h"
#include "session.h"
#include "shape.h"
#include "totals.h"

u64 kt_load_id;
u64 kt_features;

unsigned int kt_buffer_kb;
module_param_named(buffer_kb, kt_buffer_kb, uint, 0444);
MODULE_PARM_DESC(buffer_kb, "KiB of buffers per session, all CPUs together; 0: 1/512 of memory, 1 to 32 MiB");

unsigned int kt_subbuf_kb;
module_param_named(subbuf_kb, kt_subbuf_kb, uint, 0444);
MODULE_PARM_DESC(subbuf_kb, "KiB per sub-buffer, 8 to 1024; 0: an eighth of a CPU's share, 64 at most");

unsigned int kt_max_kb;
module_param_named(max_kb, kt_max_kb, uint, 0444);
MODULE_PARM_DESC(max_kb, "KiB of buffers of all sessions together; 0: enough for eight by default and the boot session");

unsigned int kt_arg_bytes = SZ_16K;
module_param_named(arg_bytes, kt_arg_bytes, uint, 0444);
MODULE_PARM_DESC(arg_bytes, "bytes of arguments kept per exec, 0 to 131072 (default 16384)");

bool kt_argv = true;
module_param_named(argv, kt_argv, bool, 0444);
MODULE_PARM_DESC(argv, "record arguments (default on)");

bool kt_boot;
module_param_named(boot, kt_boot, bool, 0444);
MODULE_PARM_DESC(boot, "record from load on, for a reader that comes later (default off)");

unsigned int kt_boot_kb;
module_param_named(boot_kb, kt_boot_kb, uint, 0444);
MODULE_PARM_DESC(boot_kb, "KiB of buffers of that session; 0: 8 MiB, but 1/64 of memory at most");

unsigned int kt_boot_seconds = 600;
module_param_named(boot_seconds, kt_boot_seconds, uint, 0444);
MODULE_PARM_DESC(boot_seconds, "free that session when nobody took it over by then; 0: never (default 600)");

bool kt_kprobe = true;
module_param_named(kprobe, kt_kprobe, bool, 0444);
MODULE_PARM_DESC(kprobe, "use a kprobe where the kernel does not tell the end of a process (default on)");

static bool net = true;
module_param(net, bool, 0444);
MODULE_PARM_DESC(net, "count network bytes per process (default on)");

static struct kt_net_sizes net_sizes;
module_param_named(net_sockets, net_sizes.sockets, uint, 0444);
MODULE_PARM_DESC(net_sockets, "sockets known at once, 256 bytes each; 0: 16 per MiB of memory, 1024 to 16384");
module_param_named(net_accounts, net_sizes.accounts, uint, 0444);
MODULE_PARM_DESC(net_accounts, "processes with sockets known at once; 0: 4 per MiB of memory, 256 to 8192");
module_param_named(net_udp, net_sizes.udp, uint, 0444);
MODULE_PARM_DESC(net_udp, "UDP lookups remembered, 64 bytes each; 0: 32 per MiB of memory, 2048 to 32768");
module_param_named(net_devices, net_sizes.devices, uint, 0444);
MODULE_PARM_DESC(net_devices, "network devices counted at once; 0: 1024");

module_param_named(totals_rows, kt_totals_rows, uint, 0444);
MODULE_PARM_DESC(totals_rows, "rows of sums by program, user and cgroup, 456 bytes each, 65536 at most; 0: none (default 1024)");

static bool disable;
module_param(disable, bool, 0444);
MODULE_PARM_DESC(disable, "do not load (default off)");

/* --- fail safe --- */

static atomic_t disarmed = ATOMIC_INIT(0);
static void detach_parts(struct work_struct *work);
static DECLARE_WORK(detaching, detach_parts);

unsigned int kt_disarmed(void)
{
	return atomic_read(&disarmed);
}

void kt_disarm(const char *why)
{
	if (atomic_inc_return(&disarmed) != 1)
		return;
	/* Partner: publish() in session.c looks after it has stored. */
	smp_mb();
	RCU_INIT_POINTER(kt_recording, NULL);
	/* Detaching sleeps, and who found it may be a probe. */
	schedule_work(&detaching);
	pr_err("ktally: %s: recording stopped; unload and load the module to go on\n", why);
}

/* --- parameters --- */

static unsigned int __init memory_kb(void)
{
	return min_t(u64, (u64)totalram_pages() << (PAGE_SHIFT - 10), UINT_MAX);
}

static int __init refuse(const char *name, unsigned int value, const char *why)
{
	pr_err("ktally: %s=%u: %s; not loaded\n", name, value, why);
	return -EINVAL;
}

static int __init check_buffer(const char *name, unsigned int *kb, unsigned int by_default)
{
	unsigned int asked = *kb;

	if (asked > memory_kb() / 4)
		return refuse(name, asked, "more than a quarter of memory");
	*kb = kt_shape_fitted_kb(asked ?: by_default);
	if (asked && *kb != asked)
		pr_info("ktally: %s=%u becomes %u: whole sub-buffers, 64 KiB per CPU at least\n",
			name, asked, *kb);
	return 0;
}

static int __init check_subbuf(void)
{
	if (kt_subbuf_kb && (kt_subbuf_kb < 8 || kt_subbuf_kb > 1024))
		return refuse("subbuf_kb", kt_subbuf_kb, "not within 8 to 1024");
	return 0;
}

/* After the buffers' size is known: each CPU has four sub-buffers at least. */
static int __init round_subbuf(void)
{
	unsigned int asked = kt_subbuf_kb;

	if (!asked)
		return 0;
	kt_subbuf_kb = kt_shape_default_subbuf_kb();
	if (kt_subbuf_kb != asked)
		pr_info("ktally: subbuf_kb=%u becomes %u: a power of two, a quarter of a CPU's share at most\n",
			asked, kt_subbuf_kb);
	return 0;
}

static int __init check_max(void)
{
	if (!kt_max_kb)
		kt_max_kb = min_t(u64, UINT_MAX, (u64)KTALLY_SESSIONS * kt_buffer_kb +
					       (kt_boot ? kt_boot_kb : 0));
	if (kt_max_kb < kt_buffer_kb)
		return refuse("max_kb", kt_max_kb, "less than the buffers of one session");
	return 0;
}

/* What is added to them and multiplied by must not wrap. */
static int __init check_tables(void)
{
	const struct {
		const char *name;
		unsigned int asked;
	} sizes[] = {
		{ "net_sockets", net_sizes.sockets }, { "net_accounts", net_sizes.accounts },
		{ "net_udp", net_sizes.udp }, { "net_devices", net_sizes.devices },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		if (sizes[i].asked > SZ_1M)
			return refuse(sizes[i].name, sizes[i].asked, "more than 1048576");
	return 0;
}

static int __init check_parameters(void)
{
	unsigned int memory = memory_kb();

	if (kt_arg_bytes > SZ_128K)
		return refuse("arg_bytes", kt_arg_bytes, "more than 131072");
	if (kt_totals_rows > SZ_64K)
		return refuse("totals_rows", kt_totals_rows, "more than 65536");
	if (kt_totals_rows)
		kt_totals_rows = roundup_pow_of_two(max(kt_totals_rows, 16U));
	return check_subbuf() ?:
	       check_buffer("buffer_kb", &kt_buffer_kb, clamp(memory / 512, 1024U, 32768U)) ?:
	       check_buffer("boot_kb", &kt_boot_kb, clamp(memory / 64, 1024U, 8192U)) ?:
	       round_subbuf() ?: check_max() ?: check_tables();
}

#ifdef CONFIG_FAULT_INJECTION
static unsigned int inject;
module_param(inject, uint, 0600);
MODULE_PARM_DESC(inject, "find an inner inconsistency once, to test: 1 in a record, 2 in a buffer");

bool kt_inject(enum kt_fault fault)
{
	return unlikely(READ_ONCE(inject) == fault) && cmpxchg(&inject, fault, 0) == fault;
}
#endif

/* --- the ladder --- */

/* Protects the parts: probes may be detached before they are closed. */
static DEFINE_MUTEX(ladder);

static int __init open_net(void)
{
	return net ? kt_net_open(&net_sizes) : 0;
}

static const struct part {
	int (*open)(void);
	void (*close)(void);
	void (*detach)(void);	/* its probes; at any time, and again */
} parts[] __refconst = {	/* open is called at load */
	{ kt_sessions_open, kt_sessions_close },
	{ kt_totals_open, kt_totals_close },
	{ open_net, kt_net_close, kt_net_detach },
	{ kt_ends_open, kt_ends_close, kt_ends_detach },
	{ kt_events_open, kt_events_close, kt_events_detach },
	{ kt_ends_compare },
	{ kt_session_boot },
	{ kt_device_open, kt_device_close },
};

static void detach_parts(struct work_struct *work)
{
	unsigned int n = ARRAY_SIZE(parts);

	mutex_lock(&ladder);
	while (n--)
		if (parts[n].detach)
			parts[n].detach();
	mutex_unlock(&ladder);
}

static void close_parts(unsigned int n)
{
	while (n--)
		if (parts[n].close)
			parts[n].close();
}

static int __init open_parts(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].open();
		if (err) {
			close_parts(i);
			return err;
		}
	}
	return 0;
}

static void __init fixed_features(void)
{
	if (IS_ENABLED(CONFIG_CGROUPS))
		kt_features |= KTALLY_FEAT_CGROUP;
	if (KT_HAS_IO_BYTES)
		kt_features |= KTALLY_FEAT_IO;
	if (KT_HAS_RUN_DELAY)
		kt_features |= KTALLY_FEAT_RUN_DELAY;
	if (KT_HAS_SLICE)
		kt_features |= KTALLY_FEAT_SLICE;
	kt_features |= KTALLY_FEAT_SNAPSHOT | KTALLY_FEAT_SELECT | KTALLY_FEAT_FLIGHT |
		       KTALLY_FEAT_WORK;
	if (kt_totals_on())
		kt_features |= KTALLY_FEAT_TOTALS;
}

static const char *__init end_hook(void)
{
	if (kt_features & KTALLY_FEAT_EXIT_ARG)
		return "sched_process_exit";
	return kt_features & KTALLY_FEAT_EXIT_KPROBE ? "kprobe on taskstats_exit" :
		"sched_process_exit and claims, without peaks of memory";
}

static int __init ktally_init(void)
{
	int err;

	if (disable) {
		pr_info("ktally: disable=1: not loaded\n");
		return -ENODEV;
	}
	err = check_parameters();
	if (err)
		return err;
	kt_load_id = ktime_get_boottime_ns();
	fixed_features();
	mutex_lock(&ladder);
	err = open_parts();
	mutex_unlock(&ladder);
	if (err) {
		cancel_work_sync(&detaching);
		return err;
	}
	pr_info("ktally: version %s, %u KiB of buffers per session, ends by %s, features %#llx%s\n",
		KTALLY_VERSION, kt_buffer_kb, end_hook(), kt_features,
		kt_boot ? ", recording since now" : "");
	return 0;
}

static void __exit ktally_exit(void)
{
	mutex_lock(&ladder);
	close_parts(ARRAY_SIZE(parts));
	mutex_unlock(&ladder);
	cancel_work_sync(&detaching);
	pr_info("ktally: unloaded\n");
}

module_init(ktally_init);
module_exit(ktally_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("ktally developers");
MODULE_DESCRIPTION("What every process cost: records of forks, execs and exits");
MODULE_VERSION(KTALLY_VERSION);
