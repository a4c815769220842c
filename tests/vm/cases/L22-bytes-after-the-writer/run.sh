#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
work "$BIN/linger"
# the last acknowledgement is not waited for by anybody
sleep 0.5
stop
judge
