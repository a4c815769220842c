/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mptcp.h - what a connection's subflows sent, by the kernel's own count of each: more than
 * its payload, for a full peer is asked for room by a byte each time, and what a subflow
 * was slow to deliver goes again.
 */
#ifndef MPTCP_H
#define MPTCP_H
#include "net.h"
#include <linux/mptcp.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <sys/ioctl.h>

struct mptcp_subflows {
	struct mptcp_subflow_data head;
	struct tcp_info of[4];
};

static inline bool mptcp_tells(int s, struct mptcp_subflows *known)
{
	socklen_t len = sizeof(*known);
	int left = 0;

	/* a subflow forgets when it is over, so all is waited for before the end */
	for (int tries = 0; tries < 5000 && !ioctl(s, SIOCOUTQ, &left) && left; tries++)
		msleep(2);
	memset(known, 0, sizeof(*known));
	known->head.size_subflow_data = sizeof(known->head);
	known->head.size_user = sizeof(known->of[0]);
	return !left && !getsockopt(s, SOL_MPTCP, MPTCP_TCPINFO, known, &len);
}

/* Before the connection is shut down; 0 where the kernel does not tell (before 5.16). */
static inline long long mptcp_sent(int s)
{
	struct mptcp_subflows known;
	long long sent = 0;

	if (!mptcp_tells(s, &known))
		return 0;
	need(known.head.num_subflows <= sizeof(known.of) / sizeof(known.of[0]), "few subflows");
	for (unsigned int i = 0; i < known.head.num_subflows; i++)
		sent += (long long)(known.of[i].tcpi_bytes_sent - known.of[i].tcpi_bytes_retrans);
	need(sent > 0, "subflows that tell what they sent");
	return sent;
}
#endif
