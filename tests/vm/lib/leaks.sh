# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# leaks.sh - ask kmemleak what was lost between two points. For kernels that
# have it; sourced by a case's run.sh.

LEAKS=/sys/kernel/debug/kmemleak

# From here on.
leaks_begin()
{
	[ -w $LEAKS ] || { echo "this kernel has no kmemleak" >&2; exit 77; }
	echo clear >$LEAKS
}

# Nothing may be left that nobody points to. An object must be five seconds old
# to count, and unchanged between two scans.
leaks_end()
{
	sleep 6
	echo scan >$LEAKS
	echo scan >$LEAKS
	grep -q . $LEAKS || return 0
	cat $LEAKS
	return 1
}
