// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work FORKS SENDS - so many children, one after the other, and so many datagrams to
 * ourselves. work as UID CMD... - CMD as another user.
 */
#include <arpa/inet.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(98);
}

static int open_socket(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (void *)&a, n) || getsockname(fd, (void *)&a, &n) || connect(fd, (void *)&a, n))
		exit(98);
	return fd;
}

static void send_once(int fd)
{
	char c = 'x';

	if (send(fd, &c, 1, 0) != 1 || recv(fd, &c, 1, 0) != 1)
		exit(98);
}

static int as_user(char **argv)
{
	uid_t uid = atoi(argv[0]);

	if (setgroups(0, NULL) || setgid(uid) || setuid(uid))
		return 98;
	execvp(argv[1], argv + 1);
	return 98;
}

int main(int argc, char **argv)
{
	int forks, sends, fd;

	if (argc > 3 && !strcmp(argv[1], "as"))
		return as_user(argv + 2);
	if (argc != 3)
		return 98;
	forks = atoi(argv[1]);
	sends = atoi(argv[2]);
	fd = open_socket();
	for (int i = 0; i < forks; i++)
		fork_once();
	for (int i = 0; i < sends; i++)
		send_once(fd);
	return 0;
}
