// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * short CONNECTIONS PARALLEL [quiet] - as many connections, each by a process of its
 * own that connects, sends 64 bytes and ends at once; one server takes them all.
 * Prints each process unless it shall be quiet, and the sums.
 */
#include "net.h"
#include <stdbool.h>

#define BYTES 64
static char b[65536];

static void serve(int listening, long connections)
{
	long long n = 0;

	set_name("server");
	for (long i = 0; i < connections; i++) {
		int s = accept(listening, NULL, NULL);
		ssize_t k;

		need(s >= 0, "accept");
		while ((k = recv(s, b, sizeof(b), 0)) > 0)
			n += k;
		close(s);
	}
	net_truth("server", 0, n, 0, connections);
	_exit(0);
}

static void connect_once(int port, bool quiet)
{
	int s;

	set_name("short");
	s = connect4(port);
	need(send(s, b, BYTES, MSG_NOSIGNAL) == BYTES, "send");
	if (!quiet)
		net_truth("short", BYTES, 0, 1, 0);
	_exit(0);
}

static void connect_many(int port, long connections, bool quiet)
{
	int st;

	set_name("driver");
	for (long i = 0; i < connections; i++) {
		pid_t p = fork();

		if (p == 0)
			connect_once(port, quiet);
		need(waitpid(p, &st, 0) == p && code_of(st) == 0, "short");
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 0, parallel = argc > 2 ? atol(argv[2]) : 0;
	const bool quiet = argc > 3;
	int port, listening = listen4(&port), st;
	ull begun = boot_ns();

	set_name("opens");
	need(n > 0 && parallel > 0 && n % parallel == 0, "arguments");
	need(listen(listening, 512) == 0, "listen");
	if (fork() == 0)
		serve(listening, n);
	close(listening);
	for (long i = 0; i < parallel; i++)
		if (fork() == 0)
			connect_many(port, n / parallel, quiet);
	for (long i = 0; i <= parallel; i++)
		need(wait(&st) > 0 && code_of(st) == 0, "every process");
	truth("role=all pid=%d count=%ld tx_bytes=%ld took_ms=%llu", getpid(), n, n * BYTES,
	      (boot_ns() - begun) / 1000000);
	return 0;
}
