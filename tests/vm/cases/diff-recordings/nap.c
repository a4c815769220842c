// SPDX-License-Identifier: GPL-2.0-or-later
/* nap MS: sleeps that long; the kernel tells how much CPU that cost. */
#include "truth.h"

int main(int argc, char **argv)
{
	need(argc == 2, "arguments");
	msleep(atoi(argv[1]));
	return 0;
}
