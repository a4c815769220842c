#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# peers.sh - in a Debian under icount, one boot: the same work under one recorder after
# the other, then recordings of equal events for tests/bench/readers, then live views. Prints
#   peer NAME WORKLOAD FLOWS INSTRUCTIONS   of a round, median of nine
#   bare NAME WORKLOAD FLOWS INSTRUCTIONS   of one without it, just before and just behind
#   saw NAME EXECS                          that it recorded meanwhile
#   missing NAME WHY                        where it died or lost some of them, too
#   view NAME PROCESSES INSTRUCTIONS        of one refresh, per process
set -eu
cd "$(dirname "$0")"
# shellcheck source=tests/bench/guest/lib.sh
. ./lib.sh
# shellcheck source=tests/vm/lib/refresh.sh
. ./refresh.sh
SHARED=.
EACH=220	# spawns of a run: ktally packs some 55 at a time, and a run has several such blocks
SPAWNS=$((9 * EACH + 100))	# and 100 to get warm
tracing=/sys/kernel/tracing
work=/run/peers
turn=/run/turn
life='sched:sched_process_fork sched:sched_process_exec sched:sched_process_exit'
five="$life net:net_dev_xmit net:netif_receive_skb"
lttng_five=sched_process_fork,sched_process_exec,sched_process_exit,net_dev_xmit,net_if_receive_skb

