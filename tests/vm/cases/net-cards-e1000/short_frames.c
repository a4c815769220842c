// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * short_frames ROLE DEVICE READY - until SIGTERM, what a driver that pads frames to the
 * least that Ethernet allows adds to those that leave by a device: the kernel shows a
 * packet socket every frame as it is handed to the driver.
 */
#include "truth.h"
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

static volatile sig_atomic_t over;

static void end(int sig)
{
	over = 1;
}

/* Others are not even queued, so none is lost. */
static void only_short(int s)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ETH_ZLEN, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, ETH_ZLEN),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(*code), .filter = code };

	need(setsockopt(s, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0, "filter");
}

static int listen_on(const char *device)
{
	struct sockaddr_ll a = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(device),
	};
	struct timeval wait = { .tv_usec = 100000 };
	int s = socket(AF_PACKET, SOCK_RAW, 0);

	need(s >= 0 && a.sll_ifindex > 0, "packet socket");
	need(setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) == 0, "timeout");
	only_short(s);
	need(bind(s, (struct sockaddr *)&a, sizeof(a)) == 0, "bind");
	return s;
}

static void need_all(int s)
{
	struct tpacket_stats seen;
	socklen_t n = sizeof(seen);

	need(getsockopt(s, SOL_PACKET, PACKET_STATISTICS, &seen, &n) == 0 && !seen.tp_drops,
	     "no frame lost");
}

int main(int argc, char **argv)
{
	struct sigaction at_end = { .sa_handler = end };
	struct sockaddr_ll a;
	socklen_t size = sizeof(a);
	ull frames = 0, missing = 0;
	char b[ETH_ZLEN];
	ssize_t n;
	int s, last;

	need(argc == 4, "arguments");
	sigaction(SIGTERM, &at_end, NULL);
	s = listen_on(argv[2]);
	close(creat(argv[3], 0600));
	/* what is in the queue is read to its end */
	do {
		last = over;
		n = recvfrom(s, b, sizeof(b), 0, (struct sockaddr *)&a, &size);
		need(n >= 0 || errno == EAGAIN || errno == EINTR, "recvfrom");
		if (n < 0 || a.sll_pkttype != PACKET_OUTGOING)
			continue;
		frames++;
		missing += ETH_ZLEN - (ull)n;
	} while (n >= 0 || !last);
	need_all(s);
	truth("role=%s device=%s frames=%llu missing=%llu", argv[1], argv[2], frames, missing);
	return 0;
}
