// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pair STEP - two processes, "Pair-Server" and "pair-client", with 40 and 24 MiB. When
 * the file STEP is there they exchange data, then both wait until it is gone.
 */
#include "net.h"
#include <stdbool.h>

enum { SERVER_MB = 40, CLIENT_MB = 24, TIMES = 200, SIZE = 8192 };
static char b[SIZE];

static void wait_for(const char *path, bool there)
{
	while ((access(path, F_OK) == 0) != there)
		msleep(20);
}

static void serve(int l, const char *step)
{
	int s;

	set_name("Pair-Server");
	touch_mb(SERVER_MB);
	s = accept(l, NULL, NULL);
	for (int i = 0; i < TIMES; i++) {
		recv_n(s, b, sizeof(b), sizeof(b), 0);
		send_all(s, b, sizeof(b) / 2, 0);
	}
	burn_ms(300);
	truth("role=server pid=%d hwm_kb=%ld cpu_ns=%llu tx=%d rx=%d", getpid(), hwm_kb(), cpu_ns(),
	      TIMES * SIZE / 2, TIMES * SIZE);
	wait_for(step, false);
	_exit(0);
}

int main(int argc, char **argv)
{
	int port, l = listen4(&port), s;
	pid_t p;

	need(argc == 2, "step");
	p = fork();
	if (p == 0)
		serve(l, argv[1]);
	set_name("pair-client");
	touch_mb(CLIENT_MB);
	wait_for(argv[1], true);
	s = connect4(port);
	for (int i = 0; i < TIMES; i++) {
		send_all(s, b, sizeof(b), 0);
		recv_n(s, b, sizeof(b) / 2, sizeof(b) / 2, 0);
	}
	burn_ms(500);
	truth("role=client pid=%d hwm_kb=%ld cpu_ns=%llu tx=%d rx=%d", getpid(), hwm_kb(), cpu_ns(), TIMES * SIZE,
	      TIMES * SIZE / 2);
	wait_for(argv[1], false);
	waitpid(p, NULL, 0);
	return 0;
}
