// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * phases FILE - uses CPU and a loopback connection in three phases and tells when each
 * ended; makes FILE after the second and goes on when it is gone.
 */
#include "net.h"

static char b[4096];
static long long sent;

/* Steady work: as much of it in each part of a phase. */
static void phase(const char *role, int s, int r, unsigned int ms)
{
	ull cpu = cpu_ns(), begin = boot_ns();
	long long before = sent;

	for (unsigned int done = 0; done < ms; done += 20) {
		burn_ms(10);
		sent += send_all(s, b, sizeof(b), 0);
		need(recv_n(r, b, sizeof(b), sizeof(b), 0) == sizeof(b), "receive");
		msleep(10);
	}
	truth("role=%s pid=%d begin_ns=%llu end_boot_ns=%llu cpu_ns=%llu sent=%lld", role, getpid(), begin, boot_ns(),
	      cpu_ns() - cpu, sent - before);
}

int main(int argc, char **argv)
{
	int port, l = listen4(&port), s = connect4(port), r = accept(l, NULL, NULL);

	need(argc == 2 && r >= 0, "connection");
	msleep(1200); /* a whole second before the first phase is one of this life */
	phase("first", s, r, 1500);
	phase("second", s, r, 2000);
	close(open(argv[1], O_CREAT | O_WRONLY, 0600));
	phase("third", s, r, 1000);
	while (access(argv[1], F_OK) == 0)
		phase("between", s, r, 200);
	phase("last", s, r, 1000);
	truth("role=all pid=%d cpu_ns=%llu sent=%lld", getpid(), cpu_ns(), sent);
	return 0;
}
