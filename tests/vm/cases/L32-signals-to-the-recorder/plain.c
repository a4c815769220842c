// SPDX-License-Identifier: GPL-2.0-or-later
/* plain COMMAND...: with default signals; a shell gives its background jobs an ignored SIGINT. */
#include "truth.h"

int main(int argc, char **argv)
{
	need(argc > 1, "argument");
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	execvp(argv[1], argv + 1);
	return EXEC_FAILED;
}
