#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "changes ftrace_enabled"
switch=/proc/sys/kernel/ftrace_enabled
[ -w $switch ] || skip "no $switch"
echo 0 > $switch
# The module looks each second whether its kprobes are hit, and at an end whether the
# one for ends is: the second that is not seen tells.
for _try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	sleep 0.1
done
start
work "$SHARED/oneway"
stop
echo 1 > $switch
judge
