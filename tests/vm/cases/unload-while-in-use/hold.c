// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hold device|session|cpu: opens /dev/ktally, begins a session, keeps only the
 * descriptor of a CPU's buffer; says so by a TRUTH line and waits for its input
 * to end.
 */
#include "truth.h"
#include <linux/ktally.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	struct ktally_start start = { .size = sizeof start };
	const char *what = argc == 2 ? argv[1] : "";
	int dev = open("/dev/ktally", O_RDWR | O_CLOEXEC), cpu = -1;
	char b;

	need(dev >= 0, "/dev/ktally");
	if (strcmp(what, "device"))
		need(ioctl(dev, KTALLY_IOC_START, &start) == 0, "start");
	if (!strcmp(what, "cpu")) {
		cpu = ioctl(dev, KTALLY_IOC_CPU, 0);
		need(cpu >= 0 && close(dev) == 0, "cpu");
	}
	truth("role=%s pid=%d", what, getpid());
	need(read(STDIN_FILENO, &b, 1) == 0, "end of input");
	return 0;
}
