// SPDX-License-Identifier: GPL-2.0-or-later
/* names FOLDER N: as many programs with names of their own, one after the other. */
#include "truth.h"

static void one(int i)
{
	char name[32];
	pid_t p;

	snprintf(name, sizeof name, "nm-%d", i);
	need(link("names", name) == 0, "link");
	p = vfork();
	if (p == 0) {
		execl(name, name, (char *)NULL);
		_exit(EXEC_FAILED);
	}
	need(waitpid(p, NULL, 0) == p && unlink(name) == 0, "run");
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0, i;

	if (argc == 1)
		return 0;
	need(n > 0 && chdir(argv[1]) == 0, "chdir");
	for (i = 0; i < n; i++)
		one(i);
	truth("role=names count=%d last=nm-%d", n, n - 1);
	return 0;
}
