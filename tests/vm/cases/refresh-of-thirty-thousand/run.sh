#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/refresh.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
MOST=1500	# instructions per process and refresh
echo 100000 > /proc/sys/kernel/pid_max
echo 100000 > /proc/sys/kernel/threads-max
for limit in /sys/fs/cgroup/pids.max $(sed 's|^0::|/sys/fs/cgroup|; s|$|/pids.max|' /proc/self/cgroup); do
	[ ! -e "$limit" ] || echo max > "$limit"
done

views()
{
	ours $MOST 6 "ktally stat" ktally stat 0.5 COUNT --csv -q
	ours $MOST 6 "ktally stat sleeper busy" ktally stat sleeper busy 0.5 COUNT --csv -q
	ours $MOST 4 "ktally top -b --limit 40" ktally top -b 0.5 COUNT --limit 40
}

# Who reads /proc needs minutes for 30,000, and as much for each of 5,000.
crowd 5000 0
views
once "ps -eo pid,comm,time,rss" ps -eo pid,comm,time,rss
theirs "top -b" top -b -d 1 -n COUNT
theirs "pidstat -u -r" pidstat -u -r -p ALL 1 COUNT
gone

crowd 30000 3000
[ "$PEOPLE" -ge 30000 ] || broken "$PEOPLE processes"
views
gone
crowd 30000 0
views
# Everybody is looked at once in 30 s: a thirtieth of this is a second's.
ours 4000 2 "ktally stat 31 (all looked at)" ktally stat 31 COUNT --csv -q
gone
