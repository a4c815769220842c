# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# storm.sh - sourced by the stress cases after case.sh: a module whose counters
# begin at 0, PIDs that come again within seconds, and a storm on it.

# storm_over SECONDS [WORKER...]
storm_over()
{
	echo 4096 > /proc/sys/kernel/pid_max
	echo '|/bin/false' > /proc/sys/kernel/core_pattern
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control 2> /dev/null
	rmmod ktally 2> /dev/null
	insmod /vm/ktally.ko max_kb=65536 || fail "the module does not load"
	"$BIN/storm" "$@" || fail "the books do not balance"
	rmmod ktally || fail "the module does not unload after the storm"
}
