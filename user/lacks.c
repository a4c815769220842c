// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lacks.c - what a kernel cannot give, told from the bits of what the module found.
 */
#include <linux/ktally.h>
#include <stddef.h>

#include "lacks.h"

static const struct lack lacks[] = {
	{ KTALLY_FEAT_EXIT_ARG | KTALLY_FEAT_EXIT_KPROBE, 0,
	  "memory at the end of a process (kprobes, or kernel 6.16)",
	  "its peak is an upper bound, shown with <=, and its address space unknown" },
	{ KTALLY_FEAT_PREPARE_EXEC, 0, "memory at an exec (kernel 6.12)",
	  "the peak of an image that exec replaced is an upper bound" },
	{ KTALLY_FEAT_SLICE, 0, "the running slice of CPU time (interrupt or steal time is accounted apart)",
	  "CPU time is that of the scheduler's last look" },
	{ KTALLY_FEAT_SOCK_LENGTH, KTALLY_FEAT_NET, "what a receiving call took (kernel 6.3)",
	  "UDP payload is counted as it arrives, an upper bound" },
	{ KTALLY_FEAT_CGROUP_PATHS, KTALLY_FEAT_CGROUP, "paths of control groups", "their numbers" },
	{ KTALLY_FEAT_IO, 0, "I/O (CONFIG_TASK_IO_ACCOUNTING)", NULL },
	{ KTALLY_FEAT_RUN_DELAY, 0, "waiting for a CPU (CONFIG_SCHED_INFO)", NULL },
	{ KTALLY_FEAT_CGROUP, 0, "control groups (CONFIG_CGROUPS)", NULL },
	{ KTALLY_FEAT_NET, 0, "network bytes (CONFIG_INET, and net=1)", NULL },
};

const struct lack *lacks_next(const struct lack *after, uint64_t features)
{
	const struct lack *l = after ? after + 1 : lacks;

	for (; l < lacks + sizeof(lacks) / sizeof(lacks[0]); l++)
		if (!(features & l->cured) && (!l->within || features & l->within))
			return l;
	return NULL;
}
