/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frag.h - fragments of received IP packets. Only the first carries ports; it
 * tells the others' socket for a second. Those that come before it are held.
 * Runs in softirq, off the path of whole packets; a raw lock per slot.
 */
#ifndef KTALLY_FRAG_H
#define KTALLY_FRAG_H

#include "flow.h"
#include "netdev.h"
#include "sock.h"

/* What one or several skbs count for. */
struct kt_load {
	u32 packets, bytes, extra;
};

/* key: addresses, and in w namespace, family, protocol and the packet's id. */
/* The first one: e is its socket; what was held is added to *held. */
void kt_frag_first(const struct kt_flow_key *key, const struct kt_netdev_slot *d,
		   struct kt_sock_entry *e, struct kt_load *held);
/* A later one: its entry, or NULL: held until the first comes. */
struct kt_sock_entry *kt_frag_later(const struct kt_flow_key *key, const struct kt_netdev_slot *d,
				    const struct kt_load *load);
/* Worker: what was held for over a second goes to its bucket. */
void kt_frag_expire(void);

int kt_frag_open(void);
void kt_frag_close(void);

#endif
