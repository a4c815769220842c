#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
#    namespace A: lo  va  ea  va.5         namespace B: vb  vb.5        namespace H: br0 (pa)
#                     |   |   on va                     |   on vb                    |
#                     |   +----------------------------------------------------------+
#                     +---------------------------------+
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules bridge 8021q
namespace A B H
veth A va B vb
address A va 1 1
address B vb 1 2
veth A ea H pa
ip -n H link add br0 type bridge || skip "no bridge"
ip -n H link set pa master br0 up
address A ea 2 1
address H br0 2 2
ip -n A link add link va name va.5 type vlan id 5 || skip "no VLAN"
ip -n B link add link vb name vb.5 type vlan id 5
address A va.5 3 1
address B vb.5 3 2
# duplicate address detection and the bridge's port are done
sleep 2
start
for _state in on off; do
	for _link in A:lo A:va B:vb A:ea H:pa H:br0 A:va.5 B:vb.5; do
		offload ${_link%:*} ${_link#*:} $_state
	done
	work "$BIN/matrix" "$_state"
done
stop
judge_net
