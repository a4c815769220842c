#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules nf_tables nft_chain_nat nft_redir nft_masq
namespace A B
veth A va B vb
address A va 1 1
address B vb 1 2
# 10.9.2.0/24 is a name of B's that B does not know
ip -n A addr add 10.9.3.1/24 dev va
in_ns A nft -f - <<END || skip "no nft"
table ip t {
	chain out {
		type nat hook output priority -100;
		tcp dport 80 redirect to :8080
		tcp dport 81 dnat to 10.9.1.2:8081
		udp dport 82 dnat to 10.9.1.2:8082
	}
	chain post {
		type nat hook postrouting priority 100;
		tcp dport 8081 masquerade
	}
}
END
sleep 1
start
# the sender's address is not the one that the receiver is bound to
translated() # ROLE NS-OF-RECEIVER PROTOCOL BOUND:PORT ASKED:PORT COUNT SIZE
{
	rm -f "$WORK/$1.ready"
	in_ns "$2" "$SHARED/xfer" "${1}_recv" recv "$3" "${4%:*}" "${4#*:}" "$6" "$7" "$WORK/$1.ready" >> "$TRUTH" &
	_receiver=$!
	until_true 10 test -e "$WORK/$1.ready" || broken "$1: the receiver is not ready"
	in_ns A "$SHARED/xfer" "${1}_send" send "$3" "${5%:*}" "${5#*:}" "$6" "$7" >> "$TRUTH" || broken "$1: the sender failed"
	wait $_receiver || broken "$1: the receiver failed"
}
translated redirect A tcp 127.0.0.1:8080 10.9.3.77:80 16 65536
translated dnat B tcp 10.9.1.2:8081 10.9.3.78:81 16 65536
translated dnat_udp B udp 10.9.1.2:8082 10.9.3.79:82 40 1000
[ ! -e /proc/sys/net/mptcp ] || translated mptcp B mptcp 10.9.1.2:8083 10.9.1.2:8083 16 65536
in_ns B "$BIN/multicast" receive 2 "$WORK/joined" >> "$TRUTH" &
receivers=$!
until_true 10 test -e "$WORK/joined" || broken "nobody has joined"
in_ns A "$BIN/multicast" send >> "$TRUTH" || broken "the multicast sender failed"
wait $receivers || broken "the multicast receivers failed"
# by call the payload of multicast is known, by arrival it is nobody's
grep -q 'sock_recv_length' /proc/kallsyms && truth "role=by-call"
stop
judge_net
