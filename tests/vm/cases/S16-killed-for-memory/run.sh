#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "makes a control group"
memory_group hog
echo 33554432 > "$GROUP/memory.max"
echo 0 > "$GROUP/memory.swap.max" 2> /dev/null
truth "role=limit limit_kb=32768"
start
work "$BIN/hog" "$GROUP/cgroup.procs"
stop
sleep 0.2
rmdir "$GROUP"
judge
