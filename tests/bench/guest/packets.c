// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packets.c - packets over loopback, timed: in a guest under icount the clock
 * counts instructions. Prints, for each workload named, the median of nine runs,
 * of three with many flows; -b FILE writes a word there when each flow was used once
 *   udp4 udp6    64 bytes sent and received by one process: 2 packet hooks
 *   tcp4 tcp6    64 bytes there and back between two processes: 4 packet hooks
 *   nobody4      64 bytes to a port without a socket, and the ICMP answer: 4
 *   udplife4     a socket that is made, bound, connected and closed: no packet
 *   tcplife4     a connection that is made, accepted and closed, both ends here
 *   spawn        posix_spawn of this program, which then exits at once
 * NAME:FLOWS uses so many sockets in turn. With -s SECONDS it counts rounds per
 * second of the real clock instead, one process (or pair) per CPU.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 9, RUNS_OF_MANY = 3, MANY = 2000, PORTS = 20000, SIZE = 64, WARM = 100 };

static int rounds = 400;	/* per run, but each flow once at least */

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* One way to move packets. */
struct load {
	int family;
	int flows;
	int *fd;		/* per flow: where a round begins */
	int receiver;		/* UDP */
	pid_t peer;		/* TCP: who sends back */
};

/*
 * Loopback's address; for flows beyond the ports of one address, further ones
 * of 127/8 to send from.
 */
static socklen_t address(struct sockaddr_storage *to, int family, int flow)
{
	struct sockaddr_in6 *a6 = (void *)to;
	struct sockaddr_in *a4 = (void *)to;

	memset(to, 0, sizeof(*to));
	to->ss_family = family;
	if (family == AF_INET6) {
		a6->sin6_addr = in6addr_loopback;
		return sizeof(*a6);
	}
	a4->sin_addr.s_addr = htonl(0x7f000001 + flow / PORTS);
	return sizeof(*a4);
}

static void check(int failed, const char *what)
{
	if (failed)
		err(1, "%s", what);
}

/* A packet that is lost shall end the run, not halt it. */
static int new_socket(int family, int type)
{
	struct timeval patience = { .tv_sec = 10 };
	int fd = socket(family, type, 0);

	check(fd < 0, "socket");
	check(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), "SO_RCVTIMEO");
	return fd;
}

/* --- UDP --- */

static void open_udp(struct load *l)
{
	struct sockaddr_storage to, from;
	socklen_t len = address(&to, l->family, 0);
	int i;

	l->receiver = new_socket(l->family, SOCK_DGRAM);
	check(bind(l->receiver, (void *)&to, len), "bind");
	getsockname(l->receiver, (void *)&to, &len);
	for (i = 0; i < l->flows; i++) {
		l->fd[i] = new_socket(l->family, SOCK_DGRAM);
		len = address(&from, l->family, i);
		check(bind(l->fd[i], (void *)&from, len), "bind");
		check(connect(l->fd[i], (void *)&to, len), "connect");
	}
}

static void round_udp(const struct load *l, int i)
{
	char b[SIZE] = "";

	check(send(l->fd[i % l->flows], b, SIZE, 0) != SIZE, "send");
	check(recv(l->receiver, b, SIZE, 0) != SIZE, "recv");
}

/* --- a port that nobody listens on --- */

static void open_nobody(struct load *l)
{
	l->fd[0] = new_socket(l->family, SOCK_DGRAM);
}

static void round_nobody(const struct load *l, int i)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0x7f000001),
	};
	char b[SIZE] = "";

	check(sendto(l->fd[0], b, SIZE, 0, (void *)&to, sizeof(to)) != SIZE, "sendto");
}

/* --- TCP --- */

static void send_back(const int *fd, int flows)
{
	char b[SIZE];
	int i;

	for (i = 0; recv(fd[i % flows], b, SIZE, 0) == SIZE; i++)
		check(send(fd[i % flows], b, SIZE, 0) != SIZE, "send");
	_exit(0);
}

