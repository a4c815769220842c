#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
work "$BIN/burst" 4 2000
stop
[ -z "$NATIVE" ] || exit 0
count_others burst
tables "$KTL" --strict --columns "$FEW"
compare "$WORK"/lives.*
