#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
D=$WORK/disk
mkdir "$D"
mount -t tmpfs -o size=256k none "$D" || broken "not mounted"

says() { until_true 60 grep -q "$1" "$WORK/said" || fail "it never said '$1': $(cat "$WORK/said")"; }
# ticks of 10 ms that a process has used
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }
uptime_cs() { cut -d' ' -f1 /proc/uptime | tr -d .; }

# fill NAME: more is recorded than the disk holds
fill()
{
	ktally record --compress 0 -o "$D/$1.ktl" 2> "$WORK/said" &
	RECORDER=$!
	begun $RECORDER "$WORK/said"
	: > "$WORK/sum"
	"$BIN/many" "$BIN/blink" 300 > "$WORK/sum" || broken "blink"
	says 'No space left on device.*goes on in memory'
	_ticks=$(ticks "$RECORDER")
	_begun=$(uptime_cs)
	sleep 3
	truth "waiting=$1 recorder_ns=$((($(ticks "$RECORDER") - _ticks) * 10000000)) while_ns=$((($(uptime_cs) - _begun) * 10000000))"
}

# ends NAME: what was said, what is in the file
ends()
{
	finish "$RECORDER"
	truth "ended=$1 rc=$? warned=$(grep -c 'goes on in memory' "$WORK/said") healed=$(grep -c 'there is room again; written on, nothing is lost' "$WORK/said")" \
		"told=$(grep -c 'took no more until the end; [0-9,]* records are lost' "$WORK/said")" \
		"lost=$(sed -n 's/.* \([0-9,]*\) records are lost.*/\1/p; s/.* lost \([0-9,]*\);.*/\1/p' "$WORK/said" | tr -d , | head -n 1)"
	ktally report -a --csv --no-header --columns comm,pid "$D/$1.ktl" > "$WORK/rows" 2> "$WORK/words"
	_report=$?
	ktally report --strict "$D/$1.ktl" > "$WORK/out" 2>&1
	truth "role=$1 strict=$? report=$_report named=$(grep -c "$1.ktl" "$WORK/words")" \
		"blinks=$(grep -c '^"*blink' "$WORK/rows") pids=$(grep '^"*blink' "$WORK/rows" | sort -u | grep -c .)"
	sed "s/^/# $1: /" "$WORK/said" "$WORK/words"
}

fill freed
mount -o remount,size=8m "$D" || broken "no larger"
says 'there is room again'
ends freed
rm "$D/freed.ktl"
mount -o remount,size=256k "$D" || broken "no smaller"
fill full
cat "$WORK/sum" >> "$TRUTH"
ends full
umount "$D"
verdict "$HERE/expected.txt"
