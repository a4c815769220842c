#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"

# as recording(), but with no process that fails: that would be a trigger
there()
{
	case " $(ktally status -q --raw --no-header --columns pid 2> /dev/null | tr '\n' ' ')" in
	*" $RECORDER "*) ;;
	*) return 1 ;;
	esac
}

PIN=''
flight() # NAME OPTION...
{
	_name=$1
	shift
	# where it stands still, if it does
	say "$_name at $(uptime_s) s"
	mkdir -p "$WORK/$_name"
	# shellcheck disable=SC2086 # words
	$PIN ktally record --flight --buffer 128 -o "$WORK/$_name/r.ktl" "$@" 2> "$WORK/$_name.said" &
	RECORDER=$!
	RECORDERS="$RECORDERS $RECORDER"
	until_true 20 there || fail "no recording: $(cat "$WORK/$_name.said")"
}

# of FILES: records, places where a CPU's numbers jump, times that run backwards, and what
# the last record says was attempted; the descriptions are not printed
books() # NAME FILE...
{
	_name=$1
	shift
	ktally dump "$@" > "$WORK/$_name.dump" 2> "$WORK/$_name.warned"
	awk -v name="$_name" '
		{
			cpu = $2
			if (cpu in seq && $3 != seq[cpu] + 1)
				jumps[cpu]++
			seq[cpu] = $3
			back += $1 + 0 < time + 0
			time = $1
			records++
		}
		$4 == "end:" {
			sub(/.*attempts=/, "")
			sub(/ filtered=.*/, "")
			n = split($0, of)
			for (i = 1; i <= n; i++)
				attempts += i == 3 ? 0 : of[i]
			ends++
		}
		END {
			for (cpu in jumps)
				most = jumps[cpu] > most ? jumps[cpu] : most
			printf "TRUTH books=%s records=%d jumps=%d back=%d ends=%d attempts=%d ", name, records, most, back, ends, attempts
		}' "$WORK/$_name.dump"
	# where all found room there is no word of it
	_overwritten=$(sed -n 's/.*newest: \([0-9]*\) older records were overwritten/\1/p' "$WORK/$_name.warned")
	echo "overwritten=${_overwritten:-0} blinks=$(grep -c 'exit: .*comm=blink' "$WORK/$_name.dump")"
}

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
trap 'touch "$WORK/enough"; kill $RECORDERS 2> /dev/null' EXIT
for _ in 1 2; do
	(while [ ! -e "$WORK/enough" ]; do "$BIN/many" "$BIN/blink" 50 > /dev/null; done) &
	writers="${writers:-} $!"
done
files() { find "$WORK/between" -name '*.ktl' | wc -l; }
more() { [ "$(files)" -gt "$1" ]; }
for _ in 1 2 3; do
	sleep 1.5
	n=$(files)
	kill -USR2 "$RECORDER"
	until_true 60 more "$n" || fail "no snapshot: $(cat "$WORK/between.said")"
done
touch "$WORK/enough"
# shellcheck disable=SC2086
wait $writers
finish "$RECORDER"
truth "saved=between rc=$? files=$(files)"
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
