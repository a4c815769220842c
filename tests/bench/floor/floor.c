// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * floor.c - callbacks that do nothing, at the five events that recorders are compared
 * at: what being called costs by itself. For the bench only.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static const char *const names[] = {
	"sched_process_fork",
	"sched_process_exec",
	"sched_process_exit",
	"net_dev_xmit",
	"netif_receive_skb",
};

static struct tracepoint *found[ARRAY_SIZE(names)];

/* The arguments behind data differ by tracepoint and are not looked at. */
static void nothing(void *data)
{
}

static void match(struct tracepoint *tp, void *unused)
{
	int i = match_string(names, ARRAY_SIZE(names), tp->name);

	if (i >= 0)
		found[i] = tp;
}

/* The first n of them. */
static void detach(int n)
{
	while (n--)
		tracepoint_probe_unregister(found[n], nothing, NULL);
	tracepoint_synchronize_unregister();
}

static int __init floor_init(void)
{
	int i, err;

	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		err = found[i] ? tracepoint_probe_register(found[i], nothing, NULL) : -ENOENT;
		if (err) {
			detach(i);
			return err;
		}
	}
	return 0;
}

static void __exit floor_exit(void)
{
	detach(ARRAY_SIZE(names));
}

module_init(floor_init);
module_exit(floor_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Empty callbacks at five tracepoints for ktally's bench");
