#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
# what the case before left behind has ended by then
sleep 2
kernel_before
start
[ -n "$NATIVE" ] || kill -STOP "$RECORDER"
work "$BIN/burst" 2 3000
[ -z "$NATIVE" ] || exit 0
kill -CONT "$RECORDER"
stop
kernel_after
count_others burst
tables "$KTL" --columns "$FEW"
verdict "$HERE/expected.txt" "$WORK"/lives.*
