// SPDX-License-Identifier: GPL-2.0-or-later
/* One process talks to itself over loopback; then one socket connected to itself. */
#include "net.h"
static char b[65536];
int main(void)
{
	pid_t p = fork();
	if (p == 0) {
		prctl(PR_SET_NAME, "both-ends", 0, 0, 0);
		int port, ls = listen4(&port), c = connect4(port), s = accept(ls, NULL, NULL);
		long long t = 0, n = 0;
		for (int i = 0; i < 64; i++) {
			t += send_all(c, b, 32768, 0);
			n += recv_n(s, b, sizeof b, 32768, 0);
		}
		net_truth("both-ends", t, n, 64, 64);
		_exit(0);
	}
	int st = reap(p, "both-ends-end");
	need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "both ends");
	p = fork();
	if (p == 0) {
		prctl(PR_SET_NAME, "self-connected", 0, 0, 0);
		int s = socket(AF_INET, SOCK_STREAM, 0);
		struct sockaddr_in a = lo4(0);
		socklen_t l = sizeof a;
		need(bind(s, (struct sockaddr *)&a, l) == 0 && getsockname(s, (struct sockaddr *)&a, &l) == 0, "bind");
		need(connect(s, (struct sockaddr *)&a, l) == 0, "connect to own address");
		long long t = 0, n = 0;
		for (int i = 0; i < 32; i++) {
			t += send_all(s, b, 32768, 0);
			n += recv_n(s, b, sizeof b, 32768, 0);
		}
		net_truth("self-connected", t, n, 32, 32);
		_exit(0);
	}
	st = reap(p, "self-connected-end");
	need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "self connected");
	return 0;
}
