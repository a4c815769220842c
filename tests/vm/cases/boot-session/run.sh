#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs a module loaded at boot"
E=$WORK/said
truth "role=before boot_s=$(uptime_s)"
# starttime, in hundredths of a second
truth "role=init start_ms=$(awk '{ print $22 * 10 }' /proc/1/stat)"
work "$BIN/many" "$BIN/blink" 100
ktally status > "$WORK/status" || fail "status: $?"
# a recording of a command has nothing to do with it
ktally record -o "$WORK/other.ktl" -- true 2> "$E" || fail "record of a command: $? $(cat "$E")"
start --boot
"$BIN/blink" 1
stop
judge
[ "$(ktally report --csv --no-header "$WORK/other.ktl" | wc -l)" = 1 ] || fail "the command's recording has other lives"

# it can be taken once
timeout 20 ktally record --boot -o "$WORK/again.ktl" 2> "$E"
truth "role=again rc=$? said_lines=$(wc -l < "$E") made=$(find "$WORK" -name again.ktl | wc -l)"
verdict "$HERE/again.txt"
