// SPDX-License-Identifier: GPL-2.0-or-later
/* 100 MiB, touched once and then seen by five children that only sleep. */
#include "truth.h"

enum { CHILDREN = 5, MB = 100 };

int main(void)
{
	long *rss_kb = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long all_kb = 0;
	pid_t p[CHILDREN];

	need(rss_kb != MAP_FAILED, "memory");
	touch_mb(MB);
	for (int i = 0; i < CHILDREN; i++) {
		p[i] = fork();
		if (p[i])
			continue;
		rss_kb[i] = status_kb("VmRSS:");
		msleep(1500);
		truth("role=sharer pid=%d hwm_kb=%ld", getpid(), hwm_kb());
		_exit(0);
	}
	msleep(1000);
	for (int i = 0; i < CHILDREN; i++)
		all_kb += rss_kb[i];
	truth("role=family pid=%d hwm_kb=%ld count=%d all_kb=%ld", getpid(), hwm_kb(), CHILDREN + 1,
	      all_kb + status_kb("VmRSS:"));
	for (int i = 0; i < CHILDREN; i++)
		waitpid(p[i], NULL, 0);
	return 0;
}
