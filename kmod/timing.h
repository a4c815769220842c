/* SPDX-License-Identifier: GPL-2.0-only */
/* timing.h - how long our callbacks take, while somebody asks; see timing.c. */
#ifndef KTALLY_TIMING_H
#define KTALLY_TIMING_H

#include <linux/build_bug.h>
#include <linux/jump_label.h>
#include <linux/types.h>

DECLARE_STATIC_KEY_FALSE(kt_timing_on);

/* At load: the number of a hook that can be timed. */
unsigned int kt_timing_hook(const char *name);

/* HOT while it is on, any context but NMI: preemption is off in between. */
void kt_timing_begin(unsigned int hook);
void kt_timing_end(unsigned int hook);

/*
 * Callbacks that stand before and behind one of ours at its tracepoint: of its type,
 * for kernels that check (CFI); data is the hook's number.
 */
#define KT_TIMED(callback, ...)						\
static void __maybe_unused callback##_begins(void *data, __VA_ARGS__)	\
{									\
	kt_timing_begin((unsigned long)data);				\
}									\
static void __maybe_unused callback##_ended(void *data, __VA_ARGS__)	\
{									\
	kt_timing_end((unsigned long)data);				\
}									\
static_assert(__builtin_types_compatible_p(typeof(callback), typeof(callback##_begins)))

/* For a row of a table of probes. */
#define KT_CALLED(callback)	callback, callback##_begins, callback##_ended

/* Of one open file: *ours says that it had timing begun. Process context. */
long kt_timing_ioctl(bool *ours, unsigned long arg);
void kt_timing_stop(bool *ours);

#endif
