// SPDX-License-Identifier: GPL-2.0-or-later
/* writes 1 MiB into a socket and ends at once; the kernel delivers the rest later */
#include "net.h"
static char b[1 << 20];
int main(void)
{
	int port, ls = listen4(&port), big = 4 << 20;
	pid_t r = fork();
	if (r == 0) {
		int s = accept(ls, NULL, NULL);
		msleep(400);
		long long n = 0;
		ssize_t k;
		while ((k = recv(s, b, sizeof b, 0)) > 0)
			n += k;
		net_truth("slow-reader", 0, n, 0, 0);
		_exit(0);
	}
	pid_t w = fork();
	if (w == 0) {
		int s = socket(AF_INET, SOCK_STREAM, 0);
		setsockopt(s, SOL_SOCKET, SO_SNDBUF, &big, sizeof big);
		struct sockaddr_in a = lo4(port);
		need(connect(s, (struct sockaddr *)&a, sizeof a) == 0, "connect");
		ssize_t k = send(s, b, sizeof b, MSG_DONTWAIT);
		net_truth("writes-and-dies", k, 0, 1, 0);
		_exit(0);
	}
	reap(w, "writer-end");
	reap(r, "reader-end");
	return 0;
}
