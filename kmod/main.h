/* SPDX-License-Identifier: GPL-2.0-only */
/* main.h - parameters and the state that all parts share; see main.c. */
#ifndef KTALLY_MAIN_H
#define KTALLY_MAIN_H

#include <linux/types.h>

/* CLOCK_BOOTTIME of the load, ns; never changes afterwards. */
extern u64 kt_load_id;
/* KTALLY_FEAT_*; the end hook's bit changes when kprobes are found disarmed. */
extern u64 kt_features;

/* Parameters, checked at load; see main.c for what they mean. */
extern unsigned int kt_buffer_kb;
extern unsigned int kt_subbuf_kb;
extern unsigned int kt_max_kb;
extern unsigned int kt_arg_bytes;
extern bool kt_argv;
extern bool kt_boot;
extern unsigned int kt_boot_kb;
extern unsigned int kt_boot_seconds;
extern bool kt_kprobe;

/* An inner inconsistency: stop recording, detach, count it, say so once. Any context but NMI. */
void kt_disarm(const char *why);
unsigned int kt_disarmed(void);

/* Inconsistencies that a test may order, where the kernel has fault injection at all. */
enum kt_fault { KT_FAULT_RECORD = 1, KT_FAULT_BUFFER };

#ifdef CONFIG_FAULT_INJECTION
bool kt_inject(enum kt_fault fault);
#else
static inline bool kt_inject(enum kt_fault fault)
{
	return false;
}
#endif

#endif
