// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pairs of processes over loopback: one sends 1 MiB in its way, the other receives in
 * its own. What each call returned is added up, apart from peeks and failures.
 */
#include "net.h"
#include <stdbool.h>
#include <sys/sendfile.h>
#include "uring.h"

#define N (1 << 20)
static char b[65536];

typedef long long (*way)(int s);

static long long by_send(int s)
{
	long long n = 0;

	while (n < N)
		n += send_all(s, b, sizeof(b), 0);
	return n;
}

static int file_of_zeroes(void)
{
	int fd = memfd_create("zeroes", MFD_CLOEXEC);

	need(fd >= 0 && ftruncate(fd, N) == 0, "file");
	return fd;
}

static long long by_sendfile(int s)
{
	int fd = file_of_zeroes();
	long long n = 0;
	ssize_t k;

	while (n < N && (k = sendfile(s, fd, NULL, (size_t)(N - n))) > 0)
		n += k;
	return n;
}

static long long by_splice(int s)
{
	int fd = file_of_zeroes(), p[2];
	long long n = 0;

	need(pipe(p) == 0, "pipe");
	while (n < N) {
		ssize_t in = splice(fd, NULL, p[1], NULL, 65536, 0);

		need(in > 0, "splice from the file");
		while (in > 0) {
			ssize_t out = splice(p[0], NULL, s, NULL, (size_t)in, 0);

			need(out > 0, "splice to the socket");
			in -= out;
			n += out;
		}
	}
	return n;
}

