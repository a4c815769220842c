// SPDX-License-Identifier: GPL-2.0-or-later
/* 100 MiB, touched once and then seen by five children that only sleep. */
#include "truth.h"

enum { CHILDREN = 5, MB = 100 };

int main(void)
{
	pid_t p[CHILDREN];

	touch_mb(MB);
	for (int i = 0; i < CHILDREN; i++) {
		p[i] = fork();
		if (p[i])
			continue;
		msleep(1500);
		truth("role=sharer pid=%d hwm_kb=%ld", getpid(), hwm_kb());
		_exit(0);
	}
	msleep(1000);
	truth("role=family pid=%d hwm_kb=%ld count=%d all_kb=%d", getpid(), hwm_kb(), CHILDREN + 1,
	      (CHILDREN + 1) * MB * 1024);
	for (int i = 0; i < CHILDREN; i++)
		waitpid(p[i], NULL, 0);
	return 0;
}
