// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tunnel ROLE OWN-ADDRESS PEER-ADDRESS STOP - makes tun0 and carries its packets to the
 * peer in UDP, one in one, until the file STOP is there and all is quiet.
 */
#include "net.h"
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <stdbool.h>

#define PORT 5555
static char b[4096];
static long long tx, rx;
static long sent, received;

static int make_tun(void)
{
	struct ifreq r = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);

	strcpy(r.ifr_name, "tun0");
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r))
		skip("no tun");
	return fd;
}

static int make_udp(const char *own, const char *peer)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), big = 4 << 20;

	setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &big, sizeof(big));
	a.sin_addr.s_addr = inet_addr(own);
	need(bind(s, (struct sockaddr *)&a, sizeof(a)) == 0, "bind");
	a.sin_addr.s_addr = inet_addr(peer);
	need(connect(s, (struct sockaddr *)&a, sizeof(a)) == 0, "connect");
	return s;
}

static void out(int tun, int s)
{
	ssize_t k;

	while ((k = read(tun, b, sizeof(b))) > 0) {
		/* the peer may not be bound yet: asked for by an ICMP message */
		if (send(s, b, (size_t)k, 0) != k)
			continue;
		tx += k;
		sent++;
	}
}

static void in(int tun, int s)
{
	ssize_t k;

	while ((k = recv(s, b, sizeof(b), 0)) > 0) {
		rx += k;
		received++;
		if (write(tun, b, (size_t)k) < 0)
			need(errno == EIO, "write to tun0");	/* not up yet */
	}
}

int main(int argc, char **argv)
{
	struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };

	need(argc > 4, "arguments");
	set_name(argv[1]);
	p[1].fd = make_udp(argv[2], argv[3]);
	p[0].fd = make_tun();
	for (;;) {
		int n = poll(p, 2, 500);

		if (n == 0 && access(argv[4], F_OK) == 0)
			break;
		out(p[0].fd, p[1].fd);
		in(p[0].fd, p[1].fd);
	}
	net_truth(argv[1], tx, rx, sent, received);
	return 0;
}
