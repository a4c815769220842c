// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tick MS CODE: sleeps and ends; a negative CODE means: die of that signal. Says on
 * descriptor 3, if there is one, how long it took by its own clock.
 */
#include "truth.h"

int main(int argc, char **argv)
{
	ull begun = boot_ns(), took;
	int code = argc > 2 ? atoi(argv[2]) : 0;

	msleep(argc > 1 ? (unsigned)atoi(argv[1]) : 0);
	took = boot_ns() - begun;
	need(write(3, &took, sizeof took) == sizeof took || errno == EBADF, "write");
	if (code < 0)
		raise(-code);
	return code;
}
