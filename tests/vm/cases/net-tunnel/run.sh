#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules tun
[ -e /dev/net/tun ] || { mkdir -p /dev/net; mknod /dev/net/tun c 10 200; }
namespace A B
veth A va B vb
address A va 1 1
address B vb 1 2
sleep 1
start
in_ns A "$BIN/tunnel" carrier_a 10.9.1.1 10.9.1.2 "$WORK/stop" >> "$TRUTH" &
a=$!
in_ns B "$BIN/tunnel" carrier_b 10.9.1.2 10.9.1.1 "$WORK/stop" >> "$TRUTH" &
b=$!
for _ns in A:1 B:2; do
	until_true 10 ip -n "${_ns%:*}" link show tun0 > /dev/null 2>&1 || broken "no tun0"
	ip -n "${_ns%:*}" link set tun0 mtu 1400
	address "${_ns%:*}" tun0 8 "${_ns#*:}"
	unhurried "${_ns%:*}"
done
transfer B A inner tcp 10.9.8.2 7000 16 65536
transfer B A inner_udp udp 10.9.8.2 7001 40 1000
: > "$WORK/stop"
wait $a || broken "the tunnel failed at A"
wait $b || broken "the tunnel failed at B"
stop
judge_net
