// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * older DIR - two receivers bound before the module comes, one of them with a second
 * holder of its socket that never reads and ends first; a sender that begins when
 * DIR/send is there.
 */
#include "net.h"
#define N 60
static char b[2000];
static int sockets[2];

/* A holder of a socket would be its user, too. */
static void keep_only(int s)
{
	for (int i = 0; i < 2; i++)
		if (sockets[i] != s)
			close(sockets[i]);
}

static void wait_for(const char *file)
{
	for (int n = 0; access(file, F_OK) != 0; n++) {
		need(n < 1200, file);
		msleep(50);
	}
}

static pid_t receiver(const char *role, int s)
{
	pid_t p = fork();

	if (p == 0) {
		long long n = 0;

		keep_only(s);
		set_name(role);
		for (int i = 0; i < N; i++) {
			ssize_t k = recv(s, b, sizeof(b), 0);

			need(k > 0, "recv");
			n += k;
		}
		net_truth(role, 0, n, 0, N);
		/* the other holder has gone by then */
		msleep(3000);
		_exit(0);
	}
	return p;
}

static pid_t holder(int s, const char *done)
{
	pid_t p = fork();

	if (p == 0) {
		keep_only(s);
		set_name("holds");
		net_truth("holds", 0, 0, 0, 0);
		wait_for(done);
		_exit(0);
	}
	return p;
}

static pid_t sender(const char *go, const int *ports)
{
	pid_t p = fork();

	if (p == 0) {
		int s = socket(AF_INET, SOCK_DGRAM, 0);
		long long n = 0;

		keep_only(-1);
		set_name("sender");
		wait_for(go);
		for (int i = 0; i < 2 * N; i++) {
			struct sockaddr_in to = lo4(ports[i % 2]);

			n += sendto(s, b, 1000, 0, (struct sockaddr *)&to, sizeof(to));
			msleep(1);
		}
		net_truth("sender", n, 0, 2 * N, 0);
		_exit(0);
	}
	return p;
}

int main(int argc, char **argv)
{
	char go[256], bound[256], done[256];
	int port[2];
	pid_t p[4];
	int st;

	need(argc > 1, "arguments");
	snprintf(go, sizeof(go), "%s/send", argv[1]);
	snprintf(bound, sizeof(bound), "%s/bound", argv[1]);
	snprintf(done, sizeof(done), "%s/done", argv[1]);
	for (int i = 0; i < 2; i++)
		sockets[i] = udp4(&port[i]);
	p[0] = sender(go, port);
	p[1] = receiver("alone", sockets[0]);
	p[2] = receiver("reads", sockets[1]);
	p[3] = holder(sockets[1], done);
	keep_only(-1);
	need(close(open(bound, O_CREAT | O_WRONLY, 0600)) == 0, "bound");
	need(waitpid(p[0], &st, 0) == p[0] && code_of(st) == 0, "sender");
	msleep(500);
	need(close(open(done, O_CREAT | O_WRONLY, 0600)) == 0, "done");
	for (int i = 3; i > 0; i--)
		need(waitpid(p[i], &st, 0) == p[i] && code_of(st) == 0, "receiver");
	return 0;
}
