#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
[ -n "$NATIVE" ] || kill -STOP "$RECORDER"
work "$BIN/burst" 2 10000
[ -z "$NATIVE" ] || exit 0
kill -CONT "$RECORDER"
stop
count_records burst
verdict "$HERE/expected.txt" "$WORK"/lives.*
