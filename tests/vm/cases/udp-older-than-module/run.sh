#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] && { ktally unload || broken "the module stays"; }
"$BIN/older" "$WORK" >> "$TRUTH" &
older=$!
until_true 20 test -e "$WORK/bound" || broken "nobody is bound"
[ -z "$NATIVE" ] && { /vm/load || broken "the module does not load"; }
start
: > "$WORK/send"
wait $older || broken "the workload failed"
stop
judge
