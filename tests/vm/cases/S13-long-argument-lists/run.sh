#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
work env -u ROLE "$BIN/longargs"
stop
judge
[ -n "$NATIVE" ] || one_line_a_record 4
