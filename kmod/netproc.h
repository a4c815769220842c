/* SPDX-License-Identifier: GPL-2.0-only */
/* netproc.h - between netctl.c, which opens, and netproc.c, which fills records. */
#ifndef KTALLY_NETPROC_H
#define KTALLY_NETPROC_H

#include <linux/types.h>

/* Everything is there to count with: set last, cleared first. */
extern bool kt_net_is_open;

#endif
