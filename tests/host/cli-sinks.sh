#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-sinks.sh - output that cannot be written: a full disk, a reader that has gone, a
# closed descriptor. Never a report that only looks whole, never more than one message,
# never a loop.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
# About 3,000 processes: far beyond every buffer on the way.
{
	echo "1.0 walk_begin walk=1 purpose=opening"
	echo "1.0 walk_end walk=1 purpose=opening tasks=0"
	i=0
	while [ $i -lt 3000 ]; do
		i=$((i + 1))
		echo "2.$((100000 + i)) fork pid=$((1000 + i)) ppid=1"
		echo "2.$((200000 + i)) exec pid=$((1000 + i)) argv=\"worker number-$i of-many\""
		echo "2.$((300000 + i)) exit pid=$((1000 + i)) code=0 runtime=1ms peak_rss=1M"
	done | sort -s -n
} > many.rec
"$MKREC" -o many.ktl many.rec || exit 1

one_message() { # one_message FILE: exactly one line, of the program
	[ "$(wc -l < "$1")" -eq 1 ] && grep -q '^ktally: ' "$1"
}

for form in '' --csv --json --jsonl --raw; do
	name="report $form"
	read="$KTALLY report many.ktl $form"

	{ $read 2> err; echo $? > rc; } | head -n 1 > /dev/null
	[ "$(cat rc)" -eq 141 ] && [ ! -s err ]
	ok $? "$name: a pipe whose reader leaves: ends quietly by SIGPIPE"

	# shellcheck disable=SC2086
	( trap '' PIPE; { timeout 120 $read 2> err; echo $? > rc; } | head -n 1 > /dev/null )
	[ "$(cat rc)" -eq 1 ] && [ ! -s err ]
	ok $? "$name: the same with SIGPIPE ignored: ends at once, without words"

	$read > /dev/full 2> err
	[ $? -eq 1 ] && one_message err && grep -q 'standard output: No space left' err
	ok $? "$name: a full device"

	$read >&- 2> err
	[ $? -eq 1 ] && one_message err && grep -q 'standard output: ' err
	ok $? "$name: standard output closed"

	$read >&- 2>&-
	[ $? -eq 1 ]
	ok $? "$name: both closed"

	$read -o no/such/folder/out 2> err
	[ $? -eq 1 ] && one_message err && grep -q 'no/such/folder/out' err
	ok $? "$name: a folder that is not there"

	$read -o /dev/full 2> err
	[ $? -eq 1 ] && one_message err && grep -q '/dev/full: No space left' err
	ok $? "$name: a named file on a full disk"

	$read > fast 2> /dev/null
	$read 2> /dev/null | { sleep 0.3; cat; } > slow
	[ -s fast ] && cmp -s fast slow
	ok $? "$name: a slow reader gets everything"

	$read -o named 2> /dev/null && cmp -s fast named
	ok $? "$name: -o FILE gets the same"
done

# One that is only found when the file is closed: the last bytes do not fit.
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2> /dev/null; then
	$KTALLY report many.ktl --csv > small/out 2> err
	[ $? -eq 1 ] && one_message err
	ok $? "a file system that fills up half-way: standard output"
	rm -f small/out
	$KTALLY report many.ktl --csv -o small/out 2> err
	[ $? -eq 1 ] && one_message err && grep -q small/out err
	ok $? "a file system that fills up half-way: -o FILE"
	umount small
else
	skip "a small file system needs root"
	skip "a small file system needs root"
fi

for words in 'schema' 'commands many.ktl' 'tree many.ktl' 'dump many.ktl' 'help' '--version' \
	'report --help'; do
	# shellcheck disable=SC2086
	$KTALLY $words > /dev/full 2> err
	[ $? -eq 1 ] && grep -q '^ktally: standard output: ' err
	ok $? "$words: a full device"
done

# The recording is not overwritten by what should have gone to a closed descriptor.
sum=$(cksum < many.ktl)
$KTALLY report many.ktl >&- 2> /dev/null <&-
[ "$(cksum < many.ktl)" = "$sum" ]
ok $? "a closed descriptor's number is not given to the recording"

# What takes an earlier file's place when it is whole leaves alone what is no file.
recording build
mkfifo pipe
ln -s pipe link
ln -s nowhere lost
mkdir folder
kept() { # kept: nothing that was there has become something else, and no half is left
	[ -p pipe ] && [ -L link ] && [ -p link ] && [ -L lost ] && [ ! -e lost ] && [ -d folder ] &&
		[ -z "$(find . -name '*.part')" ]
}
for words in 'export build.ktl --to sqlite -o' 'export build.ktl --to trace.dat -o' 'export build.ktl --to ctf -o' \
	'metrics -o' 'totals -q --save'; do
	for to in pipe link lost folder; do
		# shellcheck disable=SC2086
		timeout 120 $KTALLY $words $to > out 2> err
		status=$?
		if grep -q 'built without' err; then
			skip "$words $to: $(cat err)"
			continue
		fi
		[ $status -eq 1 ] && one_message err && grep -q "$to" err && kept
		good=$?
		[ $good -eq 0 ] || show err
		ok $good "$words $to: refused, and it stays what it is"
	done
done
echo old > file
ln -s file to-file
$KTALLY export build.ktl --to trace.dat -o new.dat && $KTALLY export build.ktl --to trace.dat -o to-file &&
	[ -L to-file ] && [ ! -L file ] && [ "$(wc -c < file)" -eq "$(wc -c < new.dat)" ]
ok $? "export: a link stays one; what it leads to is replaced"
if [ "$(id -u)" -eq 0 ]; then
	ln -s file planted
	chown -h 12345 planted
	before=$(cksum < file)
	$KTALLY export build.ktl --to trace.dat -o planted 2> err
	[ $? -eq 1 ] && one_message err && [ -L planted ] && [ "$(cksum < file)" = "$before" ]
	ok $? "export: somebody else's link is not followed"
else
	skip "somebody else's link needs root"
fi

done_testing
