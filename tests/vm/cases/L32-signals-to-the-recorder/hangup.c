// SPDX-License-Identifier: GPL-2.0-or-later
/* hangup COMMAND...: runs it on a terminal of its own, which is closed when the input here ends. */
#include "truth.h"
#include <pty.h>

int main(int argc, char **argv)
{
	char b[256];
	int fd, st;
	pid_t p = forkpty(&fd, NULL, NULL, NULL);

	need(p >= 0 && argc > 1, "terminal");
	if (p == 0) {
		execvp(argv[1], argv + 1);
		_exit(EXEC_FAILED);
	}
	truth("role=on_terminal pid=%d", p);
	while (read(STDIN_FILENO, b, sizeof b) > 0)
		;
	close(fd);
	need(waitpid(p, &st, 0) == p, "wait");
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}
