#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
record "$WORK/first.ktl"
first=$RECORDER
work "$BIN/blink"
record "$WORK/second.ktl"
second=$RECORDER
work "$BIN/many" "$BIN/blink" 300
[ -z "$NATIVE" ] || exit 0
finish "$first" || fail "first recording ended with $?"
finish "$second" || fail "second recording ended with $?"
judge "$WORK/first.ktl"
judge "$WORK/second.ktl"
