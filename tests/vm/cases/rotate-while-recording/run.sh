#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
mkdir "$WORK/day"
begin() { # DIRECTORY OPTION...
	_dir=$1
	shift
	rm -rf "$_dir"
	mkdir "$_dir"
	record "$_dir/r.ktl" "$@"
}
files() { find "$1" -name '*.ktl' | wc -l; }
# until another file has come
more() { [ "$(files "$1")" -gt "$2" ]; }

# by signals
begin "$WORK/day"
for signal in HUP USR2; do
	work "$BIN/many" "$BIN/blink" 60
	n=$(files "$WORK/day")
	kill -$signal "$RECORDER"
	until_true 10 more "$WORK/day" "$n" || fail "SIG$signal rotates nothing"
	# two files may not have the same second in their names
	sleep 1.1
done
work "$BIN/many" "$BIN/blink" 60
finish "$RECORDER" || fail "record ended with $?: $(cat "$WORK/day/r.ktl.said")"
truth "role=signals files=$(files "$WORK/day")"
rm -f "$WORK/day/r.ktl.said"
judge "$WORK/day"

# by size: the oldest are removed, what is kept fits together
begin "$WORK/day" --rotate 3x128K --compress 0
n=0
while [ $n -lt 8 ]; do
	work "$BIN/many" "$BIN/blink" 100
	sleep 1.1
	n=$((n + 1))
done
finish "$RECORDER" || fail "record ended with $?: $(cat "$WORK/day/r.ktl.said")"
rm -f "$WORK/day/r.ktl.said"
ktally report -q --csv "$WORK/day" > "$WORK/kept.csv" 2> "$WORK/said" || fail "report of what is kept: $?"
truth "role=sizes files=$(files "$WORK/day") bytes=$(cat "$WORK"/day/*.ktl | wc -c) lines=$(grep -c blink "$WORK/kept.csv")"
verdict "$HERE/sizes.txt"

# by age: what was finished longer ago is removed, and the rest can be read
begin "$WORK/day" --rotate-after 1 --keep 3
finished() { find "$WORK/day" -name 'r-*.ktl' | sort | head -n 1; }
has_finished() { [ -n "$(finished)" ]; }
until_true 60 has_finished || fail "no new file after a second"
oldest=$(finished)
gone() { [ ! -e "$oldest" ] && has_finished; }
until_true 60 gone || fail "$oldest is still there"
finish "$RECORDER" || fail "record ended with $?: $(cat "$WORK/day/r.ktl.said")"
rm -f "$WORK/day/r.ktl.said"
ktally report -q "$WORK/day" > /dev/null 2> "$WORK/said" || fail "report of what is kept: $?: $(cat "$WORK/said")"
