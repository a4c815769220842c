#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "takes CPUs offline"
cpu1=/sys/devices/system/cpu/cpu1/online
[ -w $cpu1 ] || skip "CPU 1 cannot be taken offline"
turn() { echo "$1" > $cpu1 || broken "CPU 1 does not turn $1"; }
on() { work taskset "$1" "$BIN/many" "$BIN/blink" 40; }

start
# shellcheck disable=SC2034
for round in 1 2 3; do
	on 2
	turn 0
	on 1
	turn 1
	on 2
done
stop
judge

# a recording that begins without it
: > "$TRUTH"
turn 0
start
on 1
turn 1
on 2
stop
judge

# and one that ends without it
: > "$TRUTH"
start
on 2
turn 0
stop
turn 1
judge
