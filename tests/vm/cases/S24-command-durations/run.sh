#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
mkdir "$WORK/a" "$WORK/b"
for name in tick-50 tick-mixed tick-once tick-zero tick-fail tick-killed a/job b/job tick-unfinished; do
	program tick $name
done
start
work "$BIN/durations" "$WORK"
"$WORK/tick-unfinished" 60000 0 &
unfinished=$!
sleep 0.3
stop
kill $unfinished
truth "role=unfinished pid=$unfinished"
[ -z "$NATIVE" ] || exit 0
for form in csv json; do
	ktally commands --$form "$KTL" > "$WORK/commands.$form" 2> "$WORK/report.said" ||
		fail "commands --$form ended with $?: $(cat "$WORK/report.said")"
	ktally commands --runs --$form "$KTL" > "$WORK/runs.$form" 2> "$WORK/report.said" ||
		fail "commands --runs --$form ended with $?: $(cat "$WORK/report.said")"
done
tables "$KTL"
compare "$WORK"/lives.* "$WORK"/commands.* "$WORK"/runs.*
