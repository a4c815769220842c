#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
program threads busy-threads
watch stat busy-threads 0.4
watch divided busy-threads 0.4 -I
work "$WORK/busy-threads"
[ -z "$NATIVE" ] || exit 0
unwatch
compare "$WORK"/stat.* "$WORK"/divided.*
