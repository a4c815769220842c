// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Connections whose client sends and resets them at once; they are taken and read only
 * then, by a child of who opened the listener. And some that nobody takes until their
 * listener is closed.
 */
#include "net.h"
#include <stdbool.h>

enum { TAKEN = 5, LEFT = 3, BYTES = 1000 };

static char b[BYTES];

static void send_one(int port, bool reset)
{
	struct linger at_once = { .l_onoff = reset };
	int s = connect4(port);

	send_all(s, b, BYTES, 0);
	need(!setsockopt(s, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), "linger");
	close(s);
}

static void client(int taken, int left)
{
	set_name("client");
	for (int i = 0; i < TAKEN; i++)
		send_one(taken, true);
	for (int i = 0; i < LEFT; i++)
		send_one(left, false);
	net_truth("client", (TAKEN + LEFT) * BYTES, 0, 0, 0);
	_exit(0);
}

static void server(int listening)
{
	long long n = 0;

	set_name("server");
	for (int i = 0; i < TAKEN; i++) {
		int s = accept(listening, NULL, NULL);

		need(s >= 0, "accept");
		n += recv_n(s, b, BYTES, BYTES, 0);
		need(recv(s, b, BYTES, 0) < 0 && errno == ECONNRESET, "a reset");
		close(s);
	}
	net_truth("server", 0, n, 0, 0);
	_exit(0);
}

static void run(void (*child)(int, int), int a, int c)
{
	pid_t p = fork();
	int st;

	if (p == 0)
		child(a, c);
	need(waitpid(p, &st, 0) == p && code_of(st) == 0, "child");
}

static void serve(int listening, int unused)
{
	(void)unused;
	server(listening);
}

int main(void)
{
	int taken_port, left_port, taken = listen4(&taken_port), left = listen4(&left_port);

	set_name("opener");
	run(client, taken_port, left_port);
	run(serve, taken, 0);
	close(left);
	net_truth("opener", 0, LEFT * BYTES, 0, 0);
	return 0;
}
