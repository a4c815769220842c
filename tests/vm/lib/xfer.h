/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfer.h - one transfer over TCP or UDP between two processes that both know what
 * it must have cost: payload from their calls; packets and bytes on the wire from
 * the kernel's own count of the connection's segments, or for UDP from the sizes.
 */
#ifndef XFER_H
#define XFER_H
#include "mptcp.h"
#include <linux/udp.h>
#include <stdbool.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

/* enum of the kernel's own that no header for programs has beside struct tcp_info */
#define XFER_TCP_CLOSE 7

struct xfer {
	const char *role;
	bool stream, v6;
	int protocol;			/* of socket(): 0 or IPPROTO_MPTCP */
	struct sockaddr_storage to;
	socklen_t to_len;
	long count, size;		/* that many calls, or datagrams, of that size */
	int segment;			/* UDP: the kernel cuts each call into these */
	int mtu;			/* UDP: of the device, for fragments */
	volatile long *arrived;		/* UDP: bytes, told by the receiver; or NULL */
};

/* What one end knows; wire: with MAC headers, each segment with its own. */
struct xfer_cost {
	long long tx, rx;		/* payload */
	long long wire_tx;
	long packets_tx;
	long long subflow_tx;		/* MPTCP: what its subflows sent, 0 where nobody knows */
};

static char xfer_bytes[1 << 17];

/* protocol: tcp, mptcp, udp, udp-gso; address: of either family */
static inline void xfer_init(struct xfer *x, const char *role, const char *protocol,
			     const char *address, int port, long count, long size)
{
	memset(x, 0, sizeof(*x));
	x->role = role;
	x->stream = strstr(protocol, "tcp") != NULL;
	x->protocol = !strcmp(protocol, "mptcp") ? IPPROTO_MPTCP : 0;
	x->segment = !strcmp(protocol, "udp-gso") ? 1400 : 0;
	x->count = count;
	x->size = size;
	x->mtu = 1500;
	x->v6 = strchr(address, ':') != NULL;
	if (x->v6) {
		struct sockaddr_in6 *a = (void *)&x->to;

		a->sin6_family = AF_INET6;
		a->sin6_port = htons((uint16_t)port);
		need(inet_pton(AF_INET6, address, &a->sin6_addr) == 1, address);
		x->to_len = sizeof(*a);
	} else {
		struct sockaddr_in *a = (void *)&x->to;

		a->sin_family = AF_INET;
		a->sin_port = htons((uint16_t)port);
		need(inet_pton(AF_INET, address, &a->sin_addr) == 1, address);
		x->to_len = sizeof(*a);
	}
}

static inline int xfer_socket(const struct xfer *x)
{
	int s = socket(x->to.ss_family, x->stream ? SOCK_STREAM : SOCK_DGRAM, x->protocol);
	int one = 1, big = 16 << 20;
	struct timeval limit = { .tv_sec = 10 };

	if (s < 0)
		skip("no such protocol");
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (!x->stream)
		setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &big, sizeof(big));
	return s;
}

static inline void xfer_count_segments(const struct xfer *x, int s, struct xfer_cost *c)
{
	const int header = 14 + (x->v6 ? 40 : 20) + 20 + 12;	/* with time stamps */
	struct tcp_info i;
	socklen_t len;

	/* the last acknowledgement belongs to it, too */
	for (int tries = 0; tries < 10000; tries++) {
		memset(&i, 0, sizeof(i));
		len = sizeof(i);
		need(getsockopt(s, IPPROTO_TCP, TCP_INFO, &i, &len) == 0, "TCP_INFO");
		if (i.tcpi_state == XFER_TCP_CLOSE)
			break;
		msleep(2);
	}
	need(i.tcpi_state == XFER_TCP_CLOSE, "closed on both sides");
	c->packets_tx = i.tcpi_segs_out;
	c->wire_tx = (long long)i.tcpi_bytes_sent + (long long)i.tcpi_segs_out * header;
}

/* Ends a connection in both directions and looks at what it took. */
static inline void xfer_end(const struct xfer *x, int s, struct xfer_cost *c)
{
	if (x->protocol && c->tx)
		c->subflow_tx = mptcp_sent(s);
	shutdown(s, SHUT_WR);
	while (recv(s, xfer_bytes, sizeof(xfer_bytes), 0) > 0)
		;
	if (!x->protocol)
		xfer_count_segments(x, s, c);
	close(s);
}

/*
 * A request has 8 bytes of options more than other segments. Its answer has as well,
 * and comes from a socket that is none yet: the connection did not count it.
 */
