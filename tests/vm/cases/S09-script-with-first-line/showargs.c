// SPDX-License-Identifier: GPL-2.0-or-later
/* A stand-in interpreter that shows how it was called. */
#include "truth.h"

int main(int argc, char **argv)
{
	char name[80], args[2000];

	comm_hex(name, sizeof name);
	argv_hex(argv, args, sizeof args);
	truth("role=script pid=%d comm_hex=%s argc=%d argv_hex=%s", getpid(), name, argc, args);
	return 17;
}
