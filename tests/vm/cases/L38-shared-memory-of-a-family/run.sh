#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
watch stat family 0.3
watch process family 0.3 --by process
work "$BIN/family"
[ -z "$NATIVE" ] || exit 0
unwatch
stop
tables "$KTL"
ktally report --by program --csv "$KTL" family > "$WORK/programs.csv" 2> "$WORK/report.said" || fail "report: $?"
compare "$WORK"/lives.* "$WORK"/stat.* "$WORK"/process.* "$WORK/programs.csv"
