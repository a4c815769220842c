#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/measure.sh"

# --- peaks: not those of who ran before, nor of a parent ---
measure --compare -r 10 -w 0 --each --csv -o "$WORK/each" -- "$BIN/big" --- "$SHARED/spin" 1 || fail "big beside small: $?"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ p = $at["peak_rss_bytes"]; n++; if ($at["command"] == 1 ? p < 500 * 1048576 : p > 8 * 1048576) bad = 1 }
	END { exit !(n == 20 && !bad) }' "$WORK/each" || { cat "$WORK/each" >&2; fail "peaks"; }
"$BIN/big" ktally measure -r 10 -w 0 --csv -o "$WORK/m" -- "$SHARED/spin" 1 2> "$WORK/said" || fail "below a big parent: $?: $(cat "$WORK/said")"
awk -F, 'NR > 1 && $2 == "peak memory" { bad = $13 > 8 * 1048576; n++ } END { exit n != 1 || bad }' "$WORK/m" || fail "peak below a big parent"

# --- workers that print, workers that mark ---
measure --worker numbers --unit ms --workers 2 --warm-up 0.5 --solo 10 --shared 1 --samples 1 --repeats 1 --csv -o "$WORK/m" -- \
	sh -c 'while :; do echo 12.5; sleep 0.02; done' || fail "numbers: $?: $(cat "$WORK/said")"
[ "$(column runs solo worker value 1)" = 10 ] || fail "ten numbers"
is "$(column min shared worker value 1) == 12500000 && $(column max shared worker value 1) == 12500000" "numbers as printed"
measure --worker numbers --repeats 1 -- sh -c 'echo nan; sleep 1' > /dev/null
[ $? = 1 ] || fail "nan as a number"
grep -q "printed 'nan'" "$WORK/said" || fail "no word about nan: $(cat "$WORK/said")"
measure --worker marks --warm-up 0.5 --solo 5 --shared 1 --samples 1 --repeats 1 --csv -o "$WORK/m" -- \
	sh -c 'while :; do ktally mark begin; sleep 0.1; ktally mark end; sleep 2; done' || fail "marks: $?: $(cat "$WORK/said")"
is "$(column min solo worker time 1) >= 0.1e9" "time between marks"
is "$(column min solo worker time 1) < 2e9" "and not up to the next begin"
measure --workers 2 --warm-up stable --solo 5 --shared 1 --samples 1 --repeats 1 --csv -o "$WORK/m" -- sleep 0.1 || fail "stable: $?: $(cat "$WORK/said")"
is "$(column min solo worker time 1) >= 0.1e9" "sleep"

# --- a parameter, and what is wrong ---
measure --scan t=0.01,0.05 -r 10 --csv -- sleep '{t}' > "$WORK/m" || fail "--scan: $?"
is "$(column min runs t=0.05 time 1) >= 0.05e9 && $(column min runs t=0.01 time 1) < 0.05e9" "scan"
measure --role nobody=name:nosuchprogram --warm-up 0.1 --samples 1 --repeats 1 > /dev/null || fail "a role without processes: $?"
grep -q "role nobody has no process" "$WORK/said" || fail "no word about a role without processes: $(cat "$WORK/said")"
measure --workers 2 -- /no/such/program > /dev/null
[ $? = 127 ] || fail "workers that are not there"
measure --start-server 'exit 3' --ready false -- true > /dev/null
grep -q "the server ended with status 3" "$WORK/said" || fail "a server that ends: $(cat "$WORK/said")"

# --- records lost: void, visibly ---
# shellcheck disable=SC2016
measure -r 2 -w 0 --buffer 64 -- sh -c 'kill -STOP $PPID; i=0; while [ $i -lt 1500 ]; do (:); i=$((i + 1)); done; kill -CONT $PPID' > "$WORK/t"
[ $? = 6 ] || fail "losses: status $?: $(cat "$WORK/said")"
grep -q VOID "$WORK/t" || fail "figures although records were lost: $(cat "$WORK/t")"

# --- stopped in the middle: what is complete is shown ---
ktally measure --warm-up 0.5 --solo 5 --shared 600 --samples 3 --repeats 5 --csv -o "$WORK/m" -- \
	sh -c "echo x >> $WORK/done; sleep 0.1" 2> "$WORK/said" &
measuring=$!
# Sixty runs take longer than the stages before the last one, however slow they are.
sixty() { [ -e "$WORK/done" ] && [ "$(wc -l < "$WORK/done")" -ge 60 ]; }
until_true 200 sixty || fail "the workers do not work"
kill -INT $measuring
wait $measuring || fail "stopped: status $?: $(cat "$WORK/said")"
[ "$(column runs client client cpu 1) $(column runs solo worker time 1) $(column runs shared worker time 1)" = "3 5 0" ] || fail "stages of what was stopped"

# --- equal builds are equal ---
differ=0
for _n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	measure --compare -r 20 -w 1 --seed $_n --json -- "$SHARED/spin" 4 --- "$SHARED/spin" 4 > "$WORK/j" || fail "equal builds: $?"
	! grep -o '"ratio_2_time":{[^}]*}' "$WORK/j" | grep -q '"differs":true' || differ=$((differ + 1))
done
say "different $differ of 20 times"
[ $differ -le 2 ] || fail "equal builds differ $differ of 20 times"
exit 0