static inline void xfer_add_request(struct xfer_cost *c)
{
	c->wire_tx += 8;
}

static inline void xfer_add_answer(const struct xfer *x, struct xfer_cost *c)
{
	c->packets_tx++;
	c->wire_tx += 14 + (x->v6 ? 40 : 20) + 40;
}

static inline void xfer_datagram(const struct xfer *x, struct xfer_cost *c, long payload)
{
	const int ip = x->v6 ? 40 : 20, fragment = x->v6 ? 8 : 0;
	const long whole = payload + 8;
	long n = 1;

	if (whole + ip > x->mtu) {
		const long room = (x->mtu - ip - fragment) & ~7L;

		n = (whole + room - 1) / room;
		c->wire_tx += n * fragment;
	}
	c->packets_tx += n;
	c->wire_tx += whole + n * (14 + ip);
}

static inline void xfer_call_cost(const struct xfer *x, struct xfer_cost *c)
{
	long left = x->size;

	for (; x->segment && left > x->segment; left -= x->segment)
		xfer_datagram(x, c, x->segment);
	xfer_datagram(x, c, left);
}

/* The file READY tells both ends of a transfer how much has arrived. */
static inline void xfer_share(struct xfer *x, const char *ready)
{
	int fd = open(ready, O_CREAT | O_RDWR, 0600);

	need(fd >= 0 && ftruncate(fd, sizeof(*x->arrived)) == 0, "ready");
	x->arrived = mmap(NULL, sizeof(*x->arrived), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(x->arrived != MAP_FAILED, "ready");
	close(fd);
}

/* A card has room for a few hundred frames, and nobody sends a datagram again. */
static inline void xfer_pace(const struct xfer *x, long long sent, long call)
{
	if (!x->arrived && call % 8 == 7)
		msleep(2);
	for (int tries = 0; x->arrived && sent - *x->arrived >= 65536 && tries < 5000; tries++)
		msleep(1);
}

static inline struct xfer_cost xfer_send(const struct xfer *x)
{
	struct xfer_cost c = { 0 };
	int one = 1, s = xfer_socket(x);

	need(connect(s, (const void *)&x->to, x->to_len) == 0, "connect");
	if (x->stream)
		setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (x->segment && setsockopt(s, IPPROTO_UDP, UDP_SEGMENT, &x->segment, sizeof(x->segment)))
		skip("no UDP_SEGMENT");
	for (long i = 0; i < x->count; i++) {
		if (x->stream) {
			c.tx += send_all(s, xfer_bytes, (size_t)x->size, 0);
			continue;
		}
		need(send(s, xfer_bytes, (size_t)x->size, 0) == x->size, "send");
		c.tx += x->size;
		xfer_call_cost(x, &c);
		xfer_pace(x, c.tx, i);
	}
	if (!x->stream) {
		close(s);
		return c;
	}
	xfer_end(x, s, &c);
	xfer_add_request(&c);
	return c;
}

/* A socket that is bound, and listens. */
static inline int xfer_ready(const struct xfer *x)
{
	int s = xfer_socket(x);

	need(bind(s, (const void *)&x->to, x->to_len) == 0, "bind");
	need(!x->stream || listen(s, 8) == 0, "listen");
	return s;
}

static inline struct xfer_cost xfer_receive(const struct xfer *x, int s)
{
	const long long all = x->count * (long long)x->size;
	struct xfer_cost c = { 0 };
	ssize_t n = 0;

	if (x->stream) {
		int listening = s;

		s = accept(listening, NULL, NULL);
		need(s >= 0, "accept");
		close(listening);
	}
	while (c.rx < all && (n = recv(s, xfer_bytes, sizeof(xfer_bytes), 0)) > 0) {
		c.rx += n;
		if (x->arrived)
			*x->arrived = c.rx;
	}
	if (c.rx != all)
		fprintf(stderr, "%s: %lld of %lld bytes came\n", x->role, c.rx, all);
	need(c.rx == all, "all received");
	if (!x->stream) {
		close(s);
		return c;
	}
	xfer_end(x, s, &c);
	xfer_add_answer(x, &c);
	return c;
}

static inline void xfer_truth(const struct xfer *x, const struct xfer_cost *c, long pid)
{
	truth("role=%s pid=%ld tx_bytes=%lld rx_bytes=%lld packets_tx=%ld wire_tx=%lld subflow_tx=%lld",
	      x->role, pid, c->tx, c->rx, c->packets_tx, c->wire_tx, c->subflow_tx);
}
#endif
