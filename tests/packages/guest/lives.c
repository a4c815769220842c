// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives PROGRAM N STATUS BUSY_MS - N processes that execute PROGRAM, a copy of this one,
 * one after the other; each is busy for so long and ends with STATUS. Says how many
 * there were, what their clocks said just before they ended, and what wait4() told.
 */
#include "truth.h"

enum { TELL = 9 };		/* the copy's end of the pipe */

static int live(const char *status, const char *busy_ms)
{
	ull used;

	burn_ms((unsigned int)atoi(busy_ms));
	used = cpu_ns();
	need(write(TELL, &used, sizeof(used)) == sizeof(used), "pipe");
	return atoi(status);
}

struct cost {
	ull said_ns;
	long rusage_us;
};

static void one(char **argv, const int *ends, struct cost *sum)
{
	pid_t p = fork();
	struct rusage ru;
	ull used;
	int st;

	need(p >= 0, "fork");
	if (!p) {
		dup2(ends[1], TELL);
		execl(argv[1], argv[1], argv[3], argv[4], NULL);
		_exit(EXEC_FAILED);
	}
	need(wait4(p, &st, 0, &ru) == p && code_of(st) == atoi(argv[3]), "wait4");
	need(read(ends[0], &used, sizeof(used)) == sizeof(used), "read");
	sum->said_ns += used;
	sum->rusage_us += rusage_us(&ru);
}

int main(int argc, char **argv)
{
	const char *name;
	struct cost sum = { 0 };
	int ends[2];

	if (argc == 3)
		return live(argv[1], argv[2]);
	need(argc == 5 && !pipe(ends), "arguments");
	for (long i = atol(argv[2]); i > 0; i--)
		one(argv, ends, &sum);
	name = strrchr(argv[1], '/');
	truth("program=%s count=%s status=%s cpu_ns=%llu rusage_us=%ld", name ? name + 1 : argv[1], argv[2], argv[3],
	      sum.said_ns, sum.rusage_us);
	return 0;
}
