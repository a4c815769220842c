// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives PROGRAM N STATUS BUSY_MS - N processes that execute PROGRAM, a copy of this one,
 * one after the other; each is busy for so long by its own clock and ends with STATUS.
 * Says how many there were and what their clocks said.
 */
#include "truth.h"

enum { TELL = 9 };		/* the copy's end of the pipe */

static int live(const char *status, const char *busy_ms)
{
	ull until = strtoull(busy_ms, NULL, 10) * 1000000, used;

	while ((used = cpu_ns()) < until)
		;
	need(write(TELL, &used, sizeof(used)) == sizeof(used), "pipe");
	return atoi(status);
}

static ull one(char **argv, const int *ends)
{
	pid_t p = fork();
	ull used;
	int st;

	need(p >= 0, "fork");
	if (!p) {
		dup2(ends[1], TELL);
		execl(argv[1], argv[1], argv[3], argv[4], NULL);
		_exit(EXEC_FAILED);
	}
	need(waitpid(p, &st, 0) == p && code_of(st) == atoi(argv[3]), "wait");
	need(read(ends[0], &used, sizeof(used)) == sizeof(used), "read");
	return used;
}

int main(int argc, char **argv)
{
	const char *name;
	int ends[2];
	ull used = 0;

	if (argc == 3)
		return live(argv[1], argv[2]);
	need(argc == 5 && !pipe(ends), "arguments");
	for (long i = atol(argv[2]); i > 0; i--)
		used += one(argv, ends);
	name = strrchr(argv[1], '/');
	truth("program=%s count=%s status=%s cpu_ns=%llu", name ? name + 1 : argv[1], argv[2], argv[3], used);
	return 0;
}
