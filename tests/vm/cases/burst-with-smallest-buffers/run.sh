#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
# what the case before left behind has ended by then
sleep 2
start --buffer 1
# the opening walk is done by then
sleep 1
# 700 ms without a reader at the beginning: buffers overflow, then it goes on
work "$BIN/burst" 4 2000 "$RECORDER"
[ -z "$NATIVE" ] || exit 0
stop
count_others burst
tables "$KTL" --columns "$FEW"
verdict "$HERE/expected.txt" "$WORK"/lives.*
