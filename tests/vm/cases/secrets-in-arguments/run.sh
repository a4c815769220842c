#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
umask 022
insmod /vm/ktally.ko || fail "insmod: $?"
SECRET=vErYsEcReT
long=$(printf '%02000d' 0)

# one that was there before
sh -c 'sleep 600; :' sh --password $SECRET &
older=$!

# everything FILE [OPTION...]: the whole machine, while processes come that have secrets
everything()
{
	_file=$1
	shift
	record "$_file" "$@"
	/bin/busybox true --password=$SECRET visible
	/bin/busybox true --password $SECRET visible
	/bin/busybox true "$long" --api-token=$SECRET visible
	sh -c "true password=$SECRET" visible
	finish "$RECORDER" || fail "record ended with $?"
	ktally report -a --json "$_file" > "$_file.json" || fail "report: $?"
	ktally dump "$_file" > "$_file.dump" || fail "dump: $?"
}
# found FILE: lines with the secret in what was recorded, however it is packed
found() { cat "$1" "$1.json" "$1.dump" | grep -c $SECRET; }
mode() { stat -c %a "$1"; }

everything "$WORK/plain.ktl"
truth "role=plain found=$(found "$WORK/plain.ktl") mode=$(mode "$WORK/plain.ktl")"

everything "$WORK/redact.ktl" --redact '--pass*' --redact '*token'
ktally record -o "$WORK/head.ktl" --redact 'pass*' -- sh -c 'exit 0' sh --password=$SECRET
ktally report -a --json "$WORK/head.ktl" > "$WORK/head.ktl.json"
ktally dump "$WORK/head.ktl" > "$WORK/head.ktl.dump"
ktally report --strict "$WORK/redact.ktl" > /dev/null 2>&1
strict=$?
kept=$(grep -q visible "$WORK/redact.ktl.json" && echo 1)
truth "role=redact found=$(($(found "$WORK/redact.ktl") + $(found "$WORK/head.ktl"))) stars=$(grep -c '\*\*\*\*\*\*\*\*\*\*' "$WORK/redact.ktl.json") mode=$(mode "$WORK/redact.ktl") strict=$strict kept=$kept"
ktally totals --save "$WORK/totals" || fail "totals: $?"
truth "role=totals mode=$(mode "$WORK/totals")"

rmmod ktally
insmod /vm/ktally.ko argv=0 || fail "insmod argv=0: $?"
everything "$WORK/source.ktl"
ktally report --strict "$WORK/source.ktl" > /dev/null 2>&1
strict=$?
truth "role=source found=$(found "$WORK/source.ktl") strict=$strict hidden=$(grep -q visible "$WORK/source.ktl.dump" "$WORK/source.ktl.json" || echo 1)"
kill $older
rmmod ktally
verdict "$HERE/expected.txt"
