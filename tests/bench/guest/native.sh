#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# native.sh ROUNDS COUNT - init of a user-mode kernel on this machine's own files, which it
# can't write to but for recordings/ here: pktgen's packets, COUNT each time, through a
# dummy device, with nothing, empty callbacks, ktally and ftrace in turn. Prints each time
#   native STATE LOAD Result: OK: USEC(cBUSY+dIDLE) usec, COUNT (...)
# LOAD: owned, to a port that a process has bound; others, for another machine's card;
# sent, out of the device.
set -eu
# As any other process it would do all this to the machine itself.
[ $$ = 1 ] || { echo "native.sh: only as init of a user-mode kernel" >&2; exit 2; }
here=${0%/*}
rounds=$1 count=$2
events='sched/sched_process_fork sched/sched_process_exec sched/sched_process_exit net/net_dev_xmit net/netif_receive_skb'
pktgen=/proc/net/pktgen
tracing=/sys/kernel/tracing
export PATH=/usr/sbin:/usr/bin:/sbin:/bin

# Small, and one file: system calls and page faults are slow here.
bb() { "$here/busybox" "$@"; }

# A kernel without init panics; whoever waits for it reads why it ended.
trap 'echo "native.sh: ended with $?"; bb poweroff -f' EXIT

prepare()
{
	bb mount -t proc proc /proc
	bb mount -t sysfs sysfs /sys
	bb mount -t tracefs tracefs $tracing
	bb mount -t hostfs -o "$here/recordings" recordings /mnt
	echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	echo 1 >/proc/sys/net/ipv6/conf/dummy0/disable_ipv6
	bb ip link set dummy0 address 02:00:00:00:00:01
	bb ip link set dummy0 up
	bb ip addr add 10.0.0.1/24 dev dummy0
	bb insmod "$here/pktgen.ko"
	# whoever is sent to; its buffer is soon full, which is the kernel's business
	perl -MSocket -e 'socket(S, PF_INET, SOCK_DGRAM, 0) && bind(S, sockaddr_in(9, INADDR_ANY)) or die; sleep' &
	echo "add_device dummy0" >$pktgen/kpktgend_0
	set_up "count $count" "pkt_size 64" "src_min 10.0.0.2" "src_max 10.0.0.2"
}

set_up()
{
	for _line; do
		echo "$_line" >$pktgen/dummy0
	done
}

# run STATE LOAD LINE...: one time COUNT packets
run()
{
	_state=$1 _load=$2
	shift 2
	set_up "$@"
	echo start >$pktgen/pgctrl
	echo "native $_state $_load $(bb grep Result: $pktgen/dummy0)"
}

loads()
{
	run "$1" owned "xmit_mode netif_receive" "dst_mac 02:00:00:00:00:01" "dst 10.0.0.1"
	run "$1" others "xmit_mode netif_receive" "dst_mac 02:00:00:00:00:02" "dst 10.0.0.9"
	run "$1" sent "xmit_mode queue_xmit" "dst_mac 02:00:00:00:00:02" "dst 10.0.0.9"
}

with_floor()
{
	bb insmod "$here/floor.ko"
	loads floor
	bb rmmod floor
}

with_ktally()
{
	bb insmod "$here/ktally.ko"
	"$here/ktally" record -q -o "/mnt/$1.ktl" &
	_recorder=$!
	while [ ! -s "/mnt/$1.ktl" ]; do bb sleep 0.1; done
	bb sleep 1
	loads ktally
	kill $_recorder
	wait $_recorder || true
	bb rmmod ktally
}

switch_events()
{
	for _event in $events; do
		echo "$1" >"$tracing/events/$_event/enable"
	done
}

with_ftrace()
{
	switch_events 1
	loads ftrace
	switch_events 0
}

prepare
_round=0
while [ $_round -lt "$rounds" ]; do
	loads nothing
	with_floor
	with_ktally $_round
	with_ftrace
	_round=$((_round + 1))
done
