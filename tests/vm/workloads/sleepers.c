// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sleepers N BUSY READY STOP - N processes that sleep, of which BUSY wake up every 100 ms
 * and work a little; makes READY when all are there and ends them when STOP is there.
 */
#include "truth.h"

static void live(int busy)
{
	set_name(busy ? "busy" : "sleeper");
	for (;;) {
		volatile int x = 0;

		if (!busy)
			pause();
		msleep(100);
		while (x < 1000)
			x++;
	}
}

int main(int argc, char **argv)
{
	long n, busy;

	need(argc == 5, "arguments");
	n = atol(argv[1]);
	busy = atol(argv[2]);
	need(setpgid(0, 0) == 0, "group");
	for (long i = 0; i < n; i++) {
		pid_t p = fork();

		need(p >= 0, "fork");
		if (p == 0)
			live(i < busy);
	}
	close(open(argv[3], O_CREAT | O_WRONLY, 0600));
	while (access(argv[4], F_OK))
		msleep(100);
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	while (wait(NULL) > 0)
		;
	return 0;
}
