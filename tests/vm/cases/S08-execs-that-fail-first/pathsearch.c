// SPDX-License-Identifier: GPL-2.0-or-later
/* pathsearch FOLDER: seven failing execve calls, then one that works, in the same process. */
#include "truth.h"

static char huge[200000];

static void make(const char *name, mode_t mode, int keep_open)
{
	int f = open(name, O_CREAT | O_WRONLY, mode);

	need(write(f, "#!/bin/sh\n", 10) == 10, name);
	if (!keep_open)
		close(f);
}

static void search(void)
{
	static const char *const tries[] = {
		"./no/such/dir/cmd", "./nowhere-1", "./nowhere-2", "./not-executable",
		"./a-directory", "./busy",
	};
	char *av[] = { "tried", "arrived", "a b", NULL }, *big[] = { "tried", huge, NULL };
	char errs[200] = "";
	int i;

	for (i = 0; i < 6; i++) {
		execv(tries[i], av);
		snprintf(errs + strlen(errs), sizeof errs - strlen(errs), "%d,", errno);
	}
	execv("./pathsearch", big);
	snprintf(errs + strlen(errs), sizeof errs - strlen(errs), "%d", errno);
	truth("role=before pid=%d errnos=%s", getpid(), errs);
	execv("./pathsearch", av);
	_exit(EXEC_FAILED);
}

int main(int argc, char **argv)
{
	pid_t p;

	if (argc > 1 && !strcmp(argv[1], "arrived")) {
		truth("role=arrived pid=%d argc=%d", getpid(), argc);
		return 9;
	}
	need(argc > 1 && chdir(argv[1]) == 0, "chdir");
	make("not-executable", 0644, 0);
	mkdir("a-directory", 0755);
	make("busy", 0755, 1);
	memset(huge, 'x', sizeof huge - 1);
	p = begin();
	if (p == 0)
		search();
	need(code_of(reap(p, "ended")) == 9, "arrived");
	return 0;
}
