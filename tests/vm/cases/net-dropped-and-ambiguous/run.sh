#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
# where calls tell what they received, arrivals do not count
if grep -q 'sock_recv_length' /proc/kallsyms; then truth "role=by-call"; else truth "role=by-arrival"; fi
# lookups: how often the kernel's table of UDP sockets was asked
lookups() { ktally status --devices --json 2> /dev/null | grep -o '"udp_lookups":[0-9]*' | cut -d: -f2; }

start
work "$BIN/udp"
if [ -z "$NATIVE" ]; then
	# longer than the module keeps answers without a look whether it may
	sleep 3
	before=$(lookups)
	"$BIN/udp" kept 2000 || broken "one flow"
	truth "role=kept datagrams=2000 lookups=$(($(lookups) - before))"
fi
stop
judge_net
