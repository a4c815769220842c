// SPDX-License-Identifier: GPL-2.0-or-later
/* as UID PROGRAM ARG: becomes that user and executes PROGRAM. */
#include "truth.h"

int main(int argc, char **argv)
{
	need(argc > 3 && !setuid((uid_t)atoi(argv[1])), "setuid");
	execl(argv[2], "blink", argv[3], (char *)NULL);
	return EXEC_FAILED;
}
