#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
start
work "$BIN/lives" 550
stop
# more than 200 KiB, and more than any pipe holds
report() { exec ktally report -q --csv "$KTL"; }
E=$WORK/said
sink() # NAME STATUS
{
	truth "sink=$1 rc=$2 said_bytes=$(wc -c < "$E") said_lines=$(wc -l < "$E") said=\"$(head -n 1 "$E" | tr -d '"')\""
}

(report > "$WORK/all" 2> "$E")
sink whole $?
truth "role=whole bytes=$(wc -c < "$WORK/all")"

# a pipe whose reader leaves after one line
{ (report 2> "$E"); echo $? > "$WORK/rc"; } | head -n 1 > /dev/null
sink pipe-closed "$(cat "$WORK/rc")"

# with SIGPIPE ignored writes fail with EPIPE
(trap '' PIPE; { (timeout 60 ktally report -q --csv "$KTL" 2> "$E"); echo $? > "$WORK/rc"; } | head -n 1 > /dev/null)
sink pipe-ignored "$(cat "$WORK/rc")"

(report > /dev/full 2> "$E")
sink dev-full $?
for form in json jsonl raw; do
	(exec ktally report -q --$form "$KTL" > /dev/full 2> "$E")
	sink dev-full-$form $?
done
(exec ktally report -q "$KTL" > /dev/full 2> "$E")
sink dev-full-table $?
(exec ktally commands -q --csv "$KTL" > /dev/full 2> "$E")
sink dev-full-commands $?
(exec ktally dump "$KTL" > /dev/full 2> "$E")
sink dev-full-dump $?

cp "$KTL" "$WORK/before"
(report >&- 2> "$E")
sink stdout-closed $?
: > "$E"
(report >&- 2>&-)
sink both-closed $?
cmp -s "$WORK/before" "$KTL" || fail "the recording was written to"

# a file system of 64 KiB that fills up half-way
mkdir "$WORK/small"
mount -t tmpfs -o size=64k none "$WORK/small" || broken "no tmpfs"
(report > "$WORK/small/out" 2> "$E")
sink disk-full $?
rm -f "$WORK/small/out"

umount "$WORK/small"

# the recorder's own disk is full: what it wrote is readable
mount -t tmpfs -o size=256k none "$WORK/small" || broken "no tmpfs"
ktally record --compress 0 -o "$WORK/small/r.ktl" -- "$BIN/lives" 500 > /dev/null 2> "$E"
sink record-full $?
ktally report -q --csv "$WORK/small/r.ktl" > "$WORK/part.csv" 2> "$E"
sink record-full-read $?
truth "role=part lines=$(wc -l < "$WORK/part.csv")"
umount "$WORK/small"

ktally record -o "$WORK/no/such/folder/r.ktl" -- true 2> "$E"
sink no-such-folder $?

# a reader that is slow: everything arrives
(report) 2> /dev/null | { sleep 1; cat; } > "$WORK/slow"
truth "role=slow bytes=$(wc -c < "$WORK/slow")"
compare
