# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# net.sh - sourced after case.sh by cases about the network: namespaces and links
# with the tools of `TOOLS="ip ..."`, transfers by workloads/xfer.c, and the two
# equations of docs/network.md as tables for the judge.
#   namespace NAME...      fresh ones, lo up
#   in_ns NAME COMMAND...  runs it there
#   start                  of case.sh, once links and addresses are there
# A case about segments that are sent again says `HURRIED=1` before start.
# Over cards whose driver pads short frames: `PADDED=1` before it, and rules of its own about
# the bytes of devices.
HURRIED=''
PADDED=''
NET_TOOLS=${LIB%/lib}/tools/bin
PATH=$NET_TOOLS:$PATH
mkdir -p /var/run /run/netns
# what is lost on the way is another case
echo 20000 > /proc/sys/net/core/netdev_max_backlog

# busybox' shell would take its own
[ ! -x "$NET_TOOLS/ip" ] || ip() { "$NET_TOOLS/ip" "$@"; }
[ ! -x "$NET_TOOLS/tc" ] || tc() { "$NET_TOOLS/tc" "$@"; }

# modules NAME...: of the kernel's package; some are built in
modules()
{
	for _module; do
		modprobe "$_module" || [ -e "/sys/module/$_module" ] || skip "no module $_module"
	done
}

in_ns() { _ns=$1; shift; nsenter "--net=/run/netns/$_ns" "$@"; }

# no_links: what an earlier case has left
no_links()
{
	for _ns in /run/netns/*; do
		[ ! -e "$_ns" ] || ip netns del "${_ns##*/}"
	done
}

namespace()
{
	for _ns; do
		ip netns add "$_ns" || skip "no network namespaces"
		ip -n "$_ns" link set lo up
		# options of varying length would blur what a segment's header is, and fragments
		# of two CPUs overtake each other
		in_ns "$_ns" sh -c 'echo 0 > /proc/sys/net/ipv4/tcp_sack; echo 0 > /proc/sys/net/ipv4/ipfrag_max_dist'
		# the kernel asks for routers at times of its own, and tun counts what its program reads
		# shellcheck disable=SC2016 # the inner shell's own
		in_ns "$_ns" sh -c 'for _file in /proc/sys/net/ipv6/conf/*/accept_ra; do echo 0 > "$_file"; done'
	done
}

# unhurried [NAMESPACE]: a guest that stands still does not make it send anything twice
unhurried() { ${1:+in_ns "$1"} sh "$LIB/unhurried"; }

# shellcheck disable=SC2120 # as that of case.sh
start()
{
	[ -n "$HURRIED" ] || unhurried
	for _space in /run/netns/*; do
		[ -n "$HURRIED" ] || [ ! -e "$_space" ] || unhurried "${_space##*/}"
	done
	record "$KTL" "$@"
}

# address NAMESPACE DEVICE NET HOST: 10.9.NET.HOST, fd00:NET::HOST, and up
address()
{
	ip -n "$1" addr add "10.9.$3.$4/24" dev "$2"
	ip -n "$1" addr add "fd00:$3::$4/64" dev "$2" nodad
	ip -n "$1" link set "$2" up
}

# veth NS DEVICE NS DEVICE: a pair
veth() { ip link add "$2" netns "$1" type veth peer name "$4" netns "$3" || skip "no veth"; }

# bridged: namespaces A and B, each with ce0 (10.9.7.1 and .2), joined by a bridge in H
bridged()
{
	modules bridge
	namespace A B H
	ip -n H link add br0 type bridge || skip "no bridge"
	ip -n H link set br0 up
	for _end in A:1 B:2; do
		veth "${_end%:*}" ce0 H "p${_end%:*}"
		ip -n H link set "p${_end%:*}" master br0 up
		address "${_end%:*}" ce0 7 "${_end#*:}"
	done
	# until the ports forward and addresses are settled
	sleep 2
}

# offload NAMESPACE DEVICE on|off
offload() { in_ns "$1" ethtool -K "$2" tso "$3" gso "$3" gro "$3" > /dev/null 2>&1; }

