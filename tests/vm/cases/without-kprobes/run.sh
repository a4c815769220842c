#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -n "$NATIVE" ] || ! ends_by tracepoint || skip "a tracepoint tells the ends here, no kprobe is wanted"
program inherit
program inherit small-child
start
work "$BIN/ended"
work "$BIN/threads"
work "$WORK/inherit" "$WORK"
work "$BIN/together"
work "$BIN/burst" 2 300
stop
ktally status > "$WORK/status" || fail "status: $?"
grep -q '^not here: memory at the end of a process' "$WORK/status" || fail "status: $(cat "$WORK/status")"
judge
