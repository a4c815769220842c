// SPDX-License-Identifier: GPL-2.0-or-later
/* The same megabyte over IPv4, IPv6 and IPv4-mapped IPv6; UDP over IPv6 too. */
#include "net.h"
static char b[65536];
#define N (1 << 20)
int main(void)
{
	static const char *name[] = { "v4", "v6", "v4-mapped" };
	int probe = socket(AF_INET6, SOCK_STREAM, 0);
	struct sockaddr_in6 l6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	if (probe < 0 || bind(probe, (struct sockaddr *)&l6, sizeof l6))
		skip("no IPv6 loopback");
	close(probe);
	for (int k = 0; k < 3; k++) {
		int ls, port, zero = 0;
		struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
		socklen_t l = sizeof a;
		if (k == 0)
			ls = listen4(&port);
		else {
			ls = socket(AF_INET6, SOCK_STREAM, 0);
			setsockopt(ls, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof zero);
			need(bind(ls, (struct sockaddr *)&a, l) == 0 && listen(ls, 4) == 0 && getsockname(ls, (struct sockaddr *)&a, &l) == 0, "listen6");
			port = ntohs(a.sin6_port);
		}
		pid_t r = fork();
		if (r == 0) {
			int s = accept(ls, NULL, NULL);
			long long n = recv_n(s, b, sizeof b, N, 0);
			long long t = send_all(s, b, 1000, 0);
			char role[32];
			snprintf(role, sizeof role, "%s-server", name[k]);
			net_truth(role, t, n, 0, 0);
			_exit(0);
		}
		pid_t c = fork();
		if (c == 0) {
			int s;
			if (k == 1) {
				s = socket(AF_INET6, SOCK_STREAM, 0);
				l6.sin6_port = htons((uint16_t)port);
				need(connect(s, (struct sockaddr *)&l6, sizeof l6) == 0, "connect6");
			} else
				s = connect4(port);	/* k==2: IPv4 client, IPv6 server socket */
			long long t = 0;
			while (t < N)
				t += send_all(s, b, sizeof b, 0);
			long long n = recv_n(s, b, sizeof b, 1000, 0);
			char role[32];
			snprintf(role, sizeof role, "%s-client", name[k]);
			net_truth(role, t, n, 0, 0);
			_exit(0);
		}
		int st = reap(c, "client-end");
		need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "client");
		st = reap(r, "server-end");
		need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "server");
		close(ls);
	}
	int us = socket(AF_INET6, SOCK_DGRAM, 0);	/* UDP over IPv6, one process, 100 datagrams to itself */
	l6.sin6_port = 0;
	socklen_t l = sizeof l6;
	need(bind(us, (struct sockaddr *)&l6, l) == 0 && getsockname(us, (struct sockaddr *)&l6, &l) == 0, "udp6");
	long long t = 0, n = 0;
	for (int i = 0; i < 100; i++) {
		t += sendto(us, b, 1100, 0, (struct sockaddr *)&l6, l);
		n += recv(us, b, sizeof b, 0);
	}
	net_truth("udp6-self", t, n, 100, 100);
	return 0;
}
