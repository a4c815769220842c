#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
program punct
start
work "$WORK/punct" "$WORK"
stop
lives=$(ktally report --csv --no-header --columns pid "$KTL" | tee "$WORK/pids" | wc -l)
# in columns of a terminal: bytes that continue a UTF-8 sequence take none
widest() { tr -d '\200-\277' < "$1" | awk '{ if (length($0) > m) m = length($0) } END { print m + 0 }'; }
# how many of the PIDs begin a line
whole_pids() { awk 'NR == FNR { pid[$1] = 1; next } $1 in pid { n++ } END { print n + 0 }' "$WORK/pids" "$1"; }
export TERM=dumb PAGER=cat
unset COLUMNS

# a file and a pipe are not cut, whatever COLUMNS says
ktally report "$KTL" > "$WORK/plain"
for width in 20 80 300; do
	COLUMNS=$width ktally report "$KTL" > "$WORK/t"
	cmp -s "$WORK/plain" "$WORK/t" || fail "COLUMNS=$width changes what a file gets"
done
ktally report "$KTL" | cmp -s - "$WORK/plain" || fail "a pipe gets something else than a file"

for width in 0 1 20 40 80 132 300; do
	"$BIN/terminal" $width ktally report --no-pager --color never "$KTL" > "$WORK/t" || fail "$width columns: status $?"
	tr -d '\r' < "$WORK/t" > "$WORK/lines"
	truth "role=width columns=$width lines=$(wc -l < "$WORK/lines") records=$lives longest=$(widest "$WORK/lines") pids=$(whole_pids "$WORK/lines")"
done
verdict "$HERE/expected.txt"
