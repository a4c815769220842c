#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
daemon_pid() { sed -n 's/^TRUTH role=the-daemon pid=\([0-9]*\).*/\1/p' "$TRUTH"; }
worked() { [ -n "$(daemon_pid)" ]; }

start
work "$BIN/daemon"
until_true 10 worked || broken "no daemon"
sleep 0.3
stop
kill "$(daemon_pid)" || broken "the daemon is gone"
judge
