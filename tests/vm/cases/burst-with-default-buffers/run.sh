#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
work "$BIN/burst" 4 2000
stop
[ -n "$NATIVE" ] || count_records burst
judge
