// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * big [COMMAND...]: touches 500 MiB, then has a child carry COMMAND out and waits for it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t n = 500 << 20;
	char *m = malloc(n);
	int status = 0;

	if (!m)
		return 1;
	memset(m, 1, n);
	if (argc > 1 && !fork()) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	while (argc > 1 && wait(&status) < 0)
		;
	return m[n / 2] != 1 || status;
}
