#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "changes core_pattern"
pattern=$(cat /proc/sys/kernel/core_pattern)
echo core > /proc/sys/kernel/core_pattern
start
work "$BIN/core" "$WORK"
stop
echo "$pattern" > /proc/sys/kernel/core_pattern
judge
