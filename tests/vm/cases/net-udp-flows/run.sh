#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
# lookups: how often the kernel's table of UDP sockets was asked
lookups() { ktally status --devices --json 2> /dev/null | grep -o '"udp_lookups":[0-9]*' | cut -d: -f2; }

start
if [ -z "$NATIVE" ]; then
	# longer than the module keeps answers without a look whether it may
	sleep 3
	before=$(lookups)
fi
work "$BIN/flows" 100 50
if [ -z "$NATIVE" ]; then
	asked=$(($(lookups) - before))
	say "$asked lookups"
	truth "role=asked lookups=$asked"
fi
stop
judge
