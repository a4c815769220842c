// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * naps N MS SHORT_MS: N children that live MS, and N that end at once. Of these it tells
 * which were seen to be gone before SHORT_MS had passed: the machine may have halted.
 */
#include "truth.h"

#include <stdbool.h>

static pid_t child(unsigned int ms, int code)
{
	pid_t p = fork();

	if (!p) {
		if (ms)
			msleep(ms);
		_exit(code);
	}
	need(p > 0, "fork");
	return p;
}

/* Was it there for less than that, beyond doubt? */
static bool blink(unsigned int short_ms)
{
	ull begun = boot_ns();
	pid_t p = child(0, 6);
	bool brief;

	need(waitpid(p, NULL, 0) == p, "wait");
	brief = boot_ns() - begun < short_ms * 1000000ULL;
	if (brief)
		truth("role=blip pid=%d", p);
	return brief;
}

int main(int argc, char **argv)
{
	const int n = argc > 3 ? atoi(argv[1]) : 0;
	int blips = 0;

	need(n > 0, "arguments");
	for (int i = 0; i < n; i++)
		child(atoi(argv[2]), 5);
	while (blips < n)
		blips += blink(atoi(argv[3]));
	while (wait(NULL) > 0)
		;
	truth("role=naps n=%d", n);
	return 0;
}
