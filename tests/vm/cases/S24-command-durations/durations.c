// SPDX-License-Identifier: GPL-2.0-or-later
/* durations FOLDER: runs commands with known durations and computes the statistics itself. */
#include "truth.h"

struct series {
	const char *command;
	int runs;
	const char *code;
	int ms[10], n_ms;
};

static int compare(const void *a, const void *b)
{
	ull x = *(const ull *)a, y = *(const ull *)b;

	return x < y ? -1 : x > y;
}

static ull run(const char *dir, const struct series *s, int i)
{
	char path[400], ms[16];
	ull begun = boot_ns(), took;
	int st;
	pid_t p;

	snprintf(path, sizeof path, "%s/%s", dir, s->command);
	snprintf(ms, sizeof ms, "%d", s->ms[i % s->n_ms]);
	p = vfork();
	if (p == 0) {
		execl(path, path, ms, s->code, (char *)NULL);
		_exit(EXEC_FAILED);
	}
	waitpid(p, &st, 0);
	took = boot_ns() - begun;
	need(code_of(st) != EXEC_FAILED, s->command);
	truth("role=run command=%s pid=%d asked_ms=%s outer_ns=%llu", s->command, p, ms, took);
	return took;
}

static ull median(const ull *d, int n)
{
	return n % 2 ? d[n / 2] : (d[n / 2 - 1] + d[n / 2]) / 2;
}

static void all_runs(const char *dir, const struct series *s)
{
	ull d[32], sum = 0;
	int i;

	for (i = 0; i < s->runs; i++)
		sum += d[i] = run(dir, s, i);
	qsort(d, (size_t)s->runs, sizeof *d, compare);
	truth("role=statistics command=%s name=%s runs=%d total_ns=%llu mean_ns=%llu min_ns=%llu max_ns=%llu median_ns=%llu",
	      s->command, strrchr(s->command, '/') ? strrchr(s->command, '/') + 1 : s->command, s->runs,
	      sum, sum / (unsigned)s->runs, d[0], d[s->runs - 1], median(d, s->runs));
}

int main(int argc, char **argv)
{
	static const struct series series[] = {
		{ "tick-50", 10, "0", { 50 }, 1 },
		{ "tick-mixed", 10, "0", { 10, 200, 10, 10, 30, 10, 10, 10, 10, 300 }, 10 },
		{ "tick-once", 1, "0", { 120 }, 1 },
		{ "tick-zero", 20, "0", { 0 }, 1 },
		{ "tick-fail", 3, "1", { 50 }, 1 },
		{ "tick-killed", 2, "-15", { 50 }, 1 },
		{ "a/job", 2, "0", { 50 }, 1 },
		{ "b/job", 2, "0", { 120 }, 1 },
	};
	size_t i;

	need(argc == 2, "argument");
	for (i = 0; i < sizeof series / sizeof *series; i++)
		all_runs(argv[1], &series[i]);
	return 0;
}
