#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
watch stat short 0.1
watch process short 0.1 --by process
work "$SHARED/short" 600 4 quiet
[ -z "$NATIVE" ] || exit 0
unwatch
stop
tables "$KTL"
truth "role=records $(sums_of short)"
compare "$WORK"/stat.* "$WORK"/process.*
