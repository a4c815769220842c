#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/flight.sh"
[ -z "$NATIVE" ] || skip "needs ktally"

# what ended last before a snapshot is in it, once, and in its order
flight long
writers
begun_at=$(cut -d. -f1 /proc/uptime)
n=0
while [ $(($(cut -d. -f1 /proc/uptime) - begun_at)) -lt 600 ]; do
	sleep 20
	n=$((n + 1))
	sh -c "exit $((100 + n))"
	snapshot long
	newest=$(find "$WORK/long" -name 'r-*.ktl' | sort | tail -n 1)
	books "one$n" "$newest" >> "$TRUTH"
	truth "newest=$n found=$(ktally report -q --csv --no-header -c exit_code "$newest" sh | grep -cx $((100 + n)))"
done
enough
finish "$RECORDER"
truth "saved=long rc=$? files=$(files long) snapshots=$n"
books long "$WORK/long" >> "$TRUTH"
verdict "$HERE/expected.txt"
