#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
users() { awk '$1 == "ktally" { print $3 }' /proc/modules; }

for how in INT TERM "INT INT"; do
	: > "$TRUTH"
	"$BIN/plain" ktally record -o "$KTL" 2> "$KTL.said" &
	RECORDER=$!
	RECORDERS="$RECORDERS $!"
	until_true 20 recording $RECORDER || fail "recording did not start"
	work "$BIN/many" "$BIN/blink" 100
	for signal in $how; do
		kill -"$signal" $RECORDER
	done
	wait $RECORDER
	truth "role=end rc=$?"
	if [ "$how" != "INT INT" ]; then
		judge
	else
		# the second one means: now. What is there must be readable.
		ktally report "$KTL" > "$WORK/out" || fail "report ended with $?"
	fi
	[ "$(users)" = 0 ] || fail "after SIG$how the module still has $(users) users"
done
