// SPDX-License-Identifier: GPL-2.0-or-later
/* durations FOLDER: runs commands with known durations and computes the statistics itself. */
#include "truth.h"

struct series {
	const char *command;
	int runs;
	const char *code;
	int ms[10], n_ms;
};

static int tell[2];		/* inner times come through this pipe */

static int compare(const void *a, const void *b)
{
	ull x = *(const ull *)a, y = *(const ull *)b;

	return x < y ? -1 : x > y;
}

/* A run seen from inside, by its own clock, and from outside, by ours. */
struct run {
	ull inner, outer;
};

static struct run run(const char *dir, const struct series *s, int i)
{
	char path[400], ms[16];
	struct run r;
	ull begun = boot_ns();
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
	r.outer = boot_ns() - begun;
	need(code_of(st) != EXEC_FAILED, s->command);
	need(read(tell[0], &r.inner, sizeof r.inner) == sizeof r.inner, "inner time");
	truth("role=run command=%s pid=%d inner_ns=%llu outer_ns=%llu", s->command, p, r.inner,
	      r.outer);
	return r;
}

static void statistics(const struct series *s, const char *seen, ull *d)
{
	ull sum = 0;
	int i, n = s->runs;

	qsort(d, (size_t)n, sizeof *d, compare);
	for (i = 0; i < n; i++)
		sum += d[i];
	truth("role=%s command=%s runs=%d total_ns=%llu mean_ns=%llu min_ns=%llu max_ns=%llu median_ns=%llu",
	      seen, s->command, n, sum, sum / (unsigned)n, d[0], d[n - 1],
	      n % 2 ? d[n / 2] : (d[n / 2 - 1] + d[n / 2]) / 2);
}

static void all_runs(const char *dir, const struct series *s)
{
	ull inner[32], outer[32];
	int i;

	for (i = 0; i < s->runs; i++) {
		struct run r = run(dir, s, i);

		inner[i] = r.inner;
		outer[i] = r.outer;
	}
	statistics(s, "inner", inner);
	statistics(s, "outer", outer);
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

	need(argc == 2 && pipe(tell) == 0, "argument");
	tell[0] = fcntl(tell[0], F_DUPFD_CLOEXEC, 10);
	need(tell[0] >= 10 && (tell[1] == 3 || dup2(tell[1], 3) == 3), "descriptor 3");
	for (i = 0; i < sizeof series / sizeof *series; i++)
		all_runs(argv[1], &series[i]);
	return 0;
}
