#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"

# So many that no refresh is done within ten milliseconds of an emulated CPU.
sleepers=''
for _ in 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9; do
	for _ in 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0; do
		sleep 999 &
		sleepers="$sleepers $!"
	done
done

gone() { ! kill -0 "$1" 2> /dev/null; }

# ends WORDS...: a view that has shown something for two seconds ends by TERM
ends()
{
	"$@" > "$WORK/o" 2> "$WORK/e" &
	view=$!
	RECORDERS="$RECORDERS $view"
	until_true 60 test -s "$WORK/o" || fail "$*: nothing is shown: $(cat "$WORK/e")"
	sleep 2
	say "$*: $(wc -l < "$WORK/o") lines"
	kill -TERM $view
	until_true 20 gone $view || fail "$*: does not end"
	wait $view || fail "$*: ended with $?: $(cat "$WORK/e")"
}

ends ktally stat --by process --csv 10ms
ends ktally top -b 10ms
ends ktally metrics --every 1ms
# shellcheck disable=SC2086
kill $sleepers
