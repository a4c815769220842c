#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
root=/sys/fs/cgroup
[ -e $root/cgroup.controllers ] || mount -t cgroup2 none $root || skip "no control groups"
grep -qw memory $root/cgroup.controllers || skip "no memory control group"
echo +memory > $root/cgroup.subtree_control
group=$root/holder
mkdir $group || broken "cannot make $group"
work "$BIN/holder" $group
rmdir $group
compare
