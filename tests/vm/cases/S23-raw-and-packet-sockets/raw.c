// SPDX-License-Identifier: GPL-2.0-or-later
/* ICMP echo through a raw socket and a packet socket listening on loopback. */
#include "net.h"
#include <net/if.h>
#include <netinet/ip_icmp.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
static uint16_t sum(const void *p, size_t n)
{
	const uint16_t *w = p;
	uint32_t s = 0;
	for (; n > 1; n -= 2)
		s += *w++;
	s = (s >> 16) + (s & 0xffff);
	return (uint16_t)~(s + (s >> 16));
}
static char b[4096];
int main(void)
{
	int raw = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	if (raw < 0)
		skip("no raw sockets");
	pid_t w = fork();
	if (w == 0) {
		prctl(PR_SET_NAME, "sniffer", 0, 0, 0);
		int ps = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP));
		struct sockaddr_ll a = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_ifindex = (int)if_nametoindex("lo") };
		if (ps < 0 || bind(ps, (struct sockaddr *)&a, sizeof a))
			_exit(77);
		struct timeval tv = { 0, 600000 };
		setsockopt(ps, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
		long long n = 0;
		long c = 0;
		ssize_t k;
		while ((k = recv(ps, b, sizeof b, 0)) > 0)
			if (k > 900) {
				n += k;
				c++;
			}
		truth("role=sniffer pid=%d seen_bytes=%lld seen_frames=%ld", getpid(), n, c);
		_exit(0);
	}
	msleep(200);
	pid_t p = fork();
	if (p == 0) {
		prctl(PR_SET_NAME, "pinger", 0, 0, 0);
		struct sockaddr_in to = lo4(0);
		struct timeval tv = { 1, 0 };
		setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
		long long t = 0, n = 0;
		long calls = 0;
		for (int i = 0; i < 20; i++) {
			struct icmphdr *h = (struct icmphdr *)b;
			memset(b, 0, 1008);
			h->type = ICMP_ECHO;
			h->un.echo.id = htons(0x4242);
			h->un.echo.sequence = htons((uint16_t)i);
			h->checksum = sum(b, 1008);
			ssize_t k = sendto(raw, b, 1008, 0, (struct sockaddr *)&to, sizeof to);
			need(k == 1008, "ping");
			t += k;
			for (int tries = 0; tries < 4; tries++) {	/* own request also comes back */
				k = recv(raw, b, sizeof b, 0);
				need(k > 0, "answer");
				n += k;
				calls++;
				if (b[20] == ICMP_ECHOREPLY)
					break;
			}
		}
		net_truth("pinger", t, n, 20, calls);
		_exit(0);
	}
	int st = reap(p, "pinger-end");
	need(WIFEXITED(st) && WEXITSTATUS(st) == 0, "pinger");
	st = reap(w, "sniffer-end");
	need(WIFEXITED(st), "sniffer");
	return 0;
}
