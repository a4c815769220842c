#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules bridge
two_cards
namespace A B
ip link set eth0 netns A
ip link set eth1 netns B
ip -n A link add br0 type bridge || skip "no bridge"
ip -n A link set eth0 master br0
ip -n A link set eth0 up
address A br0 6 1
address B eth1 6 2
sleep 3
start
transfer B A tcp tcp 10.9.6.2 7000 16 65536
transfer B A udp udp 10.9.6.2 7000 40 1000
transfer A B back_tcp tcp 10.9.6.1 7000 16 65536
transfer A B back_udp udp 10.9.6.1 7000 40 1000
stop
judge_net
