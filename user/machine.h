/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - what the kernel says of the whole machine in /proc: CPU with all that no
 * process is charged for, and memory in use.
 */
#ifndef KTALLY_MACHINE_H
#define KTALLY_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine {
	uint64_t user_ns, sys_ns;	/* all CPUs since boot; sys: interrupts included */
	uint64_t idle_ns;		/* all CPUs: idle, waiting for a disk, or taken away by a hypervisor */
	uint64_t used_bytes;		/* total - available */
	uint64_t total_bytes;
	uint64_t kernel_bytes;		/* Slab + KernelStack + PageTables + Percpu */
	uint64_t swap_total_bytes, swap_used_bytes;
	uint64_t switches;		/* context switches since boot */
};

bool machine_read(struct machine *m);
/* This boot's name. False: /proc does not tell. */
bool machine_boot_id(char *id, size_t n);
/* CPUs that are online. */
uint32_t machine_cpus(void);

#endif
