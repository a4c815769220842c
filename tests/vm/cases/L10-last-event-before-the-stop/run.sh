#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
n=0
while [ $n -lt 50 ]; do
	ktally record --force -o "$KTL" -- true 2> "$WORK/said" || fail "record ended with $?: $(cat "$WORK/said")"
	ktally report --strict --csv "$KTL" > "$WORK/lives.csv" || fail "report ended with $?"
	verdict "$HERE/expected.txt" "$WORK/lives.csv"
	n=$((n + 1))
done
truth "role=rounds n=$n"
