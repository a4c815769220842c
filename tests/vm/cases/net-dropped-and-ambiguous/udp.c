// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * udp kept N - N datagrams from one socket to another.
 * udp - a socket that has room for few of its datagrams and is read when all have come;
 * and two sockets of a port between which a program chooses, always the second.
 */
#include "net.h"
#include <linux/filter.h>

#define SIZE	1000
#define MANY	60	/* fit into a socket as it is */

static char b[SIZE];

static int bound(int *port, int reuse)
{
	struct sockaddr_in a = lo4(*port);
	socklen_t n = sizeof(a);
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	need(s >= 0 && setsockopt(s, SOL_SOCKET, SO_REUSEPORT, &reuse, sizeof(reuse)) == 0, "SO_REUSEPORT");
	need(bind(s, (struct sockaddr *)&a, n) == 0 && getsockname(s, (struct sockaddr *)&a, &n) == 0, "bind");
	*port = ntohs(a.sin_port);
	return s;
}

static void send_many(const char *role, int port)
{
	struct sockaddr_in to = lo4(port);
	pid_t p = fork();
	int s, st;

	if (p) {
		need(waitpid(p, &st, 0) == p && code_of(st) == 0, "sender");
		return;
	}
	s = socket(AF_INET, SOCK_DGRAM, 0);
	for (int i = 0; i < MANY; i++)
		need(sendto(s, b, SIZE, 0, (struct sockaddr *)&to, sizeof(to)) == SIZE, "sendto");
	net_truth(role, MANY * SIZE, 0, MANY, 0);
	_exit(0);
}

static long long receive_all(int s, long *datagrams)
{
	long long bytes = 0;
	ssize_t n;

	for (*datagrams = 0; (n = recv(s, b, SIZE, MSG_DONTWAIT)) > 0; ++*datagrams)
		bytes += n;
	return bytes;
}

/* By the socket's own count. */
static long dropped(int s)
{
	uint32_t info[16] = { 0 };
	socklen_t n = sizeof(info);

	need(getsockopt(s, SOL_SOCKET, 55 /* SO_MEMINFO */, info, &n) == 0, "SO_MEMINFO");
	return info[8];	/* SK_MEMINFO_DROPS */
}

static void overflow(void)
{
	int port = 0, room = 8192, s = bound(&port, 0);
	long datagrams;
	long long bytes;

	need(setsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)) == 0, "SO_RCVBUF");
	send_many("over_send", port);
	bytes = receive_all(s, &datagrams);
	need(datagrams > 0 && datagrams < MANY && datagrams + dropped(s) == MANY, "some dropped");
	truth("role=over_recv pid=%d rx_bytes=%lld came=%d packets=%d dropped=%ld", getpid(), bytes,
	      MANY * SIZE, MANY, dropped(s));
	close(s);
}

static void chosen(void)
{
	struct sock_filter second[] = { { BPF_RET | BPF_K, 0, 0, 1 } };
	struct sock_fprog program = { 1, second };
	int port = 0, s[2] = { bound(&port, 1), bound(&port, 1) };
	long datagrams;
	long long bytes;

	need(setsockopt(s[0], SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program)) == 0,
	     "SO_ATTACH_REUSEPORT_CBPF");
	send_many("chosen_send", port);
	need(receive_all(s[0], &datagrams) == 0, "nothing for the first");
	bytes = receive_all(s[1], &datagrams);
	need(datagrams == MANY, "all for the second");
	truth("role=chosen_recv pid=%d rx_bytes=%lld packets=%d", getpid(), bytes, MANY);
}

static void one_flow(int n)
{
	int port = 0, s = bound(&port, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in to = lo4(port);

	need(connect(out, (struct sockaddr *)&to, sizeof(to)) == 0, "connect");
	for (int i = 0; i < n; i++)
		need(send(out, b, 1, 0) == 1 && recv(s, b, 1, 0) == 1, "datagram");
}

/* A process of its own, so that each has its own figures. */
static void in_child(void (*what)(void))
{
	int st;
	pid_t p = fork();

	if (p == 0) {
		what();
		_exit(0);
	}
	need(waitpid(p, &st, 0) == p && code_of(st) == 0, "child");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "kept")) {
		one_flow(atoi(argv[2]));
		return 0;
	}
	in_child(overflow);
	in_child(chosen);
	return 0;
}
