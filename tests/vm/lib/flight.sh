# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# flight.sh - sourced by the cases of flight recorders after case.sh: recorders that keep
# the newest, what they saved counted record by record, and writers at full rate.

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

# both CPUs write as fast as they can, until enough() is called
writers()
{
	WRITERS=
	trap 'touch "$WORK/enough"; kill $RECORDERS 2> /dev/null' EXIT
	for _ in 1 2; do
		(while [ ! -e "$WORK/enough" ]; do "$BIN/many" "$BIN/blink" 50 > /dev/null; done) &
		WRITERS="$WRITERS $!"
	done
}

enough()
{
	touch "$WORK/enough"
	# shellcheck disable=SC2086 # PIDs
	wait $WRITERS
}

files() { find "$WORK/$1" -name '*.ktl' | wc -l; } # NAME
more() { [ "$(files "$1")" -gt "$2" ]; }

# all that is kept, saved while it goes on
snapshot() # NAME
{
	_n=$(files "$1")
	kill -USR2 "$RECORDER"
	until_true 60 more "$1" "$_n" || fail "no snapshot: $(cat "$WORK/$1.said")"
}
