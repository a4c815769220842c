#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules ipip ip_gre vxlan
namespace A B
veth A va B vb
address A va 1 1
address B vb 1 2
net=10
for _kind in ipip gre vxlan; do
	_more=
	# by its lower device vxlan knows how much fits
	[ $_kind != vxlan ] || _more="id 7 dstport 4789 dev v"
	# shellcheck disable=SC2086
	ip -n A link add t_$_kind type $_kind local 10.9.1.1 remote 10.9.1.2 ${_more:+${_more}a} || skip "no $_kind"
	# shellcheck disable=SC2086
	ip -n B link add t_$_kind type $_kind local 10.9.1.2 remote 10.9.1.1 ${_more:+${_more}b}
	ip -n A addr add 10.9.$net.1/24 dev t_$_kind
	ip -n B addr add 10.9.$net.2/24 dev t_$_kind
	# what is put together behind the device's counters leaves a remainder
	in_ns A ethtool -K t_$_kind gro off
	in_ns B ethtool -K t_$_kind gro off
	ip -n A link set t_$_kind up
	ip -n B link set t_$_kind up
	net=$((net + 1))
done
sleep 2
start
net=10
for _kind in ipip gre vxlan; do
	transfer B A "${_kind}_tcp" tcp 10.9.$net.2 7000 16 65536
	transfer B A "${_kind}_udp" udp 10.9.$net.2 7001 40 1000
	net=$((net + 1))
done
stop
judge_net
