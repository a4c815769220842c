// SPDX-License-Identifier: GPL-2.0-or-later
/* One receive call that fills slowly in many rounds; peeks before it. */
#include "net.h"
#define N (4 << 20)
static char b[N];
int main(void)
{
	int port, ls = listen4(&port);
	pid_t r = fork();
	if (r == 0) {
		prctl(PR_SET_NAME, "waits-for-all", 0, 0, 0);
		int s = accept(ls, NULL, NULL);
		need(recv(s, b, 100, MSG_PEEK | MSG_WAITALL) == 100, "peek");
		need(recv(s, b, 100, MSG_PEEK) == 100, "peek");
		ssize_t n = recv(s, b, N, MSG_WAITALL);
		need(n == N, "one call");
		net_truth("waits-for-all", 0, n, 0, 1);
		_exit(0);
	}
	pid_t c = fork();
	if (c == 0) {
		prctl(PR_SET_NAME, "trickles", 0, 0, 0);
		int s = connect4(port);
		long long t = 0;
		for (int i = 0; i < 64; i++) {
			t += send_all(s, b, N / 64, 0);
			msleep(2);
		}
		net_truth("trickles", t, 0, 64, 0);
		_exit(0);
	}
	int st = reap(c, "sender-end");
	need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "sender");
	st = reap(r, "receiver-end");
	need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "receiver");
	return 0;
}
