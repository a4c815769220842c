// SPDX-License-Identifier: GPL-2.0-or-later
/* lives N: that many processes, made by fork alone. */
#include "truth.h"

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, i;

	for (i = 0; i < n; i++) {
		pid_t p = fork();

		if (p == 0)
			_exit(0);
		need(p > 0 && waitpid(p, NULL, 0) == p, "fork");
	}
	truth("role=lives count=%d", n);
	return 0;
}
