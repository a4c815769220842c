#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "makes a control group"
root=/sys/fs/cgroup
[ -e $root/cgroup.controllers ] || mount -t cgroup2 none $root || skip "no control groups"
grep -qw memory $root/cgroup.controllers || skip "no memory control group"
echo +memory > $root/cgroup.subtree_control
group=$root/hog
mkdir $group || broken "cannot make $group"
echo 33554432 > $group/memory.max
echo 0 > $group/memory.swap.max 2> /dev/null
truth "role=limit limit_kb=32768"
start
work "$BIN/hog" $group/cgroup.procs
stop
sleep 0.2
rmdir $group
judge
