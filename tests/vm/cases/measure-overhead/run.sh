#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/measure.sh"
SPIN=$SHARED/spin
hyperfine() { "${LIB%/lib}/tools/bin/hyperfine" "$@"; }

# Beginning and end of the programs themselves are in it: opening and closing a session, too.
now_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }
hyperfine -N -r 20 --style none "$SPIN 5" > /dev/null 2>&1 || fail "hyperfine: $?"
measure -r 20 -w 0 -- "$SPIN" 5 > /dev/null || fail "a few runs: $?"
theirs=1000000 ours=1000000
for _n in 1 2 3; do
	begun=$(now_ms)
	hyperfine -N -r 200 --style none --export-json "$WORK/h" "$SPIN 5" > /dev/null 2>&1 || fail "hyperfine: $?"
	between=$(now_ms)
	measure -r 200 -w 0 --csv -o "$WORK/m" -- "$SPIN" 5 || fail "two hundred runs: $?"
	ended=$(now_ms)
	[ $((between - begun)) -ge $theirs ] || theirs=$((between - begun))
	[ $((ended - between)) -ge $ours ] || ours=$((ended - between))
done
say "200 runs of 5 ms: hyperfine $theirs ms, ktally $ours ms, the least of three times each"
is "$ours <= 1.05 * $theirs" "slower than hyperfine"

# --- one run: hyperfine's median is our wall time, and time lies within ---
median=$(tr -d ' \n' < "$WORK/h" | sed 's/.*"median":\([0-9.e-]*\).*/\1/')
wall=$(column median runs "$SPIN 5" wall 1) time=$(column median runs "$SPIN 5" time 1)
say "medians of a run: hyperfine $median s, wall $wall ns, time $time ns"
near "wall time beside hyperfine's" "$wall" "$median * 1e9" 2
is "$time >= 5e6 && $time <= $wall" "time within wall time"
exit 0
