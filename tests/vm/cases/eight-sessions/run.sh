#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
n=1
while [ $n -le 8 ]; do
	record "$WORK/$n.ktl"
	eval "pid$n=$RECORDER"
	n=$((n + 1))
done
ktally status > "$WORK/status" || fail "status: $?"
timeout 20 ktally record -o "$WORK/ninth.ktl" 2> "$WORK/said"
truth "role=ninth rc=$? said_lines=$(wc -l < "$WORK/said") said=\"$(head -n 1 "$WORK/said" | tr -d '"')\" made=$(find "$WORK" -name ninth.ktl | wc -l)"
timeout 20 ktally record -o "$WORK/ninth.ktl" -- true 2> "$WORK/said"
truth "role=ninth_command rc=$?"

work "$BIN/many" "$BIN/blink" 100
n=1
while [ $n -le 8 ]; do
	eval "finish \$pid$n" || fail "recording $n ended with $?: $(cat "$WORK/$n.ktl.said")"
	n=$((n + 1))
done
n=1
while [ $n -le 8 ]; do
	judge "$WORK/$n.ktl"
	n=$((n + 1))
done
# a place is free again
ktally record -o "$WORK/ninth.ktl" -- true || fail "no place is free: $?"
