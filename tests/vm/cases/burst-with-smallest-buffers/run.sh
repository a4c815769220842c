#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start --buffer 1
work "$BIN/burst" 4 2000
stop
[ -z "$NATIVE" ] || exit 0
count_records burst
verdict "$HERE/expected.txt" "$WORK"/lives.*
