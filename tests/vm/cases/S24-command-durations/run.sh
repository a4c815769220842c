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
# it has executed its program
until_true 20 grep -q tick-unfinished "/proc/$unfinished/comm" || broken "tick-unfinished does not run"
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
# of the runs, by the textbook; this awk has no roots
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["key"] == "tick-mixed" { d[++n] = $at["duration_ns"]; sum += d[n] }
	END {
		for (i = 1; i <= n; i++)
			square += (d[i] - sum / n) * (d[i] - sum / n)
		sd = sum
		for (i = 0; i < 100 && n > 1; i++)
			sd = (sd + square / (n - 1) / sd) / 2
		printf "TRUTH role=mixed sd_ns=%.0f\n", sd
	}' "$WORK/runs.csv" >> "$TRUTH"
tables "$KTL"
compare "$WORK"/lives.* "$WORK"/commands.* "$WORK"/runs.*
