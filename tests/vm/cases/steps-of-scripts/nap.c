// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nap MS NAME: sleeps and tells the file $TRUTH how long it took by its own clock;
 * its output may be a pipe. No file, no words.
 */
#include "truth.h"

int main(int argc, char **argv)
{
	ull begun = boot_ns();
	const char *path = getenv("TRUTH");
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

	need(argc == 3, "arguments");
	if (atoi(argv[1]))
		msleep((unsigned)atoi(argv[1]));
	if (fd < 0)
		return 0;
	need(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO, "dup2");
	truth("role=nap name=%s pid=%d inner_ns=%llu", argv[2], getpid(), boot_ns() - begun);
	return 0;
}
