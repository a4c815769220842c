// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * burst WORKERS EACH [READER]: so many processes by fork alone, from several workers
 * at once. READER is a process that is stopped for the first of them.
 */
#include "truth.h"

enum { UNREAD = 1500 };	/* ten times what the smallest buffers hold */

/* Threads and processes made since boot, by the kernel's own count. */
static ull kernel_forks(void)
{
	char line[256];
	ull n = 0;
	FILE *f = fopen("/proc/stat", "r");

	need(f != NULL, "/proc/stat");
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "processes %llu", &n) == 1)
			break;
	fclose(f);
	return n;
}

static void worker(int each)
{
	int i;

	for (i = 0; i < each; i++) {
		pid_t p = fork();

		if (p == 0)
			_exit(i & 63);
		need(p > 0 && waitpid(p, NULL, 0) == p, "fork");
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	int workers = argc > 2 ? atoi(argv[1]) : 0, each = argc > 2 ? atoi(argv[2]) : 0, i, st;
	pid_t reader = argc > 3 ? atoi(argv[3]) : 0;
	ull before = kernel_forks();

	if (reader > 0)
		kill(reader, SIGSTOP);
	for (i = 0; i < workers; i++) {
		pid_t p = fork();

		if (p == 0)
			worker(each);
		need(p > 0, "fork");
	}
	if (reader > 0) {
		while (kernel_forks() - before < UNREAD)
			msleep(20);
		kill(reader, SIGCONT);
	}
	for (i = 0; i < workers; i++)
		need(wait(&st) > 0 && code_of(st) == 0, "worker");
	truth("role=burst pid=%d forks=%d", getpid(), workers + workers * each);
	return 0;
}
