// SPDX-License-Identifier: GPL-2.0-or-later
/* terminal COLUMNS COMMAND...: runs it on a terminal of that width and copies what it prints. */
#include "truth.h"
#include <pty.h>

int main(int argc, char **argv)
{
	struct winsize size = { 50, (unsigned short)(argc > 2 ? atoi(argv[1]) : 0), 0, 0 };
	char b[4096];
	int fd, st;
	ssize_t n;
	pid_t p = forkpty(&fd, NULL, NULL, &size);

	need(p >= 0 && argc > 2, "terminal");
	if (p == 0) {
		execvp(argv[2], argv + 2);
		_exit(EXEC_FAILED);
	}
	while ((n = read(fd, b, sizeof b)) > 0)
		need(write(STDOUT_FILENO, b, (size_t)n) == n, "write");
	need(waitpid(p, &st, 0) == p, "wait");
	return code_of(st);
}
