#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
cpus=/sys/devices/system/cpu
[ "$(cat $cpus/possible)" = 0-71 ] || skip "CPUs $(cat $cpus/possible) may be, not 0-71"
turn() { echo "$2" > "$cpus/cpu$1/online" || broken "CPU $1 does not turn $2"; }
# on CPU...: a life on each of them
on()
{
	for cpu; do
		want $((cpu & 63)) "$BIN/here" "$cpu"
	done
}

# holes at the beginning already, and a number past 64
turn 5 1
turn 70 1
start
say "at the beginning: CPUs $(cat $cpus/online)"
on 0 1 5 70
cpu=2
while [ $cpu -lt 72 ]; do
	case $cpu in
	5 | 70) ;;
	*)
		turn "$cpu" 1
		on "$cpu"
		[ $((cpu % 3)) != 0 ] || turn "$cpu" 0
		;;
	esac
	cpu=$((cpu + 1))
done
say "in the end: CPUs $(cat $cpus/online)"
stop
judge
# and a recording of all that are there then, of which one goes
[ -z "$NATIVE" ] || exit 0
: > "$TRUTH"
record "$WORK/later.ktl"
"$BIN/here" 71 > "$WORK/out"
turn 71 0
finish "$RECORDER" || fail "record ended with $?"
ktally report --strict "$WORK/later.ktl" > "$WORK/out" || fail "report of the second ended with $?"
# no word of a CPU that is off
said=$(cat "$KTL.said" "$WORK/later.ktl.said" | grep -vc 'recorded .* lost 0')
[ "$said" = 0 ] || fail "more was said: $(cat "$KTL.said" "$WORK/later.ktl.said")"
