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
	bool required;		/* the module does not load without it */
	u64 feature;		/* KTALLY_FEAT_* that it brings, or 0 */
	struct tracepoint *found;
	bool attached;
};

int kt_probes_open(struct kt_probe *probes, unsigned int n);
void kt_probes_close(struct kt_probe *probes, unsigned int n);

#endif
