#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
work "$SHARED/short" 4 2
stop
rm -f "$KTL"
: > "$TRUTH"
start
first=$RECORDER
record "$WORK/second.ktl"
work "$SHARED/short" 60 4
stop
[ -n "$NATIVE" ] || finish "$first" || fail "the first recording ended with $?"
judge "$KTL"
judge "$WORK/second.ktl"
