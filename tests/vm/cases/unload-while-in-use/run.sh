#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
E=$WORK/said

tries() # NAME: all ways to unload are refused
{
	rmmod ktally 2> "$E" && fail "$1: rmmod unloaded the module"
	ktally unload 2> "$E"
	truth "try=$1 rc=$? said_lines=$(wc -l < "$E") said=\"$(head -n 1 "$E" | tr -d '"')\""
	[ -c /dev/ktally ] || fail "$1: the device is gone"
}

mkfifo "$WORK/go"
for what in device session cpu; do
	"$BIN/hold" $what < "$WORK/go" >> "$TRUTH" &
	holder=$!
	exec 9> "$WORK/go"
	until_true 10 grep -q "role=$what" "$TRUTH" || broken "$what is not held"
	tries $what
	exec 9>&-
	wait $holder || broken "hold $what ended with $?"
done

start
tries record
stop
ktally unload 2> "$E" || fail "unload without a session: $? $(cat "$E")"
[ ! -e /dev/ktally ] || fail "the device is still there"
ktally unload 2> "$E"
truth "role=again rc=$? said_lines=$(wc -l < "$E")"
tables "$KTL" --strict
compare
