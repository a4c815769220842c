#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
D=$WORK/disk
mkdir "$D"
dd if=/dev/zero of="$WORK/image" bs=1k count=3072 2> /dev/null
mke2fs -F -b 1024 -m 0 "$WORK/image" > /dev/null || broken "no file system"
mount -t ext4 -o loop "$WORK/image" "$D" || broken "not mounted"

# what it says must not go to the disk that refuses
begin() # NAME OPTION...
{
	_name=$1
	shift
	TRUTH=$WORK/truth.$_name
	ktally record -o "$D/$_name.ktl" "$@" 2> "$WORK/$_name.said" &
	RECORDER=$!
	begun $RECORDER "$WORK/$_name.said"
}
says() { until_true 60 grep -q "$2" "$WORK/$1.said" || fail "it never said '$2': $(cat "$WORK/$1.said")"; }
ends() # NAME
{
	finish "$RECORDER"
	_rc=$?
	tables "$D/$1.ktl" --strict
	verdict "$HERE/lives.txt" "$WORK"/lives.*
	# read by truth()
	# shellcheck disable=SC2034
	TRUTH=$WORK/truth
	truth "ended=$1 rc=$_rc warned=$(grep -c 'goes on in memory' "$WORK/$1.said") healed=$(grep -c 'there is room again; written on, nothing is lost' "$WORK/$1.said") lost=$(sed -n 's/.* lost \([0-9,]*\);.*/\1/p' "$WORK/$1.said")"
}

# full: more comes than fits while there is no room
dd if=/dev/zero of="$D/filler" bs=1k count=2600 2> /dev/null
begin full --compress 0
work "$BIN/many" "$BIN/blink" 300
says full 'No space left on device.*goes on in memory'
rm "$D/filler"
says full 'there is room again'
work "$BIN/many" "$BIN/blink" 30
ends full
rm "$D/full.ktl"

# read-only, as the kernel does it to a disk with errors; with nothing that is still to be
# written, of which some kernels warn
begin readonly --compress 0
work "$BIN/many" "$BIN/blink" 40
is_stopped() { grep -q '^State:.*T' "/proc/$RECORDER/status"; }
kill -STOP "$RECORDER"
until_true 20 is_stopped || broken "the recorder does not stop"
sync
echo u > /proc/sysrq-trigger
is_readonly() { grep -q " $D ext4 ro" /proc/mounts; }
until_true 20 is_readonly || broken "still writable"
kill -CONT "$RECORDER"
work "$BIN/many" "$BIN/blink" 100
says readonly 'Read-only file system.*goes on in memory'
mount -o remount,rw "$D" || broken "not writable again"
says readonly 'there is room again'
ends readonly
rm "$D/readonly.ktl"

# two recorders, one file: the second is refused, with and without options that move files
begin shared
n=0
for options in '' --force '--rotate 3x1M'; do
	n=$((n + 1))
	# shellcheck disable=SC2086
	ktally record $options -D 1 -o "$D/shared.ktl" 2> "$WORK/second.said"
	echo "TRUTH second=$n rc=$? lines=$(wc -l < "$WORK/second.said") said=\"$(head -n 1 "$WORK/second.said" | tr -d '"')\"" >> "$WORK/truth"
done
work "$BIN/many" "$BIN/blink" 50
ends shared
truth "role=files n=$(find "$D" -name '*.ktl*' | wc -l)"
umount "$D"
verdict "$HERE/expected.txt"
