#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start --buffer 1
work "$BIN/burst" 4 2000
[ -z "$NATIVE" ] || exit 0
stop
count_others burst
tables "$KTL" --columns "$FEW"
verdict "$HERE/expected.txt" "$WORK"/lives.*
