#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
namespace A B
veth A va B vb
address A va 1 1
address B vb 1 2
# each late segment is answered, and the answer's own answer ends nothing
echo 0 > /proc/sys/net/ipv4/tcp_invalid_ratelimit
echo 1 > /proc/sys/net/ipv4/tcp_rfc1337
[ -z "$NATIVE" ] && { ktally unload || broken "the module stays"; }
"$BIN/answers" over > "$WORK/connections" || broken "no connections in TIME_WAIT"
[ -z "$NATIVE" ] && { /vm/load || broken "the module does not load"; }
start
# shellcheck disable=SC2046 # four ports
work "$BIN/answers" ask 20 $(cat "$WORK/connections")
for _family in 10.9.1.2 fd00:1::2; do
	transfer B A "meets_$_family" udp "$_family" 7000 4 100
done
stop
judge_net
