#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "changes ftrace_enabled"
switch=/proc/sys/kernel/ftrace_enabled
[ -w $switch ] || skip "no $switch"
echo 0 > $switch
sleep 3		# the module looks each second whether its kprobes are hit
start
work "$SHARED/oneway"
stop
echo 1 > $switch
judge
