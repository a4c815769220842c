/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * credit.h - HOT: adding a packet to a row of counters, for both directions. The
 * row is an account's or, while the owner is not known, the socket's own.
 */
#ifndef KTALLY_CREDIT_H
#define KTALLY_CREDIT_H

#include <linux/jump_label.h>

#include "netdev.h"
#include "sock.h"

struct kt_flow_key;

/* No sock_*_length here: UDP payload is counted where packets are. */
DECLARE_STATIC_KEY_FALSE(kt_net_by_arrival);

/* A flow is found only now: what it missed a moment ago was its own. */
void kt_received_take_up(struct kt_sock_entry *e, const struct kt_flow_key *key);

static __always_inline void kt_add_load(atomic64_t *cell, u32 packets, u32 bytes, u32 extra)
{
	atomic64_add(packets, &cell[NET_PACKETS]);
	atomic64_add(bytes, &cell[NET_BYTES]);
	if (__builtin_constant_p(extra) && !extra)
		return;
	atomic64_add(extra, &cell[NET_EXTRA]);
}

#endif
