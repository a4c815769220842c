// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spin MS [FILE]: uses a CPU for so many milliseconds, by its own clock; then adds a line
 * to FILE: what it used, ns, and how much of it before main(): since the fork.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t begin = used(), want = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	volatile unsigned int x = 0;
	char line[48];
	int fd;

	while (used() < want)
		for (int i = 0; i < 1000; i++)
			x += i;
	if (argc < 3)
		return 0;
	fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0644);
	return fd < 0 || write(fd, line, snprintf(line, sizeof(line), "%llu %llu\n", (unsigned long long)used(),
						  (unsigned long long)begin)) < 0;
}
