// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree: a child that touches 24 MiB beside one that touches 8 MiB, both at the same
 * time, and waits for them; prints how long that took and what wait4() tells.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child(size_t mib)
{
	pid_t p = fork();
	char *m;

	if (p)
		return p;
	m = malloc(mib << 20);
	if (!m)
		_exit(1);
	memset(m, 1, mib << 20);
	usleep(20000);
	_exit(m[mib << 19] != 1);
}

int main(void)
{
	int bad = 0, status;

	child(24);
	child(8);
	while (wait(&status) > 0)
		bad |= status;
	return bad ? 1 : 0;
}
