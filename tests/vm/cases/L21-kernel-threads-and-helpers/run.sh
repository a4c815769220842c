#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "changes core_pattern"
pattern=$(cat /proc/sys/kernel/core_pattern)
program helper
echo "|$WORK/helper $TRUTH %P" > /proc/sys/kernel/core_pattern
start
want 134 "$BIN/helper"
until_true 10 grep -q role=helper "$TRUTH" || broken "the kernel started no helper"
helper=$(sed -n 's/^TRUTH role=helper pid=\([0-9]*\).*/\1/p' "$TRUTH")
until_true 20 test ! -e "/proc/$helper" || broken "the helper does not end"
stop
echo "$pattern" > /proc/sys/kernel/core_pattern
judge
