// SPDX-License-Identifier: GPL-2.0-or-later
/* forks N NAME - N processes of that name, one after the other. */
#include "truth.h"

int main(int argc, char **argv)
{
	need(argc == 3, "arguments");
	for (long i = atol(argv[1]); i > 0; i--) {
		pid_t p = fork();

		need(p >= 0, "fork");
		if (!p) {
			set_name(argv[2]);
			_exit(0);
		}
		need(waitpid(p, NULL, 0) == p, "wait");
	}
	return 0;
}
