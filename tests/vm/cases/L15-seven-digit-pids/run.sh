#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "changes pid_max"
echo 4194304 > /proc/sys/kernel/pid_max
echo 4190000 > /proc/sys/kernel/ns_last_pid
program punct
start
work "$WORK/punct" "$WORK"
stop
judge
one_line_a_record 20
no_raw_controls
columns_line_up
