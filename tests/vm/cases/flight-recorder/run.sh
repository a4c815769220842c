#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/flight.sh"
[ -z "$NATIVE" ] || skip "needs ktally"

# more than the ring holds; what came last is there to the last process
flight end
work "$BIN/many" "$BIN/blink" 300
work "$BIN/many" "$BIN/blink" 23
finish "$RECORDER"
truth "saved=end rc=$?"
books end "$WORK/end/r.ktl" >> "$TRUTH"
tables "$WORK/end/r.ktl"
tail -n 1 "$TRUTH" > "$WORK/truth.end"
grep 'role=sum.*count=23' "$TRUTH" >> "$WORK/truth.end"
"$JUDGE" "$HERE/newest.txt" "$WORK/truth.end" "$WORK/lives.csv" "$WORK/lives.json" > "$WORK/verdict" 2>&1 || { cat "$WORK/verdict"; fail "the newest are not there"; }

# snapshots while both CPUs write as fast as they can; all files together are one recording
flight between
writers
for _ in 1 2 3; do
	sleep 1.5
	snapshot between
done
enough
finish "$RECORDER"
truth "saved=between rc=$? files=$(files between)"
books between "$WORK/between" >> "$TRUTH"
n=0
for f in "$WORK"/between/r-*.ktl; do
	n=$((n + 1))
	books "one$n" "$f" >> "$TRUTH"
done

# triggers: each ends the recording by itself, and the file holds what it was about
no_session() { ! there; }
fired() # NAME WORDS: waits until the recorder has ended
{
	until_true 60 no_session || fail "$1 did not end it: $(cat "$WORK/$1.said")"
	wait "$RECORDER"
	truth "fired=$1 rc=$? why=$(grep -c "$2.*saving what was before" "$WORK/$1.said") saved=$(find "$WORK/$1" -name r.ktl | wc -l) blinks=$(ktally report -q --csv --no-header -c exit_code "$WORK/$1/r.ktl" blink 2> /dev/null | grep -cx 9)"
}
flight status --trigger status=9
work "$BIN/many" "$BIN/blink" 8
"$BIN/blink" 9
fired status 'blink (PID [0-9]*) ended by exit status 9'
# one that ends on another CPU than that of the descriptions, before the recorder has looked once
PIN='taskset 1'
flight first --trigger status=9
# shellcheck disable=SC2034 # flight() has it
PIN=''
kill -STOP "$RECORDER"
taskset 2 "$BIN/blink" 9
kill -CONT "$RECORDER"
fired first 'blink (PID [0-9]*) ended by exit status 9'
flight failed --trigger status=200 --trigger failed
"$BIN/blink" 0
"$BIN/blink" 9
fired failed 'ended by exit status 9'
flight signal --trigger signal=11
"$BIN/blink" 9
sh -c 'kill -SEGV $$'
fired signal 'ended by signal 11'
flight file --trigger "file=$WORK/flag"
"$BIN/blink" 9
touch "$WORK/flag"
fired file 'flag was written'
flight loss --trigger loss
"$BIN/blink" 9
ktally record --buffer 64 -o "$WORK/lossy.ktl" 2> "$WORK/lossy.said" &
lossy=$!
begun $lossy "$WORK/lossy.said"
kill -STOP "$lossy"
"$BIN/many" "$BIN/blink" 250 > /dev/null
fired loss 'a session lost records'
kill -CONT "$lossy"
kill "$lossy"
wait "$lossy"

# nothing happens: nothing is saved
mkdir "$WORK/none"
ktally record --flight --trigger status=77 -o "$WORK/none/r.ktl" -- "$BIN/blink" 9 2> "$WORK/none.said"
truth "none=1 rc=$? files=$(find "$WORK/none" -type f | wc -l) said=$(grep -c 'nothing is saved' "$WORK/none.said")"
verdict "$HERE/expected.txt"
