#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
PATH=${LIB%/lib}/tools/bin:$PATH
MOST=1500
REFRESHES=10

people()
{
	set -- /proc/[0-9]*
	echo $#
}

# crowd N BUSY: processes that are there, until gone
crowd()
{
	rm -f "$WORK/ready" "$WORK/stop"
	"$BIN/sleepers" "$1" "$2" "$WORK/ready" "$WORK/stop" &
	CROWD=$!
	until_true 300 test -e "$WORK/ready" || broken "no crowd"
	N=$(people)
}
gone() { touch "$WORK/stop"; wait $CROWD; }

# cost_of N COMMAND...: with N refreshes in place of COUNT
cost_of()
{
	_n=$1
	shift
	for _word; do
		shift
		[ "$_word" != COUNT ] || _word=$_n
		set -- "$@" "$_word"
	done
	"$BIN/cost" "$@" || broken "$1"
}

# per_process COMMAND... with COUNT for the number of refreshes
per_process()
{
	_few=$(cost_of 2 "$@") || exit 98
	_many=$(cost_of $((2 + REFRESHES)) "$@") || exit 98
	echo $(((_many - _few) / REFRESHES / N))
}

report()
{
	echo "# $1, $N processes: instructions per process and refresh: $2" | tee -a "$OUT/cost"
}

for busy in 0 200; do
	crowd 2000 $busy
	stat=$(per_process ktally stat 0.5 COUNT --csv -q)
	report "ktally stat, $busy busy" "$stat"
	named=$(per_process ktally stat sleeper busy 0.5 COUNT --csv -q)
	report "ktally stat sleeper busy, $busy busy" "$named"
	if [ $busy -eq 0 ]; then
		report "ps -eo pid,comm,time,rss" $(($("$BIN/cost" ps -eo pid,comm,time,rss) / N))
	fi
	gone
	[ "$stat" -le $MOST ] || fail "$stat instructions per process, wanted $MOST at most"
	[ "$named" -le $MOST ] || fail "$named instructions per process by name, wanted $MOST at most"
done
