// SPDX-License-Identifier: GPL-2.0-or-later
/* tick MS CODE: sleeps and ends; a negative CODE means: die of that signal. */
#include "truth.h"

int main(int argc, char **argv)
{
	int code = argc > 2 ? atoi(argv[2]) : 0;

	msleep(argc > 1 ? (unsigned)atoi(argv[1]) : 0);
	if (code < 0)
		raise(-code);
	return code;
}
