// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batches.c - datagrams over lo from one socket of this process to another, many per
 * system call: where those are slow, the way of the packets shows all the same.
 *
 * usage: batches COUNT		prints nanoseconds per datagram
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum { BATCH = 128, SIZE = 64 };

static char data[SIZE];
static struct iovec part = { data, SIZE };
static struct mmsghdr batch[BATCH];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int bound(struct sockaddr_in *a)
{
	socklen_t len = sizeof(*a);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0 || bind(fd, (void *)a, len) || getsockname(fd, (void *)a, &len))
		err(1, "socket");
	return fd;
}

static void round_trip(int from, int to)
{
	if (sendmmsg(from, batch, BATCH, 0) != BATCH)
		err(1, "sendmmsg");
	if (recvmmsg(to, batch, BATCH, MSG_DONTWAIT, NULL) != BATCH)
		err(1, "recvmmsg");
}

int main(int argc, char **argv)
{
	int i, rounds = argc > 1 ? atoi(argv[1]) / BATCH : 0;
	struct sockaddr_in a, b;
	int from, to;
	double begun;

	if (rounds < 1)
		errx(2, "usage: batches COUNT, at least %d", BATCH);
	for (i = 0; i < BATCH; i++)
		batch[i].msg_hdr = (struct msghdr){ .msg_iov = &part, .msg_iovlen = 1 };
	from = bound(&a);
	to = bound(&b);
	if (connect(from, (void *)&b, sizeof(b)))
		err(1, "connect");
	begun = now();
	for (i = 0; i < rounds; i++)
		round_trip(from, to);
	printf("%.1f\n", (now() - begun) / rounds / BATCH);
	return 0;
}
