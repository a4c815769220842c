#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/storm.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
rmmod ktally 2> /dev/null
"$BIN/storm" on forks execs threads namespaces connections datagrams networks hotplug clock &
storm=$!
for _ in $(seq 15); do
	insmod /vm/ktally.ko || fail "the module does not load"
	rmmod ktally || fail "the module does not unload"
done
kill -0 $storm || fail "the storm is over"
kill $storm
wait $storm || fail "the storm: $?"
storm_over 60 all kprobes
