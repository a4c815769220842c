/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tcp.h - the socket of a received TCP packet that no flow leads to, asked of the
 * kernel. Only after a table was full or something was put out of it: otherwise
 * each connection has a flow, and a packet without one has no socket.
 */
#ifndef KTALLY_TCP_H
#define KTALLY_TCP_H

#include "flow.h"
#include "netdev.h"
#include "sock.h"

/* kt_sock_overflow if it has no room; NULL: no socket, or no need to ask. */
struct kt_sock_entry *kt_tcp_ask(const struct kt_netdev_slot *d, const struct kt_flow_key *key);

#endif
