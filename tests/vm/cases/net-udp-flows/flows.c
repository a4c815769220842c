// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flows FLOWS PASSES - so many sockets, half of them IPv6, send to one port in turn; then
 * the port's sockets are closed, another process binds it, and they send on.
 */
#include "net.h"

#define SIZE	100
#define MOST	200	/* fit into the receivers as they are */

static char b[SIZE];

static struct sockaddr_in6 lo6(int port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = IN6ADDR_LOOPBACK_INIT };

	return a;
}

/* s[0]: IPv4, s[1]: IPv6; *port 0: any */
static void bind_both(int s[2], int *port)
{
	struct sockaddr_in a4 = lo4(*port);
	struct sockaddr_in6 a6;
	socklen_t len = sizeof(a4);

	s[0] = socket(AF_INET, SOCK_DGRAM, 0);
	need(bind(s[0], (void *)&a4, len) == 0 && getsockname(s[0], (void *)&a4, &len) == 0, "bind");
	*port = ntohs(a4.sin_port);
	a6 = lo6(*port);
	s[1] = socket(AF_INET6, SOCK_DGRAM, 0);
	need(bind(s[1], (void *)&a6, sizeof(a6)) == 0, "bind by IPv6");
}

/* A pass is taken before the next one is sent, so that none of it is dropped. */
static void receive(const char *role, const int *flow, int flows, int *port, int passes, const int *go, const int *done)
{
	int s[2];

	set_name(role);
	for (int i = 0; i < flows; i++)
		close(flow[i]);
	bind_both(s, port);
	need(write(done[1], port, sizeof(*port)) == sizeof(*port), "port");
	for (int pass = 0; pass < passes; pass++) {
		need(read(go[0], b, 1) == 1, "pass");
		for (int i = 0; i < flows; i++)
			need(recv(s[i % 2], b, SIZE, 0) == SIZE, "datagram");
		need(write(done[1], b, 1) == 1, "taken");
	}
	net_truth(role, 0, (long long)passes * flows * SIZE, 0, passes * flows);
	exit(0);
}

static void send_one(int s, int v6, int port)
{
	struct sockaddr_in a4 = lo4(port);
	struct sockaddr_in6 a6 = lo6(port);

	if (v6)
		need(sendto(s, b, SIZE, 0, (void *)&a6, sizeof(a6)) == SIZE, "sendto by IPv6");
	else
		need(sendto(s, b, SIZE, 0, (void *)&a4, sizeof(a4)) == SIZE, "sendto");
}

static void turn(const char *role, const int *flow, int flows, int *port, int passes)
{
	int go[2], done[2], st;
	pid_t p;

	need(pipe(go) == 0 && pipe(done) == 0, "pipe");
	p = fork();
	if (!p)
		receive(role, flow, flows, port, passes, go, done);
	need(read(done[0], port, sizeof(*port)) == sizeof(*port), "port");
	for (int pass = 0; pass < passes; pass++) {
		for (int i = 0; i < flows; i++)
			send_one(flow[i], i % 2, *port);
		need(write(go[1], b, 1) == 1 && read(done[0], b, 1) == 1, "taken");
	}
	need(waitpid(p, &st, 0) == p && code_of(st) == 0, role);
}

int main(int argc, char **argv)
{
	const int flows = argc > 2 ? atoi(argv[1]) : 0, passes = argc > 2 ? atoi(argv[2]) : 0;
	int flow[MOST], port = 0;

	need(flows > 0 && flows <= MOST && flows % 2 == 0 && passes > 0, "arguments");
	set_name("sender");
	for (int i = 0; i < flows; i++)
		need((flow[i] = socket(i % 2 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0)) >= 0, "socket");
	turn("first", flow, flows, &port, passes);
	turn("second", flow, flows, &port, passes);
	net_truth("sender", 2LL * passes * flows * SIZE, 0, 2L * passes * flows, 0);
	return 0;
}
