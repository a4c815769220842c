#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "changes ftrace_enabled"
ends_by kprobe || skip "no kprobe tells the ends here"
switch=/proc/sys/kernel/ftrace_enabled
[ -w $switch ] || skip "no $switch"
ktally status > "$WORK/status.before" || fail "status: $?"
start
work "$BIN/many" "$BIN/blink" 60
echo 0 > $switch
work "$BIN/many" "$BIN/blink" 60
sleep 1.5
work "$BIN/many" "$BIN/blink" 60
stop
ktally status > "$WORK/status.after" 2>&1 || fail "status: $?"
ktally doctor > "$WORK/doctor" 2>&1
echo 1 > $switch
tables "$KTL"
ktally report --strict "$KTL" > "$WORK/said" 2>&1
truth "role=strict rc=$? said_missed=$(grep -c -i 'missed.*kprobe\|kprobe.*missed' "$WORK/said")"
truth "role=said status=$(grep -c -i 'missed' "$WORK/status.after") doctor=$(grep -c -i 'kprobe' "$WORK/doctor")"
verdict "$HERE/expected.txt" "$WORK"/lives.*
