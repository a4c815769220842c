#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/refresh.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
PATH=${LIB%/lib}/tools/bin:$PATH
MOST=1500	# instructions per process and refresh

for busy in 0 200; do
	crowd 2000 $busy
	ours $MOST 10 "ktally stat" ktally stat 0.5 COUNT --csv -q
	ours $MOST 10 "ktally stat sleeper busy" ktally stat sleeper busy 0.5 COUNT --csv -q
	if [ $busy -eq 0 ]; then
		# everybody is looked at once in 30 s, so a thirtieth of this is a second's
		ours 4000 2 "ktally stat 31 (all looked at)" ktally stat 31 COUNT --csv -q
		once "ps -eo pid,comm,time,rss" ps -eo pid,comm,time,rss
	fi
	gone
done
