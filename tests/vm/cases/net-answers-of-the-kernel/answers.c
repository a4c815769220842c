// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * answers over - leaves two connections in TIME_WAIT, by IPv4 and IPv6, and prints their
 *	local and remote ports.
 * answers ask N LOCAL4 REMOTE4 LOCAL6 REMOTE6 - lets the kernel answer N times each: to
 *	requests for a closed port, and to segments that come too late for those connections.
 */
#include "net.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static union address local(int family, int port)
{
	union address a = { .v4 = lo4(port) };

	if (family == AF_INET6)
		a.v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT,
					      .sin6_port = htons((uint16_t)port) };
	return a;
}

static int port_of(int s)
{
	union address a;
	socklen_t n = sizeof(a);

	need(getsockname(s, &a.any, &n) == 0, "getsockname");
	return ntohs(a.v4.sin_port);	/* in the same place */
}

static int listening(int family)
{
	union address a = local(family, 0);
	int s = socket(family, SOCK_STREAM, 0);

	need(s >= 0 && bind(s, &a.any, sizeof(a.v6)) == 0 && listen(s, 8) == 0, "listen");
	return s;
}

static int connected(int family, int port, int error)
{
	union address a = local(family, port);
	int s = socket(family, SOCK_STREAM, 0);
	int rc = connect(s, &a.any, sizeof(a.v6));

	need(error ? rc < 0 && errno == error : rc == 0, "connect");
	return s;
}

/* Who closes first waits. */
static void leave_one(int family)
{
	int l = listening(family), s = connected(family, port_of(l), 0), peer = accept(l, NULL, NULL);
	int own = port_of(s), remote = port_of(l);
	char c;

	need(peer >= 0, "accept");
	close(s);
	need(recv(peer, &c, 1, 0) == 0, "end of file");
	close(peer);
	close(l);
	printf("%d %d ", own, remote);
}

static uint32_t sum16(const void *p, size_t n, uint32_t sum)
{
	const uint16_t *w = p;

	for (; n > 1; n -= 2)
		sum += *w++;
	return sum;
}

/* What a segment's check sum covers besides itself. */
static uint16_t check4(const struct tcphdr *th)
{
	struct { uint32_t from, to; uint8_t zero, protocol; uint16_t length; } pseudo = {
		htonl(INADDR_LOOPBACK), htonl(INADDR_LOOPBACK), 0, IPPROTO_TCP, htons(sizeof(*th)),
	};
	uint32_t sum = sum16(th, sizeof(*th), sum16(&pseudo, sizeof(pseudo), 0));

	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* An acknowledgement of nothing, as from the other end. */
static void come_late(int family, int own, int remote, int n)
{
	struct tcphdr th = { .source = htons((uint16_t)remote), .dest = htons((uint16_t)own), .seq = htonl(1),
			     .ack_seq = htonl(1), .doff = sizeof(th) / 4, .ack = 1, .window = htons(1024) };
	union address to = local(family, 0);
	int s = socket(family, SOCK_RAW, IPPROTO_TCP), at = 16;

	need(s >= 0, "raw socket");
	if (family == AF_INET)
		th.check = check4(&th);
	else
		need(setsockopt(s, IPPROTO_IPV6, IPV6_CHECKSUM, &at, sizeof(at)) == 0, "IPV6_CHECKSUM");
	while (n--)
		need(sendto(s, &th, sizeof(th), 0, &to.any, family == AF_INET ? sizeof(to.v4) : sizeof(to.v6)) ==
		     sizeof(th), "sendto");
	close(s);
}

static void ask(int n, char **ports)
{
	static const int families[] = { AF_INET, AF_INET6 };

	for (int i = 0; i < 2; i++) {
		int closed = listening(families[i]), port = port_of(closed);

		close(closed);
		for (int k = 0; k < n; k++)
			close(connected(families[i], port, ECONNREFUSED));
		come_late(families[i], atoi(ports[2 * i]), atoi(ports[2 * i + 1]), n);
	}
	truth("role=asks pid=%d n=%d", getpid(), n);
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "ask")) {
		ask(atoi(argv[2]), argv + 3);
		return 0;
	}
	need(argc == 2 && !strcmp(argv[1], "over"), "arguments");
	leave_one(AF_INET);
	leave_one(AF_INET6);
	printf("\n");
	return 0;
}