static void no_delay(int fd)
{
	int one = 1;

	check(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)), "TCP_NODELAY");
}

static void open_tcp(struct load *l)
{
	int listener = new_socket(l->family, SOCK_STREAM), i;
	int *there = calloc(l->flows, sizeof(int));
	struct sockaddr_storage to;
	socklen_t len = address(&to, l->family, 0);

	check(bind(listener, (void *)&to, len) || listen(listener, 16), "listen");
	getsockname(listener, (void *)&to, &len);
	for (i = 0; i < l->flows; i++) {
		l->fd[i] = new_socket(l->family, SOCK_STREAM);
		check(connect(l->fd[i], (void *)&to, len), "connect");
		there[i] = accept(listener, NULL, NULL);
		check(there[i] < 0, "accept");
		no_delay(l->fd[i]);
		no_delay(there[i]);
	}
	l->peer = fork();
	if (!l->peer) {
		for (i = 0; i < l->flows; i++)
			close(l->fd[i]);
		send_back(there, l->flows);
	}
	for (i = 0; i < l->flows; i++)
		close(there[i]);
	free(there);
	close(listener);
}

static void round_tcp(const struct load *l, int i)
{
	char b[SIZE] = "";

	check(send(l->fd[i % l->flows], b, SIZE, 0) != SIZE, "send");
	check(recv(l->fd[i % l->flows], b, SIZE, 0) != SIZE, "recv");
}

/* --- lives of sockets --- */

static void open_none(struct load *l)
{
	l->fd[0] = -1;
}

static void round_udplife(const struct load *l, int i)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0x7f000001),
	};
	struct sockaddr_storage from;
	socklen_t len = address(&from, l->family, 0);
	int fd = new_socket(l->family, SOCK_DGRAM);

	check(bind(fd, (void *)&from, len), "bind");
	check(connect(fd, (void *)&to, sizeof(to)), "connect");
	close(fd);
}

static void open_listener(struct load *l)
{
	struct sockaddr_storage to;
	socklen_t len = address(&to, l->family, 0);

	l->receiver = new_socket(l->family, SOCK_STREAM);
	l->fd[0] = -1;
	check(bind(l->receiver, (void *)&to, len) || listen(l->receiver, 16), "listen");
}

/* Closed by a reset, so that no TIME_WAIT stays behind. */
static void close_hard(int fd)
{
	struct linger now_linger = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now_linger, sizeof(now_linger));
	close(fd);
}

static void round_tcplife(const struct load *l, int i)
{
	int fd = new_socket(l->family, SOCK_STREAM), there;
	struct sockaddr_storage to;
	socklen_t len = sizeof(to);

	getsockname(l->receiver, (void *)&to, &len);
	check(connect(fd, (void *)&to, len), "connect");
	there = accept(l->receiver, NULL, NULL);
	check(there < 0, "accept");
	close_hard(fd);
	close(there);
}

/* --- lives of processes --- */

static void round_spawn(const struct load *l, int i)
{
	char *argv[] = { "packets", "nothing", NULL };
	pid_t p;

	check(posix_spawn(&p, "/proc/self/exe", NULL, NULL, argv, argv + 2), "posix_spawn");
	waitpid(p, NULL, 0);
}

/* --- timing --- */

static const struct kind {
	const char *name;
	int family;
	void (*open)(struct load *l);
	void (*round)(const struct load *l, int i);
} kinds[] = {
	{ "udp4", AF_INET, open_udp, round_udp },
	{ "udp6", AF_INET6, open_udp, round_udp },
	{ "tcp4", AF_INET, open_tcp, round_tcp },
	{ "tcp6", AF_INET6, open_tcp, round_tcp },
	{ "nobody4", AF_INET, open_nobody, round_nobody },
	{ "udplife4", AF_INET, open_none, round_udplife },
	{ "tcplife4", AF_INET, open_listener, round_tcplife },
	{ "spawn", AF_UNSPEC, open_none, round_spawn },
};

