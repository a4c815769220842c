// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * churn KIND: does one thing without an end: forks, threads, execs (of itself, to
 * end at once), or datagrams to its own socket on loopback. Rests after each, so
 * that a slow machine has time to load and unload a module a hundred times.
 */
#include "truth.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

static void forks(void)
{
	pid_t p = fork();

	if (p == 0)
		_exit(0);
	need(p > 0 && waitpid(p, NULL, 0) == p, "fork");
}

static void execs(void)
{
	pid_t p = vfork();

	if (p == 0) {
		execl("/proc/self/exe", "churn", "end", (char *)NULL);
		_exit(EXEC_FAILED);
	}
	need(p > 0 && waitpid(p, NULL, 0) == p, "exec");
}

static void *nothing(void *arg)
{
	return arg;
}

static void threads(void)
{
	pthread_t t;

	need(pthread_create(&t, NULL, nothing, NULL) == 0, "thread");
	pthread_join(t, NULL);
}

static void datagrams(void)
{
	static int s = -1;
	static struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof to;
	char b[1000] = "";

	if (s < 0) {
		to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		s = socket(AF_INET, SOCK_DGRAM, 0);
		need(s >= 0 && bind(s, (struct sockaddr *)&to, len) == 0, "socket");
		need(getsockname(s, (struct sockaddr *)&to, &len) == 0, "name");
	}
	need(sendto(s, b, sizeof b, 0, (struct sockaddr *)&to, len) == sizeof b, "send");
	need(recv(s, b, sizeof b, 0) == sizeof b, "receive");
}

static void end(void)
{
	_exit(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*once)(void);
	} kinds[] = {
		{ "forks", forks }, { "execs", execs }, { "threads", threads },
		{ "datagrams", datagrams }, { "end", end },
	};
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		while (argc == 2 && !strcmp(argv[1], kinds[i].name)) {
			kinds[i].once();
			msleep(5);
		}
	return NOT_AS_MEANT;
}
