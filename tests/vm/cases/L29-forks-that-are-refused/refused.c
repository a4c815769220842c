// SPDX-License-Identifier: GPL-2.0-or-later
/* Forks until the kernel refuses. */
#include "truth.h"

static int go[2];

static void wait_and_end(void)
{
	char b;

	close(go[1]);
	_exit(read(go[0], &b, 1) < 0);
}

static void bomber(void)
{
	struct rlimit l = { 60, 60 };
	long ok = 0, refused = 0;
	int i;

	set_name("bomber");
	need(setgid(54321) == 0 && setuid(54321) == 0 && setrlimit(RLIMIT_NPROC, &l) == 0, "limits");
	for (i = 0; i < 300; i++) {
		pid_t c = fork();

		if (c == 0)
			wait_and_end();
		ok += c > 0;
		refused += c < 0;
	}
	truth("role=bomber pid=%d forks_ok=%ld forks_refused=%ld", getpid(), ok, refused);
	close(go[1]);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

int main(void)
{
	pid_t p;

	need(pipe(go) == 0, "pipe");
	p = begin();
	if (p == 0)
		bomber();
	close(go[1]);
	need(code_of(reap(p, "ended")) == 0, "bomber");
	return 0;
}
