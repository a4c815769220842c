# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# refresh.sh - sourced behind case.sh or by tests/bench/guest/peers.sh, under icount: what a refresh of a live view costs
# per process, reader included. Of two runs that differ in the number of refreshes the
# difference counts, so that starting and the first look are not in it.

# crowd N BUSY: processes that are there, until gone; BUSY of them work a little ten times a second
crowd()
{
	rm -f "$WORK/ready" "$WORK/stop"
	"$SHARED/sleepers" "$1" "$2" "$WORK/ready" "$WORK/stop" &
	CROWD=$!
	BUSY=$2
	until_true 600 test -e "$WORK/ready" || broken "no crowd"
	set -- /proc/[0-9]*
	PEOPLE=$#
}
gone() { touch "$WORK/stop"; wait "$CROWD"; }

# cost_of N COMMAND...: ns of CPU time, with N refreshes in place of COUNT
cost_of()
{
	_n=$1
	shift
	for _word; do
		shift
		[ "$_word" != COUNT ] || _word=$_n
		set -- "$@" "$_word"
	done
	_cost=$("$SHARED/cost" "$@") || broken "$1 failed"
	echo "$_cost" | awk '{ printf "%.0f\n", ($1 + $2) * 1000 }'
}

# refresh FIRST REFRESHES COMMAND... with COUNT in it: sets COST, of those behind the FIRST
refresh()
{
	_first=$1 _refreshes=$2
	shift 2
	_few=$(cost_of "$_first" "$@") || exit 98
	_many=$(cost_of $((_first + _refreshes)) "$@") || exit 98
	COST=$(((_many - _few) / _refreshes / PEOPLE))
}

report() { echo "$PEOPLE processes, $BUSY busy: $COST instructions per process and refresh: $1" | tee -a "$OUT/cost"; }

# ours MOST REFRESHES WHAT COMMAND...: of ktally, and not above MOST
ours()
{
	_most=$1 _times=$2 _what=$3
	shift 3
	refresh 2 "$_times" "$@"
	report "$_what"
	[ "$COST" -le "$_most" ] || fail "$_what: $COST instructions per process, wanted $_most at most"
}

# theirs WHAT COMMAND...: of another tool, whose second refresh counts
theirs()
{
	_what=$1
	shift
	refresh 1 1 "$@"
	report "$_what"
}

# once WHAT COMMAND...: of a tool that looks once and ends
once()
{
	_what=$1
	shift
	_all=$(cost_of 1 "$@") || exit 98
	COST=$((_all / PEOPLE))
	report "$_what"
}
