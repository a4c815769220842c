// SPDX-License-Identifier: GPL-2.0-or-later
/* as UID CMD... - runs a command as a user that is in no group but its own. */
#include "truth.h"

#include <grp.h>

int main(int argc, char **argv)
{
	uid_t uid = argc > 2 ? (uid_t)atoi(argv[1]) : 0;

	need(uid, "usage");
	need(!setgroups(0, NULL) && !setgid(uid) && !setuid(uid), "setuid");
	execvp(argv[2], argv + 2);
	return 127;
}
