#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
users() { awk '$1 == "ktally" { print $3 }' /proc/modules; }

for how in INT TERM "INT INT"; do
	: > "$TRUTH"
	"$BIN/plain" ktally record -o "$KTL" 2> "$KTL.said" &
	RECORDER=$!
	begun $RECORDER "$KTL.said"
	work "$BIN/many" "$BIN/blink" 100
	for signal in $how; do
		kill -"$signal" $RECORDER
	done
	wait $RECORDER
	truth "role=end rc=$?"
	if [ "$how" != "INT INT" ]; then
		judge
	else
		# the second one means: now. The end may be missing, and is then said
		# by status 1; what is there must be readable.
		ktally report "$KTL" > "$WORK/out" || [ $? = 1 ] || fail "report ended with another status"
		[ -s "$WORK/out" ] || fail "report shows nothing"
	fi
	[ "$(users)" = 0 ] || fail "after SIG$how the module still has $(users) users"
done

# its terminal is closed
: > "$TRUTH"
mkfifo "$WORK/go"
"$BIN/hangup" ktally record -o "$KTL" < "$WORK/go" >> "$TRUTH" &
hangup=$!
exec 9> "$WORK/go"
on_terminal() { recording "$(sed -n 's/^TRUTH role=on_terminal pid=//p' "$TRUTH")"; }
until_true 20 on_terminal || fail "recording on a terminal did not start"
work "$BIN/many" "$BIN/blink" 100
exec 9>&-
wait $hangup
truth "role=end rc=$?"
judge
[ "$(users)" = 0 ] || fail "after the terminal was closed the module has $(users) users"
