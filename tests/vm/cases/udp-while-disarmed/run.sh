#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "changes ftrace_enabled"
switch=/proc/sys/kernel/ftrace_enabled
[ -w $switch ] || skip "no $switch"
echo 0 > $switch
# The module looks each second whether its kprobes are hit, and at an end whether the
# one for ends is: the second that is not seen tells.
for _try in $(seq 30); do
	sleep 0.1
done
start
work "$SHARED/oneway"
stop
echo 1 > $switch
judge
