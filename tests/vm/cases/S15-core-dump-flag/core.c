// SPDX-License-Identifier: GPL-2.0-or-later
/* core FOLDER: the same crash with and without a core file. */
#include "truth.h"

static void crash(int sig, rlim_t limit)
{
	struct rlimit l = { limit, limit };

	setrlimit(RLIMIT_CORE, &l);
	signal(sig, SIG_DFL);
	raise(sig);
	_exit(NOT_AS_MEANT);
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGQUIT };
	int core, i, st;

	need(argc > 1 && chdir(argv[1]) == 0, "chdir");
	for (core = 0; core < 2; core++)
		for (i = 0; i < 3; i++) {
			pid_t p = begin();

			if (p == 0)
				crash(signals[i], core ? 8U << 20 : 0);
			st = reap(p, core ? "with-core" : "without-core");
			need(WIFSIGNALED(st) && WTERMSIG(st) == signals[i], "signal");
			need(!!WCOREDUMP(st) == core, "core only with a limit");
		}
	return 0;
}
