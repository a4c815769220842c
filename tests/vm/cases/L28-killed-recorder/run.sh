#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
record "$WORK/first.ktl"
first=$RECORDER
record "$WORK/killed.ktl"
killed=$RECORDER
record "$WORK/last.ktl"
last=$RECORDER
[ -z "$NATIVE" ] || exit 0
work "$BIN/blink"
sleep 1.5
"$BIN/many" "$BIN/blink" 300 >> "$TRUTH" &
burst=$!
sleep 0.3
kill -KILL "$killed"
wait "$killed"
wait $burst || broken "blink"
finish "$first" || fail "first recording ended with $?"
finish "$last" || fail "last recording ended with $?"
judge "$WORK/first.ktl"
judge "$WORK/last.ktl"
truth "role=left users=$(awk '$1 == "ktally" { print $3 }' /proc/modules)"

# what the killed one had written is readable, and not more than it claims
ktally report --csv "$WORK/killed.ktl" > "$WORK/killed.csv" 2> "$WORK/said"
truth "role=killed rc=$? named=$(grep -c "^ktally: .*killed.ktl: " "$WORK/said") blinks=$(grep -c blink "$WORK/killed.csv")"
ktally report --strict --csv "$WORK/killed.ktl" > /dev/null 2>&1
truth "role=strict rc=$?"
# the same name again: the new recording is whole
ktally record -o "$WORK/killed.ktl" -- "$BIN/blink" 9
truth "role=again rc=$?"
ktally report --strict "$WORK/killed.ktl" > /dev/null || fail "the second recording of that name: $?"
# two at once: the second is refused, and what the first one writes is whole
record "$WORK/killed.ktl"
ktally record -D 1 -o "$WORK/killed.ktl" 2> "$WORK/said"
truth "role=second rc=$? named=$(grep -c 'killed.ktl: another recorder is writing to it' "$WORK/said")"
"$BIN/many" "$BIN/blink" 300 > "$WORK/sum" || broken "blink"
finish "$RECORDER" || fail "recording of two at once ended with $?"
ktally report --strict --csv --no-header --columns pid "$WORK/killed.ktl" blink > "$WORK/rows" 2> "$WORK/said"
truth "role=whole rc=$? blinks=$(sort -u "$WORK/rows" | grep -c .)"
verdict "$HERE/after.txt"
