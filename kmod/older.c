// SPDX-License-Identifier: GPL-2.0-only
/*
 * older.c - what processes had used that lived before the totals began, to subtract
 * it from what they come to. A list of numbers in the order of PIDs, made once in
 * process context, only read after that: HOT, at the end of such a process.
 */
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "older.h"
#include "sample.h"

#define SLACK	64	/* processes that may be forked between counting and listing them */

struct kt_older_life {
	u64 start;
	u32 tgid;
	u64 use[KT_SUM_USES];
};

static_assert(offsetof(struct kt_usage, nvcsw) - offsetof(struct kt_usage, utime) ==
	      4 * sizeof(u64));
static_assert(offsetof(struct kt_usage, rss) - offsetof(struct kt_usage, nvcsw) ==
	      (KT_SUM_USES - 3) * sizeof(u64));

/* As in records, without run_delay: an end knows its own thread's only. */
void kt_older_use(u64 *to, const struct kt_usage *u)
{
	const u64 *from = (const u64 *)u + offsetof(struct kt_usage, utime) / sizeof(u64);

	memcpy(to, from, 3 * sizeof(u64));
	memcpy(to + 3, from + 4, (KT_SUM_USES - 3) * sizeof(u64));
}

static const struct kt_older_life *find(const struct kt_older *o, u32 tgid, u64 start)
{
	u32 low = 0, high = o->n;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (o->life[mid].tgid < tgid)
			low = mid + 1;
		else
			high = mid;
	}
	return low < o->n && o->life[low].tgid == tgid && o->life[low].start == start ?
		&o->life[low] : NULL;
}

void kt_older_subtract(const struct kt_older *o, u64 *use, u32 tgid, u64 start)
{
	const struct kt_older_life *l = find(o, tgid, start);
	unsigned int i;

	for (i = 0; l && i < KT_SUM_USES; i++)
		use[i] -= min(use[i], l->use[i]);
}

static u32 count_processes(void)
{
	struct task_struct *p;
	u32 n = 0;
	int nr = 1;

	while ((p = kt_sample_next(&nr))) {
		put_task_struct(p);
		n++;
	}
	return n;
}

static void list(struct kt_older *o, u32 room, u64 since, struct ktally_task *t)
{
	struct task_struct *p;
	int nr = 1;

	while ((p = kt_sample_next(&nr))) {
		struct kt_older_life *l = &o->life[o->n];

		if (o->n < room && p->start_boottime < since && kt_sample(p, t)) {
			l->start = t->start;
			l->tgid = t->tgid;
			kt_older_use(l->use, KT_USAGE(t));
			o->n++;
		}
		put_task_struct(p);
		cond_resched();
	}
}

int kt_older_list(struct kt_older *o, u64 since)
{
	struct ktally_task *t = kmalloc(sizeof(*t), GFP_KERNEL);
	u32 room = count_processes() + SLACK;

	o->life = kvcalloc(room, sizeof(*o->life), GFP_KERNEL);
	if (t && o->life)
		list(o, room, since, t);
	kfree(t);
	return t && o->life ? 0 : -ENOMEM;
}

void kt_older_free(struct kt_older *o)
{
	kvfree(o->life);
}
