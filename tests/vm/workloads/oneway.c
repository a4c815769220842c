// SPDX-License-Identifier: GPL-2.0-or-later
/* One process only sends, one only receives; four calling styles. */
#include "net.h"
static char b[65536];
int main(void)
{
	int rport, rs = udp4(&rport), big = 4 << 20;
	setsockopt(rs, SOL_SOCKET, SO_RCVBUF, &big, sizeof big);
	struct timeval tv = { 2, 0 };
	setsockopt(rs, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	pid_t r = fork();
	if (r == 0) {
		prctl(PR_SET_NAME, "only-receives", 0, 0, 0);
		long long n = 0;
		long c = 0;
		while (c < 200) {
			ssize_t k = recv(rs, b, sizeof b, 0);
			need(k > 0, "recv");
			n += k;
			c++;
		}
		net_truth("only-receives", 0, n, 0, c);
		_exit(0);
	}
	close(rs);
	pid_t s = fork();
	if (s == 0) {
		prctl(PR_SET_NAME, "only-sends", 0, 0, 0);
		struct sockaddr_in to = lo4(rport);
		int u = socket(AF_INET, SOCK_DGRAM, 0), v = socket(AF_INET, SOCK_DGRAM, 0);
		need(connect(v, (struct sockaddr *)&to, sizeof to) == 0, "connect");
		long long n = 0;
		for (int i = 0; i < 50; i++) {
			struct iovec iv[2] = { { b, 700 }, { b, 700 } };
			struct msghdr h = { .msg_name = &to, .msg_namelen = sizeof to, .msg_iov = iv, .msg_iovlen = 2 };
			n += sendto(u, b, 1400, 0, (struct sockaddr *)&to, sizeof to);
			n += write(v, b, 1400);
			n += sendmsg(u, &h, 0);
			h.msg_name = NULL;
			h.msg_namelen = 0;
			struct mmsghdr mm = { .msg_hdr = h };
			need(sendmmsg(v, &mm, 1, 0) == 1, "sendmmsg");
			n += mm.msg_len;
			if (i % 10 == 9)
				msleep(2);
		}
		net_truth("only-sends", n, 0, 200, 0);
		_exit(0);
	}
	int st = reap(s, "sender-end");
	need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "sender");
	st = reap(r, "receiver-end");
	need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "receiver");
	return 0;
}