/* What the error queue tells of finished buffers is no data. */
static void reap_completions(int s)
{
	char control[128];
	struct msghdr m = { .msg_control = control, .msg_controllen = sizeof(control) };

	while (recvmsg(s, &m, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0)
		m.msg_controllen = sizeof(control);
}

static long long by_zerocopy(int s)
{
	int one = 1;
	long long n = 0;

	if (setsockopt(s, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		return by_send(s);
	while (n < N) {
		ssize_t k = send(s, b, sizeof(b), MSG_ZEROCOPY | MSG_NOSIGNAL);

		need(k > 0 || errno == ENOBUFS, "zerocopy");
		n += k > 0 ? k : 0;
		reap_completions(s);
	}
	return n;
}

/* Calls that can't: no room, a bad address, a datagram too large. */
static long long with_failures(int s)
{
	long long n = 0;
	ssize_t k;

	while ((k = send(s, b, sizeof(b), MSG_DONTWAIT | MSG_NOSIGNAL)) > 0 && n + k < N)
		n += k;
	n += k > 0 ? k : 0;
	for (int i = 0; i < 50; i++)
		if ((k = send(s, (void *)8, 4096, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
			n += k;
	while (n < N)
		n += send_all(s, b, (size_t)(N - n < 65536 ? N - n : 65536), 0);
	return n;
}

static long long by_uring(int s)
{
	struct uring r;
	long long n = 0;

	uring_open(&r);
	while (n < N) {
		/* every other by a worker thread of the kernel */
		int k = uring_io(&r, IORING_OP_SEND, s, b, sizeof(b), n & sizeof(b) ? IOSQE_ASYNC : 0);

		need(k > 0, "send by io_uring");
		n += k;
	}
	return n;
}

static long long receive_by_uring(int s)
{
	struct uring r;
	long long n = 0;
	int k;

	uring_open(&r);
	while ((k = uring_io(&r, IORING_OP_RECV, s, b, sizeof(b), 0)) > 0)
		n += k;
	return n;
}

static long long by_recv(int s)
{
	long long n = 0;
	ssize_t k;

	while ((k = recv(s, b, sizeof(b), 0)) > 0)
		n += k;
	return n;
}

static long long receive_by_splice(int s)
{
	int p[2], null = open("/dev/null", O_WRONLY);
	long long n = 0;
	ssize_t k;

	need(pipe(p) == 0 && null >= 0, "pipe");
	while ((k = splice(s, NULL, p[1], NULL, 65536, 0)) > 0) {
		n += k;
		while (k > 0) {
			ssize_t out = splice(p[0], NULL, null, NULL, (size_t)k, 0);

			need(out > 0, "splice away");
			k -= out;
		}
	}
	return n;
}

static long long with_peeks(int s)
{
	long long n = 0;
	ssize_t k;

	while (recv(s, b, sizeof(b), MSG_PEEK) > 0) {
		recv(s, (void *)8, 100, MSG_DONTWAIT);
		k = recv(s, b, 10000, 0);
		n += k > 0 ? k : 0;
	}
	return n;
}

static const struct {
	const char *name;
	way send, receive;
} pairs[] = {
	{ "sendfile", by_sendfile, by_recv },
	{ "splice", by_splice, receive_by_splice },
	{ "zerocopy", by_zerocopy, with_peeks },
	{ "failures", with_failures, by_recv },
	{ "uring", by_uring, receive_by_uring },
};

/* Each end has its socket from the first packet on and shares it with nobody. */
static void one_end(const char *name, int s, way how, bool sends)
{
	char role[32];
	long long n;

	snprintf(role, sizeof(role), "%s-%s-tcp", name, sends ? "out" : "in");
	set_name(role);
	n = how(s);
	net_truth(role, sends ? n : 0, sends ? 0 : n, 0, 0);
	_exit(0);
}

static void reap_both(pid_t a, pid_t c, const char *name)
{
	int st;

	need(waitpid(c, &st, 0) == c && code_of(st) == 0, name);
	need(waitpid(a, &st, 0) == a && code_of(st) == 0, name);
}

static void pair(int i)
{
	int port, listening = listen4(&port);
	pid_t in, out;

	in = fork();
	if (in == 0)
		one_end(pairs[i].name, accept(listening, NULL, NULL), pairs[i].receive, false);
	close(listening);
	out = fork();
	if (out == 0)
		one_end(pairs[i].name, connect4(port), pairs[i].send, true);
	reap_both(in, out, pairs[i].name);
}

static void udp_receiver(int s)
{
	long long n = 0;

	set_name("peeks-udp");
	for (int i = 0; i < 50; i++) {
		ssize_t k;

		need(recv(s, b, sizeof(b), MSG_PEEK) > 0, "peek");
		need(recv(s, b, 10, MSG_PEEK | MSG_TRUNC) > 0, "peek");
		k = recv(s, b, sizeof(b), 0);
		need(k > 0, "recv");
		n += k;
		recv(s, b, sizeof(b), MSG_DONTWAIT | MSG_PEEK);
	}
	need(recv(s, b, sizeof(b), MSG_DONTWAIT) < 0, "nothing is left");
	net_truth("peeks-udp", 0, n, 0, 50);
	_exit(0);
}

static void udp_sender(int port)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in to = lo4(port), far = to;
	char *big = calloc(1, 70000);
	long long n = 0;

	set_name("fails-udp");
	far.sin_addr.s_addr = htonl(INADDR_BROADCAST);
	for (int i = 0; i < 50; i++) {
		need(sendto(s, big, 70000, 0, (struct sockaddr *)&to, sizeof(to)) < 0, "too large");
		need(sendto(s, (void *)8, 100, 0, (struct sockaddr *)&to, sizeof(to)) < 0, "bad address");
		need(sendto(s, b, 100, 0, (struct sockaddr *)&far, sizeof(far)) < 0, "not allowed");
		n += sendto(s, b, 1000, 0, (struct sockaddr *)&to, sizeof(to));
	}
	net_truth("fails-udp", n, 0, 50, 0);
	_exit(0);
}

static void udp_pair(void)
{
	int port, s = udp4(&port);
	pid_t a = fork(), c;

	if (a == 0)
		udp_receiver(s);
	close(s);
	c = fork();
	if (c == 0)
		udp_sender(port);
	reap_both(a, c, "udp");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (strcmp(pairs[i].name, "uring") || uring_there())
			pair((int)i);
	udp_pair();
	return 0;
}
