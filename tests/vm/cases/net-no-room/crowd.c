// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd CLIENTS QUIET-SECONDS - so many processes, each with a TCP connection and a UDP
 * socket, exchange with one server, are quiet for so long, exchange again and end. Half
 * of the connections are IPv6. Prints what each must have cost, and the sums.
 */
#include "xfer.h"

#define TURNS	2
#define BYTES	1000
#define MOST	200

struct client {
	pid_t pid;
	struct xfer_cost cost;
};

static struct {
	struct client client[MOST];
	struct xfer_cost server;
	int turn;		/* clients may begin this one */
} *shared;

static char bytes[BYTES];

static void add(struct xfer_cost *to, const struct xfer_cost *c)
{
	to->tx += c->tx;
	to->rx += c->rx;
	to->packets_tx += c->packets_tx;
	to->wire_tx += c->wire_tx;
}

/* to NULL: the peer of a connected socket */
static void datagram(int s, const struct sockaddr_in *to, struct xfer_cost *c)
{
	struct xfer x = { .mtu = 65536 };

	need(sendto(s, bytes, BYTES, 0, (const void *)to, to ? sizeof(*to) : 0) == BYTES, "datagram");
	xfer_datagram(&x, c, BYTES);
	c->tx += BYTES;
}

static void take_turn(int tcp, int udp, struct xfer_cost *c)
{
	c->tx += send_all(tcp, bytes, BYTES, 0);
	c->rx += recv_n(tcp, bytes, BYTES, BYTES, 0);
	datagram(udp, NULL, c);
	need(recv(udp, bytes, BYTES, 0) == BYTES, "answer");
	c->rx += BYTES;
}

static int connected_udp(int port)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in a = lo4(port);

	need(connect(s, (void *)&a, sizeof(a)) == 0, "connect by UDP");
	return s;
}

static void be_client(struct client *me, const struct xfer *x, int udp_port)
{
	int tcp = xfer_socket(x), udp = connected_udp(udp_port);
	struct timeval limit = { .tv_sec = 120 };
	struct xfer_cost segments = { 0 };

	set_name("client");
	setsockopt(tcp, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	need(connect(tcp, (const void *)&x->to, x->to_len) == 0, "connect");
	for (int turn = 1; turn <= TURNS; turn++) {
		while (__atomic_load_n(&shared->turn, __ATOMIC_ACQUIRE) < turn)
			msleep(20);
		take_turn(tcp, udp, &me->cost);
	}
	xfer_end(x, tcp, &segments);
	xfer_add_request(&segments);
	add(&me->cost, &segments);
	close(udp);
	exit(0);
}

static void serve_turn(const int *tcp, int n, int udp, struct xfer_cost *c)
{
	struct sockaddr_in from;
	socklen_t len;

	for (int i = 0; i < n; i++) {
		c->rx += recv_n(tcp[i], bytes, BYTES, BYTES, 0);
		c->tx += send_all(tcp[i], bytes, BYTES, 0);
		len = sizeof(from);
		need(recvfrom(udp, bytes, BYTES, 0, (void *)&from, &len) == BYTES, "datagram");
		c->rx += BYTES;
		datagram(udp, &from, c);
	}
}

static void serve(int listening, int udp, int n, unsigned quiet)
{
	struct xfer x = { 0 };
	int tcp[MOST];

	set_name("server");
	for (int i = 0; i < n; i++)
		need((tcp[i] = accept(listening, NULL, NULL)) >= 0, "accept");
	for (int turn = 1; turn <= TURNS; turn++) {
		if (turn > 1)
			msleep(quiet * 1000);
		__atomic_store_n(&shared->turn, turn, __ATOMIC_RELEASE);
		serve_turn(tcp, n, udp, &shared->server);
	}
	for (int i = 0; i < n; i++) {
		struct xfer_cost segments = { 0 };
		struct sockaddr_storage peer;
		socklen_t len = sizeof(peer);

		need(getpeername(tcp[i], (void *)&peer, &len) == 0, "peer");
		x.v6 = !IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6 *)&peer)->sin6_addr);
		xfer_end(&x, tcp[i], &segments);
		xfer_add_answer(&x, &segments);
		add(&shared->server, &segments);
	}
	exit(0);
}

/* Counts of each connection are one's own, so they are added here. */
static void tell(int n, pid_t server)
{
	struct xfer_cost all = shared->server;
	const struct xfer x = { .role = "server" }, client = { .role = "client" };

	xfer_truth(&x, &shared->server, server);
	for (int i = 0; i < n; i++) {
		xfer_truth(&client, &shared->client[i].cost, shared->client[i].pid);
		add(&all, &shared->client[i].cost);
	}
	truth("role=all clients=%d tx_bytes=%lld rx_bytes=%lld packets=%ld wire=%lld", n, all.tx,
	      all.rx, all.packets_tx, all.wire_tx);
}

/* Both families by one socket. */
static int listen_anywhere(int n, int *port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
	socklen_t len = sizeof(a);
	int s = socket(AF_INET6, SOCK_STREAM, 0);

	need(s >= 0 && bind(s, (void *)&a, len) == 0 && listen(s, n) == 0, "listen");
	need(getsockname(s, (void *)&a, &len) == 0, "name");
	*port = ntohs(a.sin6_port);
	return s;
}

int main(int argc, char **argv)
{
	const int n = argc > 2 ? atoi(argv[1]) : 0;
	int port, udp_port, listening, udp, st;
	struct xfer x[2];
	pid_t server;

	need(n > 0 && n <= MOST, "arguments");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared != MAP_FAILED, "memory");
	listening = listen_anywhere(n, &port);
	udp = udp4(&udp_port);
	xfer_init(&x[0], "client", "tcp", "127.0.0.1", port, 1, BYTES);
	xfer_init(&x[1], "client", "tcp", "::1", port, 1, BYTES);
	server = fork();
	if (!server)
		serve(listening, udp, n, (unsigned)atoi(argv[2]));
	for (int i = 0; i < n; i++) {
		pid_t p = fork();

		if (!p) {
			close(listening);
			close(udp);
			be_client(&shared->client[i], &x[i % 2], udp_port);
		}
		shared->client[i].pid = p;
	}
	for (int i = 0; i <= n; i++)
		need(wait(&st) > 0 && code_of(st) == 0, "every process");
	tell(n, server);
	return 0;
}
