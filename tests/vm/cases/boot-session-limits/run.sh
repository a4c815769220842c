#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "loads the module"
E=$WORK/said
insmod /vm/ktally.ko boot=1 boot_seconds=6 || broken "insmod: $?"
ktally status > "$WORK/early" || fail "status: $?"
has_gone() { ! ktally status | grep -q -w boot; }
until_true 40 has_gone || fail "the session stays"
ktally status > "$WORK/late" || fail "status: $?"
timeout 20 ktally record --boot -o "$WORK/late.ktl" 2> "$E"
truth "role=late rc=$? said_lines=$(wc -l < "$E") early=$(grep -c -w boot "$WORK/early") late=$(grep -c -w boot "$WORK/late") made=$(find "$WORK" -name late.ktl | wc -l)"
rmmod ktally || fail "rmmod: $?"

# the smallest buffers and nobody who reads
kernel_forks
before=$FORKS
insmod /vm/ktally.ko boot=1 boot_kb=1 || broken "insmod: $?"
work "$BIN/burst" 2 1000
start --boot
sleep 1
stop
kernel_forks
truth "role=kernel forks=$((FORKS - before))"
tables "$KTL" --columns "$FEW"
rmmod ktally || fail "rmmod: $?"
verdict "$HERE/expected.txt" "$WORK"/lives.*
