// SPDX-License-Identifier: GPL-2.0-or-later
/* A parent with 150 MiB resident starts the same tiny program by three routes. */
#include "truth.h"
#include <spawn.h>

static int child(const char *route)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	truth("role=small-child route=%s pid=%d hwm_kb=%ld ru_maxrss_kb=%ld", route, getpid(),
	      hwm_kb(), ru.ru_maxrss);
	return 0;
}

static pid_t by_fork(char *path, char **av)
{
	pid_t p = begin();

	if (p == 0) {
		execv(path, av);
		_exit(EXEC_FAILED);
	}
	return p;
}

static pid_t by_vfork(char *path, char **av)
{
	ull asked = boot_ns();
	pid_t p = vfork();

	if (p == 0) {
		execv(path, av);
		_exit(EXEC_FAILED);
	}
	return born(p, asked);
}

static pid_t by_spawn(char *path, char **av)
{
	ull asked = boot_ns();
	pid_t p;

	need(posix_spawn(&p, path, NULL, NULL, av, environ) == 0, "posix_spawn");
	return born(p, asked);
}

int main(int argc, char **argv)
{
	static const struct {
		char *name;
		pid_t (*start)(char *path, char **av);
	} routes[] = { { "fork", by_fork }, { "vfork", by_vfork }, { "spawn", by_spawn } };
	char path[300];
	int i;

	if (argc > 2)
		return child(argv[2]);
	need(argc == 2, "argument");
	snprintf(path, sizeof path, "%s/small-child", argv[1]);
	touch_mb(150);
	for (i = 0; i < 3; i++) {
		char *av[] = { path, "x", routes[i].name, NULL };

		reap(routes[i].start(path, av), routes[i].name);
	}
	truth("role=big-parent pid=%d hwm_kb=%ld", getpid(), hwm_kb());
	return 0;
}
