#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
program punct
start
work "$WORK/punct" "$WORK"
stop
judge
if [ -z "$NATIVE" ]; then
	one_line_a_record 20
	no_raw_controls
fi
