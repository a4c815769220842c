// SPDX-License-Identifier: GPL-2.0-or-later
/* three processes share one UDP port; each owns what its own recv returned */
#include "net.h"
int main(void)
{
	int port = 0, one = 1;
	pid_t p[3];
	int first = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in a = lo4(0);
	socklen_t l = sizeof a;
	setsockopt(first, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
	need(bind(first, (struct sockaddr *)&a, l) == 0 && getsockname(first, (struct sockaddr *)&a, &l) == 0, "bind");
	port = ntohs(a.sin_port);
	for (int i = 0; i < 3; i++) {
		int s = i ? socket(AF_INET, SOCK_DGRAM, 0) : first;
		if (i) {
			setsockopt(s, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
			need(bind(s, (struct sockaddr *)&a, l) == 0, "bind again");
		}
		struct timeval tv = { 0, 500000 };
		setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
		p[i] = fork();
		if (p[i] == 0) {
			char b[2000], r[16];
			long long n = 0;
			long c = 0;
			ssize_t k;
			while ((k = recv(s, b, sizeof b, 0)) > 0) {
				n += k;
				c++;
			}
			snprintf(r, sizeof r, "receiver%d", i);
			net_truth(r, 0, n, 0, c);
			_exit(0);
		}
		close(s);
	}
	char b[1000] = "";
	long long t = 0;
	for (int i = 0; i < 300; i++) {	/* new source port each time, so that the kernel spreads them */
		int u = socket(AF_INET, SOCK_DGRAM, 0);
		struct sockaddr_in to = lo4(port);
		t += sendto(u, b, sizeof b, 0, (struct sockaddr *)&to, sizeof to);
		close(u);
	}
	for (int i = 0; i < 3; i++)
		waitpid(p[i], NULL, 0);
	net_truth("sender", t, 0, 300, 0);
	return 0;
}
