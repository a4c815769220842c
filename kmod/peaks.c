// SPDX-License-Identifier: GPL-2.0-only
/*
 * peaks.c - HOT: carries the memory peaks of the image that an exec ends from
 * sched_prepare_exec, where its memory is still there, to sched_process_exec.
 * Both run in current's context, a moment apart. A small table of claimed slots;
 * when two execs meet in one slot, the second has an upper bound only.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/sched.h>

#include "compat.h"
#include "peaks.h"
#include "task.h"

#define SLOT_BITS	8
#define BUSY		1UL	/* no task has this address */

/* owner: 0, BUSY while written, else the task whose figures these are. */
static struct slot {
	unsigned long owner;
	u32 image;
	u64 rss;
	u64 vm;
} slots[1 << SLOT_BITS];

static struct slot *own_slot(void)
{
	return &slots[hash_ptr(current, SLOT_BITS)];
}

void kt_peaks_keep(void)
{
	struct slot *s = own_slot();
	unsigned long old = READ_ONCE(s->owner);
	struct kt_usage u = {};

	if (!current->mm || old == BUSY || cmpxchg(&s->owner, old, BUSY) != old)
		return;
	kt_task_own_memory(&u);
	s->image = (u32)current->self_exec_id;
	s->rss = u.peak_rss;
	s->vm = u.peak_vm;
	/* Partner: smp_load_acquire() in kt_peaks_take(). */
	smp_store_release(&s->owner, (unsigned long)current);
}

/*
 * For an image whose memory is gone: maxrss is the largest of all images so
 * far, that one included, and with what the kernel's reading leaves out a bound;
 * of the address space nothing is known.
 */
void kt_peaks_bound(struct kt_usage *u)
{
	u->known &= ~BIT_ULL(KTALLY_U_PEAK_VM);
	u->known |= BIT_ULL(KTALLY_U_PEAK_RSS);
	u->upper |= BIT_ULL(KTALLY_U_PEAK_RSS);
	u->peak_rss = u->maxrss ? u->maxrss + (kt_mm_slack() << PAGE_SHIFT) : 0;
	u->peak_vm = 0;
}

/* Replaces the peaks in u, the new image's, by those of the image that ended. */
void kt_peaks_take(struct kt_usage *u)
{
	unsigned long me = (unsigned long)current;
	struct slot *s = own_slot();
	u64 rss, vm;
	u32 image;

	kt_peaks_bound(u);
	/* Partner: smp_store_release() in kt_peaks_keep(). */
	if (smp_load_acquire(&s->owner) != me)
		return;
	/* Another task may take the slot and write there; then my name is gone. */
	image = data_race(s->image);
	rss = data_race(s->rss);
	vm = data_race(s->vm);
	/* Only I store my name: if it still stands, the figures are mine. */
	if (cmpxchg(&s->owner, me, 0) != me || image + 1 != (u32)current->self_exec_id)
		return;
	u->known |= BIT_ULL(KTALLY_U_PEAK_VM);
	u->upper &= ~BIT_ULL(KTALLY_U_PEAK_RSS);
	u->peak_rss = rss;
	u->peak_vm = vm;
}
