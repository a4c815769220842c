#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
E=$WORK/said
tell() # NAME STATUS
{
	truth "told=$1 rc=$2 said_lines=$(wc -l < "$E") made=$(find "$WORK" -name x.ktl | wc -l) said=\"$(head -n 1 "$E" | tr -d '"')\""
	rm -f "$WORK"/x.ktl
}

"$BIN/liar" version 9.8.7 ktally record -o "$WORK/x.ktl" -- true 2> "$E"
tell other-patch $?
for api in 0 2 4000000000; do
	"$BIN/liar" api $api ktally record -o "$WORK/x.ktl" -- true 2> "$E"
	tell api-$api-command $?
	timeout 20 "$BIN/liar" api $api ktally record -o "$WORK/x.ktl" 2> "$E"
	tell api-$api-record $?
	"$BIN/liar" api $api ktally status > "$WORK/out" 2> "$E"
	tell api-$api-status $?
done
for what in command record; do
	[ $what = record ] || set -- -- true
	timeout 20 "$BIN/liar" stream 2 ktally record -o "$WORK/x.ktl" "$@" 2> "$E"
	tell stream-2-$what $?
	set --
done
compare
