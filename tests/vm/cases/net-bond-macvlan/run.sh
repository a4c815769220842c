#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   A: bond0 (a1, a2)     B: br0 (b1, b2)     M: mv0 on top of A's bond0
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules bonding bridge macvlan
namespace A B M
ip -n A link add bond0 type bond mode active-backup miimon 100 || skip "no bond"
ip -n B link add br0 type bridge
for _n in 1 2; do
	veth A a$_n B b$_n
	ip -n A link set a$_n master bond0
	ip -n A link set a$_n up
	ip -n B link set b$_n master br0
	ip -n B link set b$_n up
done
address A bond0 4 1
address B br0 4 2
ip -n A link add link bond0 name mv0 type macvlan mode bridge || skip "no macvlan"
ip -n A link set mv0 netns M
address M mv0 4 3
# until the bridge forwards
sleep 3
start
transfer B A bond tcp 10.9.4.2 7000 16 65536
transfer B A bond_udp udp 10.9.4.2 7001 40 1000
transfer B M macvlan tcp 10.9.4.2 7002 16 65536
transfer B M macvlan_udp udp 10.9.4.2 7003 40 1000
stop
judge_net
