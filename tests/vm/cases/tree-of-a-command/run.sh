#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
# others at work meanwhile
"$BIN/many" "$BIN/blink" 2000 > "$WORK/others" &
others=$!
# shellcheck disable=SC2016
ktally record -o "$KTL" -- sh -c '"$1" >> "$2"; sleep 1; exit 42' sh "$BIN/daemon" "$TRUTH" 2> "$WORK/said"
truth "role=record rc=$? said_lines=$(wc -l < "$WORK/said")"
kill $others
until_true 10 grep -q role=the-daemon "$TRUTH" || broken "no daemon"
daemon=$(sed -n 's/^TRUTH role=the-daemon pid=\([0-9]*\).*/\1/p' "$TRUTH")
kill "$daemon" || broken "the daemon is gone"
for form in csv json; do
	ktally report "$KTL" --strict --$form > "$WORK/lives.$form" || fail "report ended with $?"
	ktally report -a "$KTL" --strict --$form > "$WORK/all.$form" || fail "report -a ended with $?"
done
compare "$WORK"/lives.* "$WORK"/all.*
