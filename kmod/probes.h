/* SPDX-License-Identifier: GPL-2.0-only */
/* probes.h - attaching to tracepoints by name; see probes.c. */
#ifndef KTALLY_PROBES_H
#define KTALLY_PROBES_H

#include <linux/tracepoint.h>
#include <linux/types.h>

/* A row of the table in events.c. */
struct kt_probe {
	const char *name;	/* NULL: not of use on this kernel */
	void *callback;
	void *begins, *ended;	/* of its type, see timing.h; NULL: it can't be timed */
	bool required;		/* the module does not load without it */
	u64 feature;		/* KTALLY_FEAT_* that it brings, or 0 */
	struct tracepoint *found;
	bool attached, timed;
	unsigned long hook;	/* its number for timing */
};

int kt_probes_open(struct kt_probe *probes, unsigned int n);
void kt_probes_close(struct kt_probe *probes, unsigned int n);
/* Puts the callbacks that time ours around them, all or none, or takes them away. */
int kt_probes_time(bool on);

#endif