static const struct kind *find(const char *name, size_t len)
{
	const struct kind *k;

	for (k = kinds; k < kinds + sizeof(kinds) / sizeof(*kinds); k++)
		if (strlen(k->name) == len && !memcmp(k->name, name, len))
			return k;
	errx(2, "%s: no such workload", name);
}

static void open_load(struct load *l, const struct kind *k, int flows)
{
	memset(l, 0, sizeof(*l));
	l->receiver = -1;
	l->family = k->family;
	l->flows = flows;
	l->fd = calloc(flows, sizeof(int));
	k->open(l);
}

static void close_load(struct load *l)
{
	int i;

	for (i = 0; i < l->flows; i++)
		close(l->fd[i]);
	free(l->fd);
	if (l->receiver >= 0)
		close(l->receiver);
	if (l->peer)
		waitpid(l->peer, NULL, 0);
}

static double run(const struct kind *k, const struct load *l, int n)
{
	long long begun = now();
	int i;

	for (i = 0; i < n; i++)
		k->round(l, i);
	return (double)(now() - begun) / n;
}

static int by_size(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

/* What counts meanwhile begins anew. */
static void begin(const char *file)
{
	FILE *f = fopen(file, "w");

	check(!f || fputs("begin", f) < 0 || fclose(f), file);
}

static void time_rounds(const char *name, const char *begun)
{
	size_t len = strcspn(name, ":");
	const struct kind *k = find(name, len);
	int i, flows = name[len] ? atoi(name + len + 1) : 1;
	int runs = flows > MANY ? RUNS_OF_MANY : RUNS;
	int each = flows > rounds ? flows : rounds;
	double took[RUNS];
	struct load l;

	open_load(&l, k, flows);
	for (i = 0; i < WARM || i < flows; i++)
		k->round(&l, i);
	if (begun)
		begin(begun);
	for (i = 0; i < runs; i++)
		took[i] = run(k, &l, each);
	qsort(took, runs, sizeof(*took), by_size);
	printf("%s %d %.1f\n", k->name, flows, took[runs / 2]);
	fflush(stdout);
	close_load(&l);
}

/* --- throughput --- */

static unsigned long count_rounds(const struct kind *k, int seconds)
{
	long long until = now() + seconds * 1000000000LL;
	unsigned long n = 0;
	struct load l;

	open_load(&l, k, 1);
	for (; now() < until; n++)
		k->round(&l, n);
	close_load(&l);
	return n;
}

static void throughput(const char *name, int seconds)
{
	const struct kind *k = find(name, strlen(name));
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), pipes[2], i;
	unsigned long n, sum = 0;

	check(pipe(pipes), "pipe");
	for (i = 0; i < cpus; i++) {
		if (fork())
			continue;
		n = count_rounds(k, seconds);
		check(write(pipes[1], &n, sizeof(n)) != sizeof(n), "write");
		_exit(0);
	}
	for (i = 0; i < cpus; i++) {
		check(read(pipes[0], &n, sizeof(n)) != sizeof(n), "read");
		sum += n;
	}
	while (wait(NULL) > 0)
		;
	printf("%s %d %.0f\n", k->name, cpus, (double)sum / seconds);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct rlimit files = { 1 << 20, 1 << 20 };
	int seconds = 0, opt;
	const char *begun = NULL;

	if (argc > 1 && !strcmp(argv[1], "nothing"))
		return 0;
	signal(SIGPIPE, SIG_IGN);
	setrlimit(RLIMIT_NOFILE, &files);
	while ((opt = getopt(argc, argv, "s:n:b:")) != -1) {
		if (opt == 's')
			seconds = atoi(optarg);
		else if (opt == 'n')
			rounds = atoi(optarg);
		else if (opt == 'b')
			begun = optarg;
		else
			errx(2, "usage: packets [-n ROUNDS] [-s SECONDS] [-b FILE] NAME[:FLOWS]...");
	}
	for (; optind < argc; optind++) {
		if (seconds)
			throughput(argv[optind], seconds);
		else
			time_rounds(argv[optind], begun);
	}
	return 0;
}
