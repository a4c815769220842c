// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * poked MIB MS FILE: two threads and MIB of memory that do nothing, until SIGUSR1 comes: then a
 * CPU is used for MS, by its own clock. FILE gets a line when it is ready, and one
 * after each time: all that it has used so far, ns.
 */
#include <pthread.h>
#include <sys/prctl.h>
#include "truth.h"

static void *idle(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void put(const char *path)
{
	char line[32];
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);

	need(fd >= 0 && write(fd, line, (size_t)snprintf(line, sizeof(line), "%llu\n", cpu_ns())) > 0, "file");
	close(fd);
}

int main(int argc, char **argv)
{
	pthread_t other;
	sigset_t poke;
	size_t n;
	volatile char *m;
	int sig;

	need(argc == 4, "arguments");
	/* Else khugepaged fills up what was not touched, and the resident size grows later. */
	need(!prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), "huge pages");
	n = strtoul(argv[1], NULL, 10) << 20;
	m = malloc(n);
	need(m != NULL, "memory");
	/* A compiler leaves out what nobody reads. */
	for (size_t i = 0; i < n; i += 4096)
		m[i] = 1;
	sigemptyset(&poke);
	sigaddset(&poke, SIGUSR1);
	sigprocmask(SIG_BLOCK, &poke, NULL);
	need(!pthread_create(&other, NULL, idle, NULL), "thread");
	for (;;) {
		ull until;

		put(argv[3]);
		sigwait(&poke, &sig);
		until = cpu_ns() + strtoull(argv[2], NULL, 10) * 1000000;
		while (cpu_ns() < until)
			;
	}
}
