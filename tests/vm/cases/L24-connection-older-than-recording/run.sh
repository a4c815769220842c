#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
"$SHARED/pump" recv 7788 >> "$TRUTH" &
receiver=$!
"$SHARED/pump" send 127.0.0.1 7788 20971520 3145728 "$WORK/step" >> "$TRUTH" &
sender=$!
until_true 30 test -e "$WORK/step.sent" || broken "nothing was sent"
truth "role=receiver pid=$receiver"
start
: > "$WORK/step.go"
wait $sender || broken "the sender failed"
wait $receiver || broken "the receiver failed"
stop
judge
