// SPDX-License-Identifier: GPL-2.0-or-later
/* Eight MiB over things that look like sockets but are not the network. */
#include "net.h"
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
static char b[65536];
int main(void)
{
	pid_t p = fork();
	if (p == 0) {
		prctl(PR_SET_NAME, "only-ipc", 0, 0, 0);
		int sv[2], pp[2];
		long long n = 0;
		static const int type[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
		for (int k = 0; k < 3; k++) {
			need(socketpair(AF_UNIX, type[k], 0, sv) == 0, "socketpair");
			for (int i = 0; i < 64; i++) {
				need(send(sv[0], b, 32768, MSG_NOSIGNAL) == 32768, "unix send");
				n += recv_n(sv[1], b, sizeof b, 32768, 0);
			}
			close(sv[0]);
			close(sv[1]);
		}
		need(pipe(pp) == 0, "pipe");
		for (int i = 0; i < 64; i++) {
			need(write(pp[1], b, 32768) == 32768, "pipe write");
			ssize_t g = 0;
			while (g < 32768) {
				ssize_t k = read(pp[0], b, sizeof b);
				need(k > 0, "pipe read");
				g += k;
			}
			n += g;
		}
		long nl = 0;
		int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
		struct { struct nlmsghdr h; struct rtgenmsg g; } q = { { sizeof q, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 }, { AF_UNSPEC } };
		if (s >= 0 && send(s, &q, sizeof q, 0) > 0)
			nl = recv(s, b, sizeof b, 0);
		truth("role=only-ipc pid=%d ipc_bytes=%lld netlink_bytes=%ld network_tx_bytes=0 network_rx_bytes=0", getpid(), n, nl);
		_exit(0);
	}
	int st = reap(p, "only-ipc-end");
	need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "ipc");
	return 0;
}
