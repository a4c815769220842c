// SPDX-License-Identifier: GPL-2.0-or-later
/* used CMD ARG... - runs it, and prints "USER_US SYSTEM_US RSS_KB" on standard error. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long us(struct timeval t)
{
	return t.tv_sec * 1000000L + t.tv_usec;
}

int main(int argc, char **argv)
{
	struct rusage u;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return 1;
	fprintf(stderr, "%ld %ld %ld\n", us(u.ru_utime), us(u.ru_stime), u.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
