#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
# what the case before left behind has ended by then
sleep 2
kernel_before
start --buffer 1
totals() { [ -n "$NATIVE" ] || ktally totals --csv --no-header -c count,cpu_ns,key > "$WORK/totals.$1"; }
totals before
# without a reader at the beginning: buffers overflow, then it goes on
work "$BIN/burst" 4 2000 "$RECORDER"
[ -z "$NATIVE" ] || exit 0
stop
kernel_after
totals after
count_others burst
# The CPU time of that program, by records and by the kernel's own sums.
# Another case's program of that name is in the sums; recorders end outside of recordings.
recorded=$(ktally report --by program --csv --no-header -c cpu_ns,key "$KTL" burst 2> /dev/null |
	awk -F, '$2 == "burst" { n = $1 } END { print n + 0 }')
awk -F, -v recorded="$recorded" '{ gsub(/"/, "") }
	NR == FNR { ends[$3] = $1; cpu[$3] = $2; next }
	$3 == "burst" { totals = $2 - cpu[$3]; next }
	$3 != "ktally" && $1 > ends[$3] + 0 { rest += $2 }
	END { printf "TRUTH role=cpu totals=%.0f recorded=%s rest=%.0f\n", totals, recorded, rest }' \
	"$WORK/totals.before" "$WORK/totals.after" >> "$TRUTH"
tables "$KTL" --columns "$FEW"
verdict "$HERE/expected.txt" "$WORK"/lives.*
