#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"

# expect STATUS WORDS COMMAND...: its status, and what it says on standard error
expect()
{
	_want=$1 _words=$2
	shift 2
	"$@" > "$WORK/o" 2> "$WORK/e"
	_got=$?
	[ $_got -eq "$_want" ] || fail "$*: status $_got, wanted $_want: $(cat "$WORK/e")"
	grep -q -e "$_words" "$WORK/e" || fail "$*: '$_words' is not said: $(cat "$WORK/e")"
}

# A PID that ends: its row, a word, averages. One that is not there: no view at all.
sleep 100 &
ended=$!
ktally stat -p $ended 0.3 > "$WORK/o" 2> "$WORK/e" &
view=$!
RECORDERS="$RECORDERS $ended $view"
until_true 30 grep -q ' sleep ' "$WORK/o" || fail "no row: $(cat "$WORK/o" "$WORK/e")"
kill $ended
wait $ended
wait $view || fail "-p $ended: ended with $?"
grep -q "process $ended has ended" "$WORK/e" || fail "the end is not said: $(cat "$WORK/e")"
grep -q '^Average:.*sleep' "$WORK/o" || fail "no averages: $(cat "$WORK/o")"
for view in 'stat 0.3' 'top -b' events 'export --stream --to csv' 'export --stream --to chrome'; do
	# shellcheck disable=SC2086 # a list of words
	expect 3 "-p $ended: no such process" ktally $view -p $ended
	[ ! -s "$WORK/o" ] || fail "$view: before that: $(cat "$WORK/o")"
done
expect 3 "no process is called 'late-comer'" ktally stat late-comer 0.3 --no-wait

# Many at once: each has a row, with its own name.
sleepers=''
for _ in 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9; do
	for _ in 1 2 3 4 5; do
		sleep 99 &
		sleepers="$sleepers $!"
	done
done
ktally stat sleep --by process 0.3 1 --no-wait --csv > "$WORK/many.csv" || fail "many: ended with $?"
# shellcheck disable=SC2086
kill $sleepers
rows=$(grep -c 'group,interval,sleep,[0-9]' "$WORK/many.csv")
[ "$rows" -eq 100 ] || fail "of 100 processes $rows have a row with their name"

# A name that comes later: said once, a row of nothing, then the process.
ktally stat late-comer 0.2 12 --csv > "$WORK/late.csv" 2> "$WORK/e" &
view=$!
until_true 30 grep -q interval,late-comer "$WORK/late.csv" || fail "no row for who is waited for"
program late late-comer
"$WORK/late-comer"
wait $view || fail "ended with $?"
[ "$(grep -c 'no process is called' "$WORK/e")" -eq 1 ] || fail "not said once: $(cat "$WORK/e")"
[ "$(grep -c 'group,interval,late-comer' "$WORK/late.csv")" -eq 12 ] || fail "not twelve rows"
[ "$(grep -c average "$WORK/late.csv")" -eq 1 ] || fail "not one row of averages"

# Ctrl-C and its like end it in order, with averages.
for signal in INT TERM HUP; do
	# emptied here: the one before has rows, and the view's own shell may be late
	: > "$WORK/o"
	ktally stat 0.2 --jsonl > "$WORK/o" 2> "$WORK/e" &
	view=$!
	until_true 30 grep -q '"row":"machine"' "$WORK/o" || fail "no row"
	kill -$signal $view
	wait $view || fail "$signal: ended with $?"
	grep -q '"period":"average"' "$WORK/o" || fail "$signal: no averages"
	[ "$(tail -c 2 "$WORK/o")" = '}' ] || fail "$signal: half a line"
done

# Who reads no more, or has no room.
{ ktally stat 0.1; echo $? > "$WORK/status"; } 2> "$WORK/e" | head -n 1 > "$WORK/o"
until_true 20 test -s "$WORK/status" || fail "goes on though nobody reads"
expect 1 'standard output: No space left' sh -c 'ktally stat 0.1 3 > /dev/full'

# 100 is one CPU, or with -I all of them; columns and order as asked for.
ktally stat 0.3 1 --by program -I --csv -c key,cpu_percent -s -cpu_percent > "$WORK/o" || fail "status $?"
[ "$(head -n 1 "$WORK/o")" = key,cpu_percent ] || fail "columns: $(head -n 1 "$WORK/o")"
ktally stat 0.2 1 --network lo | grep -q '^[^ ]*  *lo ' || fail "no row of the interface"
