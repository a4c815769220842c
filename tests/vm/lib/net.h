/* SPDX-License-Identifier: GPL-2.0-or-later */
/* net.h - loopback helpers for the network workloads: each call gives up loudly. */
#ifndef NET_H
#define NET_H
#include "truth.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
static inline struct sockaddr_in lo4(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	return a;
}
/* listening TCP socket on 127.0.0.1, any port; port returned */
static inline int listen4(int *port)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = lo4(0);
	socklen_t l = sizeof a;
	need(s >= 0 && bind(s, (struct sockaddr *)&a, l) == 0 && listen(s, 8) == 0, "listen");
	need(getsockname(s, (struct sockaddr *)&a, &l) == 0, "getsockname");
	*port = ntohs(a.sin_port);
	return s;
}
static inline int connect4(int port)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = lo4(port);
	need(s >= 0 && connect(s, (struct sockaddr *)&a, sizeof a) == 0, "connect");
	return s;
}
static inline int udp4(int *port)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in a = lo4(0);
	socklen_t l = sizeof a;
	need(s >= 0 && bind(s, (struct sockaddr *)&a, l) == 0 && getsockname(s, (struct sockaddr *)&a, &l) == 0, "udp");
	*port = ntohs(a.sin_port);
	return s;
}
/* send everything with write-like calls; returns the sum of return values */
static inline long long send_all(int s, const void *b, size_t n, int flags)
{
	size_t done = 0;
	while (done < n) {
		ssize_t r = send(s, (const char *)b + done, n - done, flags | MSG_NOSIGNAL);
		need(r > 0, "send");
		done += (size_t)r;
	}
	return (long long)done;
}
static inline long long recv_n(int s, void *b, size_t cap, long long want, int flags)
{
	long long got = 0;
	while (got < want) {
		size_t ask = (size_t)(want - got) < cap ? (size_t)(want - got) : cap;
		ssize_t r = recv(s, b, ask, flags);
		need(r > 0, "recv");
		got += r;
	}
	return got;
}
static inline void net_truth(const char *role, long long tx, long long rx, long tp, long rp)
{
	truth("role=%s pid=%ld tx_bytes=%lld rx_bytes=%lld tx_calls=%ld rx_calls=%ld", role, (long)syscall(SYS_getpid), tx, rx, tp, rp);
}
#endif