# at_rest PID: for two seconds it has done hardly anything, nor waited for a disk. A mere sleep
# is no time for starting: while all wait for the disk, the guest's clock goes to its end at once.
at_rest()
{
	_still=0 _before=0
	while [ $_still -lt 20 ] && [ -d "/proc/$1" ]; do
		sleep 0.1
		_now=$(cat "/proc/$1"/task/*/schedstat 2>/dev/null | awk '{ ns += $1 } END { printf "%.0f", ns }')
		if [ $((_now - _before)) -lt 1000000 ] && ! grep -q '^State:.*[DR] ' "/proc/$1"/task/*/status 2>/dev/null; then
			_still=$((_still + 1))
		else
			_still=0
		fi
		_before=$_now
	done
}

# under NAME: the work, and nobody's start in it
under()
{
	[ -z "$recorder" ] || at_rest "$recorder"
	./packets udp4 tcp4 | sed "s/^/peer $1 /"
	./packets -n $EACH spawn | sed "s/^/peer $1 /"
}

# bare NAME: whoever records, a round of TCP takes 560 more while a slab ends in the midst of its segments
bare() { ./packets udp4 tcp4 | sed "s/^/bare $1 /"; }

# in_background COMMAND...: until stopped
in_background()
{
	"$@" >$work/said 2>$work/errors &
	recorder=$!
}

# stop [SIGNAL]: this shell lets background jobs ignore INT; some take it nevertheless, and no other
stop()
{
	at_rest "$recorder"
	kill -"${1:-INT}" "$recorder"
	wait "$recorder" || true
	recorder=
}

# each NAME EVENTS: the words 'NAME EVENT', once per event
each() { for _event in $2; do echo "$1 $_event"; done; }

# --- recorders: record_NAME starts it, end_NAME stops it and prints how many execs it has ---

record_nothing() { :; }
end_nothing() { echo -; }

record_floor() { insmod ./floor.ko; }
end_floor() { rmmod floor; echo -; }

record_ktally()
{
	insmod /vm/ktally.ko
	in_background ktally record -q -o $work/ktl
}
end_ktally()
{
	stop TERM
	rmmod ktally
	ktally dump -e exec $work/ktl | grep -c 'exec:'
}

switch_events() { for _event in $five; do echo "$1" >$tracing/events/"$(echo "$_event" | tr : /)"/enable; done; }
record_ftrace()
{
	echo 20000 >$tracing/buffer_size_kb
	switch_events 1
}
end_ftrace()
{
	switch_events 0
	grep -c 'sched_process_exec:' $tracing/trace
	echo >$tracing/trace
}

# shellcheck disable=SC2046 # words
record_trace_cmd() { in_background trace-cmd record $(each -e "$five") -o $work/dat; }
end_trace_cmd() { stop; trace-cmd report $work/dat | grep -c 'sched_process_exec:'; }

# shellcheck disable=SC2046 # words
record_perf() { in_background perf record -a $(each -e "$five") -o $work/perf; }
end_perf() { stop; perf script -i $work/perf 2>/dev/null | grep -c 'sched_process_exec:'; }

record_bpftrace()
{
	in_background bpftrace -e '
		tracepoint:sched:sched_process_fork { @forks = count(); }
		tracepoint:sched:sched_process_exec { @execs = count(); }
		tracepoint:sched:sched_process_exit { @exits = count(); }
		tracepoint:net:net_dev_xmit { @sent[pid] = sum(args->len); }
		tracepoint:net:netif_receive_skb { @received[pid] = sum(args->len); }'
}
end_bpftrace() { stop; sed -n 's/@execs: //p' $work/said; }

record_acct() { : >$work/acct; accton $work/acct >/dev/null; }
end_acct() { accton off >/dev/null; lastcomm -f $work/acct | grep -c '^exe '; }

record_forkstat() { in_background forkstat -e fork,exec,exit; }
end_forkstat() { stop; grep -c ' exec ' $work/said; }

record_execsnoop() { in_background execsnoop.bt; }
end_execsnoop() { stop; grep -c 'packets nothing' $work/said; }

# Its daemon asks for modules by name, so they lie where such are looked for.
record_lttng()
{
	_modules=/lib/modules/$(uname -r)
	mkdir -p "$_modules"
	mount -t tmpfs tmpfs "$_modules"
	cp lttng/*.ko "$_modules"
	# without these depmod leaves out lists that the daemon's library insists on
	touch "$_modules/modules.order" "$_modules/modules.builtin" "$_modules/modules.builtin.modinfo"
	depmod && lttng-sessiond -b &&
		lttng -q create peers -o $work/lttng &&
		lttng -q enable-channel -k five --num-subbuf 8 --subbuf-size 4M &&
		lttng -q enable-event -k -c five $lttng_five &&
		lttng -q start || return 1
	recorder=$(pidof -s lttng-consumerd)
}
end_lttng()
{
	at_rest "$recorder"
	lttng -q destroy
	recorder=
	babeltrace2 $work/lttng | grep -c 'sched_process_exec:'
	# it takes its modules out
	pkill lttng-sessiond
	while pidof lttng-sessiond >/dev/null; do sleep 0.1; done
}

# once NAME: from nothing in its folder
once()
{
	rm -rf "${work:?}"
	mkdir $work
	bare "$1"
	"record_$1" || { echo "missing $1 it did not start"; return; }
	under "$1"
	"end_$1" >$work/saw || true
	bare "$1"
	_saw=$(cat $work/saw)
	[ "$_saw" = - ] || [ "${_saw:-0}" -ge $SPAWNS ] || { echo "missing $1 it saw ${_saw:-none} of $SPAWNS"; return; }
	echo "saw $1 $_saw"
}

# steady FILE: a round without it took the same before and behind
steady()
{
	awk '$1 == "bare" && $3 in before && ($5 > 1.01 * before[$3] || $5 < 0.99 * before[$3]) { changed = 1 }
	     $1 == "bare" { before[$3] = $5 }
	     END { exit changed }' "$1"
}

# peer NAME PROGRAM: a further time, where the rounds without it changed meanwhile
peer()
{
	command -v "$2" >/dev/null || { echo "missing $1 $2 is not installed"; return; }
	for _turn in 1 2 3; do
		once "$1" >$turn
		! steady $turn || break
	done
	cat $turn
}

# --- live views ---

broken() { echo "peers: $*" >&2; exit 1; }

# view PROGRAM REFRESHES COMMAND... with COUNT in it: those behind the second, so that starting is not in it
view()
{
	_name=$1 _more=$2
	shift 2
	command -v "$_name" >/dev/null || { echo "missing $_name it is not installed"; return; }
	(refresh 2 "$_more" "$@" && echo "view $_name $PEOPLE $COST") || echo "missing $_name it failed"
}

views()
{
	insmod /vm/ktally.ko
	./lives crowd 2000
	set -- /proc/[0-9]*
	PEOPLE=$#
	# it looks at everybody once in 30 s
	view ktally 60 ktally stat 0.5 COUNT --csv -q
	view top 2 top -b -d 1 -n COUNT
	view pidstat 2 pidstat -u -r -p ALL 1 COUNT
	view atop 2 atop 1 COUNT
	# shellcheck disable=SC2016 # the inner shell's own
	view ps 2 sh -c 'for i in $(seq $0); do ps -eo pid,comm,time,rss; done' COUNT
}

# --- recordings of equal events, for readers ---

recordings()
{
	insmod /vm/ktally.ko
	ktally record -q -o /out/ktl & _a=$!
	# shellcheck disable=SC2046 # words
	trace-cmd record $(each -e "$life") -o /out/dat >/dev/null 2>&1 & _b=$!
	# shellcheck disable=SC2046 # words
	perf record -a $(each -e "$life") -o /out/perf >/dev/null 2>&1 & _c=$!
	for _recorder in $_a $_b $_c; do at_rest "$_recorder"; done
	./packets -n 4000 spawn >/dev/null
	for _recorder in $_a $_b $_c; do at_rest "$_recorder"; done
	kill -TERM $_a
	kill -INT $_b $_c
	wait $_a $_b $_c || true
	rmmod ktally
}

recorder=
dmesg -n 4 || true
ip link set lo up
systemctl stop acct atop atopacct lttng-sessiond sysstat 2>/dev/null || true
settle
peer nothing true
peer floor true
peer ktally ktally
peer ftrace true
peer trace_cmd trace-cmd
peer perf perf
peer bpftrace bpftrace
peer acct accton
peer forkstat forkstat
peer execsnoop execsnoop.bt
if [ -d lttng ]; then peer lttng lttng; else echo "missing lttng no modules of it for this kernel"; fi
peer nothing true
recordings
views
