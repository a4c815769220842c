// SPDX-License-Identifier: GPL-2.0-or-later
/* hog CGROUP.PROCS: joins the control group, then takes memory until it is killed. */
#include "truth.h"

static void hog(const char *procs)
{
	char num[16];
	int n = snprintf(num, sizeof num, "%d", getpid()), mb;
	int f = open(procs, O_WRONLY);

	if (f < 0 || write(f, num, (size_t)n) != n)
		_exit(CANNOT_RUN);
	close(f);
	set_name("mem-hog");
	for (mb = 1; mb <= 256; mb++) {
		touch_mb(1);
		if (mb % 4 == 0)
			truth("role=mem_hog pid=%d touched_mb=%d hwm_kb=%ld", getpid(), mb, hwm_kb());
	}
	_exit(3);
}

int main(int argc, char **argv)
{
	int st;
	pid_t p;

	need(argc == 2, "argument");
	p = begin();
	if (p == 0)
		hog(argv[1]);
	st = reap(p, "hog-ended");
	if (code_of(st) == CANNOT_RUN)
		skip("cannot enter the control group");
	need(WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL, "killed by the kernel for memory");
	return 0;
}
