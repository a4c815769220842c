/* SPDX-License-Identifier: GPL-2.0-only */
/* nethook.h - attaching the packet hooks, and what they count on the side; see net.c. */
#ifndef KTALLY_NETHOOK_H
#define KTALLY_NETHOOK_H

#include <linux/types.h>

/* What should not happen, or not often. */
struct kt_net_odd {
	u64 no_device;		/* packets on a device without a slot */
	u64 dropped;		/* taken back: the driver dropped it */
	u64 busy;		/* taken back: it will be sent again */
	u64 not_taken_back;	/* not found any more */
	u64 taken_up;		/* credited in hindsight */
};

int kt_nethook_open(void);
void kt_nethook_close(void);
void kt_nethook_odd(struct kt_net_odd *sum);

#endif
