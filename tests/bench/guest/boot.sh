#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# boot.sh WAY - in a Debian under icount that has just reached multi-user: what the
# machine was busy for until now, and what its hooks took. Prints
#   boot WAY INSTRUCTIONS                    of all that ran; idle time left out
#   load WAY INSTRUCTIONS                    of insmod, where the module was not there
#   hook WAY WAY HOOK CALLS MEDIAN SUM       what hookclock saw, if it is there
set -eu

# Time on the CPU of all that ran there, in ns; without a fork.
busy()
{
	while read -r cpu _ _ _ _ _ _ at _; do
		[ "$cpu" != cpu0 ] || now=$at
	done </proc/schedstat
}

busy
echo "boot $1 $now"
[ ! -e /proc/hookclock ] || sed "s/^/hook $1 $1 /" /proc/hookclock
[ "$1" = without ] || exit 0
sleep 30
busy
before=$now
/vm/busybox insmod /vm/ktally.ko boot=1
busy
echo "load $1 $((now - before))"
