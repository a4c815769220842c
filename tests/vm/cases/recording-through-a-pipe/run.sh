#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"

# What the recorder has flushed and marked is given, while it goes on.
mkfifo "$WORK/pipe" || broken "no pipe"
ktally dump "$WORK/pipe" > "$WORK/dumped" 2> "$WORK/said" &
reader=$!
ktally record -o "$WORK/pipe" 2> "$WORK/recorder" &
recorder=$!
RECORDERS="$RECORDERS $reader"
begun $recorder "$WORK/recorder"
i=0
while [ $i -lt 100 ]; do
	/bin/true
	i=$((i + 1))
done
# Not what the arguments of grep itself say.
until_true 20 grep -q ' exit: .* comm=tru[e] ' "$WORK/dumped" || fail "nothing comes before the end: $(tail -n 3 "$WORK/dumped")"
kill -INT $recorder
wait $recorder || fail "record ended with $?: $(cat "$WORK/recorder")"
wait $reader || fail "dump ended with $?: $(cat "$WORK/said")"
[ ! -s "$WORK/said" ] || fail "$(cat "$WORK/said")"
ends=$(grep -c ' exit: .* comm=tru[e] ' "$WORK/dumped")
[ "$ends" -eq 100 ] || fail "$ends ends of a hundred"
sort -c -n -s -k1,1 "$WORK/dumped" || fail "not in the order of time"

# A file through a pipe is the file, marks or not.
ktally record -o "$KTL" -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; sleep 0.3; done' 2> "$WORK/recorder" ||
	fail "record ended with $?: $(cat "$WORK/recorder")"
for words in 'report --csv' 'report -a --by program' 'report --since 1 --csv' 'export --to jsonl'; do
	# shellcheck disable=SC2086 # a list of words
	ktally $words "$KTL" > "$WORK/of-file" || fail "$words ended with $?"
	# shellcheck disable=SC2086
	ktally $words - < "$KTL" > "$WORK/of-input" || fail "$words of standard input ended with $?"
	# shellcheck disable=SC2086,SC2002 # through a pipe
	cat "$KTL" | ktally $words - > "$WORK/of-pipe" || fail "$words of a pipe ended with $?"
	for way in pipe input; do
		cmp "$WORK/of-file" "$WORK/of-$way" || fail "$words: not the same by $way"
	done
done
exit 0