# equations: devices.csv, classes.csv and kinds.csv of the recording, by us; remainders.csv, by ktally
equations()
{
	[ -z "$NATIVE" ] || return 0
	ktally dump -e device,walk_begin,walk_end "$KTL" |
		awk -v devices="$WORK/devices.csv" -v classes="$WORK/classes.csv" -v kinds="$WORK/kinds.csv" -f "$LIB/devices.awk" ||
		fail "no device records"
	ktally report --devices --csv "$KTL" > "$WORK/remainders.csv" 2> "$WORK/report.said" ||
		fail "report --devices ended with $?: $(cat "$WORK/report.said")"
}

# hold: what holds of every recording of a network
hold()
{
	verdict "$LIB/equations.txt" "$WORK/devices.csv" "$WORK/classes.csv" "$WORK/kinds.csv" "$WORK/remainders.csv"
	[ -n "$PADDED" ] || verdict "$LIB/unpadded.txt" "$WORK/remainders.csv"
}

# judge_net: lives, devices and classes, by expected.txt and what holds always
judge_net()
{
	[ -z "$NATIVE" ] || return 0
	tables "$KTL" --strict
	equations
	hold
	compare "$WORK"/lives.* "$WORK/devices.csv" "$WORK/classes.csv" "$WORK/kinds.csv" "$WORK/remainders.csv"
}

# transfer NS-OF-RECEIVER NS-OF-SENDER ROLE PROTOCOL ADDRESS PORT COUNT SIZE: roles
# ROLE_recv and ROLE_send; see workloads/xfer.c
transfer()
{
	_to=$1 _from=$2 _role=$3
	shift 3
	rm -f "$WORK/$_role.ready"
	in_ns "$_to" "$SHARED/xfer" "${_role}_recv" recv "$@" "$WORK/$_role.ready" >> "$TRUTH" &
	_receiver=$!
	until_true 10 test -e "$WORK/$_role.ready" || broken "$_role: the receiver is not ready"
	in_ns "$_from" "$SHARED/xfer" "${_role}_send" send "$@" "$WORK/$_role.ready" >> "$TRUTH" || broken "$_role: the sender failed"
	wait $_receiver || broken "$_role: the receiver failed"
}

# short_connections COUNT: judged by sums; table for so many processes has few columns
short_connections()
{
	start
	work "$SHARED/short" "$1" 4 quiet
	# the last figures of processes that have gone come within two seconds
	sleep 3
	stop
	[ -z "$NATIVE" ] || return 0
	tables "$KTL" --strict -c pid,comm,state,tcp_tx_bytes,tcp_rx_bytes,loop_tx_packets,virt_tx_packets,tx_packets
	equations
	compare "$WORK"/lives.* "$WORK/devices.csv" "$WORK/classes.csv" "$WORK/kinds.csv"
}

# two_cards: eth0 and eth1 come back from namespaces of an earlier case
two_cards()
{
	until_true 10 test -e /sys/class/net/eth0 || skip "no cards"
	until_true 10 test -e /sys/class/net/eth1 || skip "no two cards"
}

# short_frames NAMESPACE:DEVICE...: roles short_DEVICE, what padding adds from here to
# short_frames_end
short_frames()
{
	_watching=''
	for _end; do
		# not in_ns: that would be a shell between
		nsenter "--net=/run/netns/${_end%:*}" "$BIN/short_frames" "short_${_end#*:}" "${_end#*:}" "$WORK/${_end#*:}.watched" >> "$TRUTH" &
		_watching="$_watching $!"
		RECORDERS="$RECORDERS $!"
		until_true 10 test -e "$WORK/${_end#*:}.watched" || broken "nobody watches $_end"
	done
}
short_frames_end()
{
	for _watcher in $_watching; do
		kill "$_watcher"
		wait "$_watcher" || broken "short_frames ended with $?"
	done
}

# cards: transfers between two cards, with the receiver's packets put together or not
cards()
{
	no_links
	two_cards
	namespace A B
	ip link set eth0 netns A
	ip link set eth1 netns B
	address A eth0 6 1
	address B eth1 6 2
	sleep 2
	start
	[ -z "$PADDED" ] || short_frames A:eth0 B:eth1
	for _state in on off; do
		offload A eth0 $_state
		offload B eth1 $_state
		transfer B A tcp_$_state tcp 10.9.6.2 7000 16 65536
		transfer B A tcp6_$_state tcp fd00:6::2 7000 16 65536
		transfer B A udp_$_state udp 10.9.6.2 7000 40 1000
		transfer B A frag_$_state udp fd00:6::2 7000 8 65507
	done
	[ -z "$PADDED" ] || short_frames_end
	stop
	judge_net
}
