// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An echo server for connections that change hands: passed over a Unix socket; used
 * by parent and child in turns; accepted by workers that were forked before. Every
 * process prints what its own calls moved. A reply is read by whoever asked for it,
 * so no byte is on its way while a socket changes hands.
 */
#include "net.h"

static char b[65536];

struct moved {
	long long tx, rx;
};

/* The peer: sends back all that comes, one connection after the other. */
static void serve(int listening, const char *role, int connections, struct moved *m)
{
	set_name(role);
	for (int i = 0; i < connections; i++) {
		int s = accept(listening, NULL, NULL);
		ssize_t k;

		need(s >= 0, "accept");
		while ((k = recv(s, b, sizeof(b), 0)) > 0) {
			m->rx += k;
			m->tx += send_all(s, b, (size_t)k, 0);
		}
		close(s);
	}
}

static void ask(int s, struct moved *m, size_t n)
{
	m->tx += send_all(s, b, n, 0);
	m->rx += recv_n(s, b, sizeof(b), (long long)n, 0);
}

static void leave(const char *role, const struct moved *m)
{
	net_truth(role, m->tx, m->rx, 0, 0);
	_exit(0);
}

static void give(int to, int s)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec v = { b, 1 };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &s, sizeof(s));
	need(sendmsg(to, &h, 0) == 1, "give");
}

static int take(int from)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec v = { b, 1 };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	int s;

	need(recvmsg(from, &h, 0) == 1 && CMSG_FIRSTHDR(&h), "take");
	memcpy(&s, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof(s));
	return s;
}

static pid_t opener(int port, int way)
{
	pid_t p = fork();

	if (p == 0) {
		struct moved m = { 0 };
		int s;

		set_name("opener");
		s = connect4(port);
		ask(s, &m, 1000);
		give(way, s);
		close(s);
		/* lives on without it */
		need(read(way, b, 1) == 1, "taken");
		leave("opener", &m);
	}
	return p;
}

static pid_t taker(int way)
{
	pid_t p = fork();

	if (p == 0) {
		struct moved m = { 0 };
		int s;

		set_name("taker");
		s = take(way);
		ask(s, &m, 50000);
		close(s);
		need(write(way, "", 1) == 1, "taken");
		leave("taker", &m);
	}
	return p;
}

/* Parent and child use one connection in turns. */
static pid_t turns(int port)
{
	pid_t p = fork();

	if (p == 0) {
		struct moved m = { 0 };
		int s, st;
		pid_t c;

		set_name("turns-parent");
		s = connect4(port);
		ask(s, &m, 1000);
		c = fork();
		if (c == 0) {
			struct moved own = { 0 };

			set_name("turns-child");
			ask(s, &own, 2000);
			leave("turns-child", &own);
		}
		need(waitpid(c, &st, 0) == c && code_of(st) == 0, "child");
		ask(s, &m, 3000);
		leave("turns-parent", &m);
	}
	return p;
}

static pid_t worker(int listening, int number)
{
	pid_t p = fork();

	if (p == 0) {
		struct moved m = { 0 };
		char role[16];

		snprintf(role, sizeof(role), "worker%d", number);
		serve(listening, role, 1, &m);
		leave(role, &m);
	}
	return p;
}

static pid_t client(int port, int number)
{
	pid_t p = fork();

	if (p == 0) {
		struct moved m = { 0 };
		char role[16];

		snprintf(role, sizeof(role), "client%d", number);
		set_name(role);
		ask(connect4(port), &m, 7000 * (size_t)(number + 1));
		leave(role, &m);
	}
	return p;
}

static void wait_all(int n)
{
	int st;

	while (n--)
		need(wait(&st) > 0 && code_of(st) == 0, "every process");
}

int main(void)
{
	int port, listening = listen4(&port), way[2], shared_port, shared = listen4(&shared_port);
	pid_t echo;

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, way) == 0, "socketpair");
	echo = fork();
	if (echo == 0) {
		struct moved m = { 0 };

		serve(listening, "echo", 2, &m);
		/* all that anybody sends: here, by the openers and in the workers' connections */
		truth("role=echo pid=%d tx_bytes=%lld rx_bytes=%lld all_tx=%lld", getpid(), m.tx, m.rx,
		      2 * m.tx + 2 * 7000ll * (1 + 2 + 3));
		_exit(0);
	}
	opener(port, way[0]);
	taker(way[1]);
	wait_all(2);
	turns(port);
	wait_all(2);
	for (int i = 0; i < 3; i++)
		worker(shared, i);
	for (int i = 0; i < 3; i++)
		client(shared_port, i);
	wait_all(6);
	return 0;
}
