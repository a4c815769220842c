#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
# what the case before left behind has ended by then
sleep 2
start --buffer 1
# without a reader at the beginning: buffers overflow, then it goes on
work "$BIN/burst" 4 2000 "$RECORDER"
[ -z "$NATIVE" ] || exit 0
stop
count_others burst
# The CPU time of that program, by records and by the kernel's own sums.
cpu_of() { "$@" --csv --no-header -c cpu_ns,key | awk -F, '$2 == "burst" { print $1; found = 1 } END { if (!found) print 0 }'; }
truth "role=cpu totals=$(cpu_of ktally totals) recorded=$(cpu_of ktally report --by program "$KTL" burst 2> /dev/null)"
tables "$KTL" --columns "$FEW"
verdict "$HERE/expected.txt" "$WORK"/lives.*
