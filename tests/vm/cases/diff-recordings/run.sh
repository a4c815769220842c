#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
program nap
program nap steady

# naps FILE MS: eight of each, recorded
naps()
{
	record "$WORK/$1.ktl"
	for _i in 1 2 3 4 5 6 7 8; do
		"$WORK/nap" "$2" || broken "nap failed"
		"$WORK/steady" 50 || broken "steady failed"
	done
	[ -n "$NATIVE" ] || finish "$RECORDER" || fail "record ended with $?"
}

naps a 40
naps b 120
[ -z "$NATIVE" ] || exit 0
for form in csv json; do
	ktally diff "$WORK/a.ktl" "$WORK/b.ktl" nap steady --threshold 50% --$form > "$WORK/diff.$form" 2> "$WORK/said"
	[ $? -eq 1 ] || fail "diff of a slower nap did not end with 1: $(cat "$WORK/said" "$WORK/diff.$form")"
	ktally diff "$WORK/b.ktl" "$WORK/a.ktl" nap steady --threshold 50% --$form > "$WORK/back.$form" 2> "$WORK/said" ||
		fail "diff of a faster nap ended with $?: $(cat "$WORK/said")"
done
ktally diff "$WORK/a.ktl" "$WORK/a.ktl" > /dev/null || fail "diff of a recording with itself ended with $?"
truth "role=naps runs=8 short_ms=40 long_ms=120 steady_ms=50"
compare "$WORK"/diff.* "$WORK"/back.*
