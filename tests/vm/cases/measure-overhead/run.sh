#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/measure.sh"
SPIN=$SHARED/spin
HYPERFINE=${LIB%/lib}/tools/bin/hyperfine

# Beginning and end of the programs themselves are in it: opening and closing a session, too.
run_theirs() { US=$("$BIN/elapsed" "$HYPERFINE" -N -r "$1" --style none --export-json "$WORK/h" "$SPIN 5") || fail "hyperfine: $?"; }
run_ours() { US=$("$BIN/elapsed" ktally measure -r "$1" -w 0 --csv -o "$WORK/m" -- "$SPIN" 5) || fail "ktally: $?"; }
run_theirs 20
run_ours 20
theirs=100000000 ours=100000000
for _n in 1 2 3; do
	run_theirs 200
	[ "$US" -ge "$theirs" ] || theirs=$US
	run_ours 200
	[ "$US" -ge "$ours" ] || ours=$US
done
say "200 runs of 5 ms: hyperfine $theirs us, ktally $ours us, the least of three times each"
is "$ours <= 1.05 * $theirs" "slower than hyperfine"

# --- one run: hyperfine's median is our wall time, and time lies within ---
median=$(tr -d ' \n' < "$WORK/h" | sed 's/.*"median":\([0-9.e-]*\).*/\1/')
wall=$(column median runs "$SPIN 5" wall 1) time=$(column median runs "$SPIN 5" time 1)
say "medians of a run: hyperfine $median s, wall $wall ns, time $time ns"
near "wall time beside hyperfine's" "$wall" "$median * 1e9" 2
is "$time >= 5e6 && $time <= $wall" "time within wall time"
exit 0
