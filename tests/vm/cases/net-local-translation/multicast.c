// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * multicast send | receive N JOINED - 20 datagrams of 1,000 bytes to a group; N
 * processes that are in it, the file JOINED is made when all are.
 */
#include "net.h"
#define COUNT 20
static char b[2000];

static const struct sockaddr_in *group(void)
{
	static struct sockaddr_in a = { .sin_family = AF_INET };

	a.sin_port = htons(8090);
	a.sin_addr.s_addr = inet_addr("239.9.9.9");
	return &a;
}

static int joined(void)
{
	struct ip_mreq m = { .imr_multiaddr = group()->sin_addr, .imr_interface.s_addr = inet_addr("10.9.1.2") };
	struct timeval limit = { .tv_sec = 10 };
	int one = 1, s = socket(AF_INET, SOCK_DGRAM, 0);

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	need(bind(s, (const struct sockaddr *)group(), sizeof(*group())) == 0, "bind");
	need(setsockopt(s, IPPROTO_IP, IP_ADD_MEMBERSHIP, &m, sizeof(m)) == 0, "join");
	return s;
}

static void receive(int number, int ready)
{
	char role[32];
	long long n = 0;
	int s = joined();

	snprintf(role, sizeof(role), "multicast_recv%d", number);
	need(write(ready, "", 1) == 1, "ready");
	for (int i = 0; i < COUNT; i++) {
		ssize_t k = recv(s, b, sizeof(b), 0);

		need(k > 0, "recv");
		n += k;
	}
	net_truth(role, 0, n, 0, COUNT);
	_exit(0);
}

static int send_them(void)
{
	struct in_addr from = { inet_addr("10.9.1.1") };
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	unsigned char no = 0;
	long long n = 0;

	need(setsockopt(s, IPPROTO_IP, IP_MULTICAST_IF, &from, sizeof(from)) == 0, "interface");
	setsockopt(s, IPPROTO_IP, IP_MULTICAST_LOOP, &no, sizeof(no));
	for (int i = 0; i < COUNT; i++)
		n += sendto(s, b, 1000, 0, (const struct sockaddr *)group(), sizeof(*group()));
	net_truth("multicast_send", n, 0, COUNT, 0);
	return 0;
}

int main(int argc, char **argv)
{
	int n, ready[2], st;
	char c;

	need(argc > 1 && pipe(ready) == 0, "arguments");
	if (!strcmp(argv[1], "send"))
		return send_them();
	need(argc > 3, "arguments");
	n = atoi(argv[2]);
	for (int i = 0; i < n; i++) {
		if (fork() == 0)
			receive(i, ready[1]);
		need(read(ready[0], &c, 1) == 1, "joined");
	}
	need(close(open(argv[3], O_CREAT | O_WRONLY, 0600)) == 0, argv[3]);
	while (n--)
		need(wait(&st) > 0 && code_of(st) == 0, "receivers");
	return 0;
}
