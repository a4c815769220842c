// SPDX-License-Identifier: GPL-2.0-or-later
/* naps N MS: N children that live MS, and N that end at once; tells how many. */
#include "truth.h"

int main(int argc, char **argv)
{
	int n = atoi(argv[1]), ms = argc > 2 ? atoi(argv[2]) : 0;

	for (int i = 0; i < 2 * n; i++)
		if (!fork()) {
			if (i & 1)
				usleep(ms * 1000);
			_exit(i & 1 ? 5 : 6);
		}
	while (wait(NULL) > 0)
		;
	truth("role=naps n=%d", n);
	return 0;
}
