// SPDX-License-Identifier: GPL-2.0-or-later
/* many PROGRAM N: starts it N times in a row by vfork and measures each from outside. */
#include "truth.h"

struct sums {
	ull min, max, all;
	int codes;
};

static void one(struct sums *s, char *program, int i)
{
	char num[16];
	ull begun = boot_ns(), took;
	int st;
	pid_t p;

	snprintf(num, sizeof num, "%d", i);
	p = vfork();
	if (p == 0) {
		execl(program, "blink", num, (char *)NULL);
		_exit(EXEC_FAILED);
	}
	waitpid(p, &st, 0);
	took = boot_ns() - begun;
	need(code_of(st) == (i & 63), "blink");
	s->codes += code_of(st);
	s->all += took;
	s->min = took < s->min ? took : s->min;
	s->max = took > s->max ? took : s->max;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 300, i;
	struct sums s = { .min = ~0ULL };
	struct rusage ru;

	for (i = 0; i < n; i++)
		one(&s, argv[1], i);
	getrusage(RUSAGE_CHILDREN, &ru);
	truth("role=sum pid=%d count=%d code_sum=%d life_min_ns=%llu life_mean_ns=%llu life_max_ns=%llu children_us=%ld",
	      getpid(), n, s.codes, s.min, s.all / (unsigned)n, s.max, rusage_us(&ru));
	return 0;
}
