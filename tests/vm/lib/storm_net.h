/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_net.h - the workers of storm.h that use the network; a part of it, included
 * where the helpers they need have been said.
 */
#ifndef KTALLY_TEST_STORM_NET_H
#define KTALLY_TEST_STORM_NET_H

#include <netinet/in.h>
#include <sys/socket.h>

static inline int storm_socket(int family, int type, struct sockaddr_in6 *at)
{
	struct sockaddr_in *at4 = (void *)at;
	int s = socket(family, type | SOCK_CLOEXEC, 0);
	socklen_t size = family == AF_INET ? sizeof(*at4) : sizeof(*at);
	struct timeval patience = { .tv_sec = 5 };

	memset(at, 0, sizeof(*at));
	at->sin6_family = family;
	if (family == AF_INET)
		at4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		at->sin6_addr = in6addr_loopback;
	if (s < 0 || bind(s, (void *)at, size) || getsockname(s, (void *)at, &size)) {
		if (s >= 0)
			close(s);
		return -1;
	}
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return s;
}

static inline socklen_t storm_size(const struct sockaddr_in6 *at)
{
	return at->sin6_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(*at);
}

static inline void storm_send(int s, size_t size)
{
	static const char zeroes[65536];

	while (size) {
		ssize_t n = send(s, zeroes, size < sizeof(zeroes) ? size : sizeof(zeroes),
				 MSG_NOSIGNAL);

		if (n <= 0)
			return;
		size -= n;
	}
}

static inline void storm_receive(int s)
{
	static char into[65536];

	while (recv(s, into, sizeof(into), 0) > 0)
		;
}

static int storm_connection;

/* The child of a connection sends on it: its socket changes hands. */
static inline int storm_sender(void)
{
	const struct linger at_once = { .l_onoff = 1 };

	storm_send(storm_connection, storm_random(4) ? storm_random(2000) : 100000);
	if (!storm_random(4))	/* reset instead of an orderly end */
		setsockopt(storm_connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	return 0;
}

static inline void storm_tcp(void)
{
	struct sockaddr_in6 at;
	int family = storm_random(2) ? AF_INET : AF_INET6, accepted;
	int listener = storm_socket(family, SOCK_STREAM, &at);
	pid_t sender = -1;

	if (listener < 0 || listen(listener, 8)) {
		storm_count(0);
		close(listener);
		return;
	}
	storm_connection = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (!connect(storm_connection, (void *)&at, storm_size(&at)))
		sender = storm_child(storm_sender);
	accepted = accept(listener, NULL, NULL);
	close(storm_connection);
	if (sender > 0 && accepted >= 0)
		storm_receive(accepted);
	close(accepted);
	close(listener);
	storm_reap(sender);
}

/* Bound, connected, moved to another peer, sent to from elsewhere, closed. */
static inline void storm_udp(void)
{
	int family = storm_random(2) ? AF_INET : AF_INET6;
	struct sockaddr_in6 here, there;
	int a = storm_socket(family, SOCK_DGRAM, &here);
	int b = storm_socket(family, SOCK_DGRAM, &there);
	char text[1400];

	storm_count(a >= 0 && b >= 0);
	if (a >= 0 && b >= 0) {
		connect(a, (void *)&there, storm_size(&there));
		for (int i = 0; i < 8; i++)
			send(a, text, storm_random(sizeof(text)), MSG_NOSIGNAL);
		for (int i = storm_random(8); i; i--)
			recv(b, text, sizeof(text), MSG_DONTWAIT);
		connect(a, (void *)&here, storm_size(&here));
		send(a, text, 100, MSG_NOSIGNAL);
		sendto(b, text, 10, MSG_NOSIGNAL, (void *)&here, storm_size(&here));
	}
	close(a);
	close(b);
}

/* A network of its own with a pair of devices, used and thrown away. */
static inline int storm_network_body(void)
{
	if (unshare(CLONE_NEWNET))
		return 1;
	if (system("exec 2> /dev/null; ip link set lo up; ip link add v0 type veth peer name v1;"
		   "ip addr add 10.9.0.1/24 dev v0; ip link set v0 up; ip link set veth0 up"))
		return 1;
	for (int i = 0; i < 4; i++) {
		storm_tcp();
		storm_udp();
	}
	return 0;
}

static inline void storm_networks(void)
{
	storm_reap(storm_child(storm_network_body));
}

#endif
