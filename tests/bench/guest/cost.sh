#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cost.sh SIZE - in a guest under icount: everything once without the module
# and once with it, in this one boot. SIZE: gate, short, long; or flows, packets
# of many sockets alone. Prints
#   packets STATE WORKLOAD FLOWS INSTRUCTIONS      of a round, median of nine
#   flow STATE WORKLOAD FLOWS HOOK CALLS MEDIAN INSTRUCTIONS   of all calls
#   hook STATE KIND HOOK CALLS INSTRUCTIONS        median of the calls
#   walk PROCESSES INSTRUCTIONS WITH_DRAIN         of one task
# STATE: base, ktally, sN (sessions), x1 (one that filters all), cN (N idle
# processes, one session); of flows: flat (without the module), narrow (tables of
# the usual size), wide.
set -eu
cd "$(dirname "$0")"
# shellcheck source=tests/bench/guest/lib.sh
. ./lib.sh
size=$1
clock=/proc/hookclock

steady='udp4 udp6 tcp4 tcp6'
case $size in
gate) lives=60 crowds=1000 sessions=1 ;;
short) lives=200 crowds='' sessions='0 1 8' ;;
long) lives=300 crowds='1000 10000 30000' sessions='0 1 8' ;;
esac
[ "$size" = gate ] || steady="$steady nobody4 udplife4 tcplife4"

# ::1 has ports for no more than 20,000
flows()
{
	for n in 1 10 100 1000 10000; do
		echo "tcp4:$n tcp6:$n udp4:$n udp6:$n"
	done
}

# crossed STATE WORKLOAD:FLOWS...: hook by hook, for the kernel finds sockets by chains that
# differ from one set of sockets to the next
crossed()
{
	_state=$1
	shift
	echo arm >$clock
	for _load; do
		./packets -b $clock "$_load" >/dev/null
		sed "s/^/flow $_state ${_load%:*} ${_load#*:} /" $clock
	done
	echo disarm >$clock
}

# packets STATE WORKLOAD...
packets()
{
	_state=$1
	shift
	[ $# -gt 0 ] || return 0
	./packets "$@" | sed "s/^/packets $_state /"
}

# timed STATE KIND COUNT [OPTION...]: what hookclock saw while so many lived
timed()
{
	_state=$1 _kind=$2 _count=$3
	shift 3
	echo begin >$clock
	./lives "$@" "$_kind" "$_count"
	sed "s/^/hook $_state $_kind /" $clock
}

# parts STATE: packets hook by hook
parts()
{
	for load in udp4 udp6 tcp4 tcp6; do
		echo begin >$clock
		./packets -n 100 $load >/dev/null
		sed "s/^/hook $1 $load /" $clock
	done
}

all_lives()
{
	_all=$1
	shift
	timed "$_all" fork "$lives" "$@"
	timed "$_all" spawn "$((lives / 2))" "$@"
	[ "$size" = gate ] || timed "$_all" argv 20 "$@"
}

# load [PARAMETER...]: the first second after loading is not like those that follow: the
# module's worker has not looked yet whether answers about UDP sockets may be kept
load()
{
	insmod /vm/ktally.ko "$@"
	sleep 3
}

dmesg -n 4 || true
ip link set lo up
settle
# shellcheck disable=SC2046,SC2086 # lists of words
if [ "$size" = flows ]; then
	# Timers of 10,000 connections that were closed go off together: what lo then has no
	# place for is lost, and may be the next load's.
	echo 100000 >/proc/sys/net/core/netdev_max_backlog
	insmod ./hookclock.ko
	crossed flat udp4:1 udp6:1 tcp4:1 tcp6:1
	# each load draws other numbers to hash by, and sums are over all of them
	for i in 1 2 3 4 5; do
		load
		crossed narrow udp4:1000 udp4:10000 tcp4:1000
		rmmod ktally
		load net_sockets=262144 net_udp=1048576
		[ $i -gt 1 ] || crossed wide $(flows)
		crossed wide udp4:100000
		rmmod ktally
	done
	exit
fi
# shellcheck disable=SC2086 # lists of words
{
	packets base $steady
	load
	packets ktally $steady
	rmmod ktally
}

insmod ./hookclock.ko
echo arm >$clock
all_lives base
[ "$size" = gate ] || parts base
echo disarm >$clock
load
echo arm >$clock
for n in $sessions; do
	all_lives "s$n" -s "$n"
done
[ "$size" = gate ] || all_lives x1 -s 1 -x
[ "$size" = gate ] || parts ktally
./lives crowd 100
./lives walk 7
made=100
for n in $crowds; do
	./lives crowd $((n - made))
	made=$n
	./lives walk 7
	timed "c$n" fork "$lives" -s 1
done
echo disarm >$clock
